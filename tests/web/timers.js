// Order, arguments, intervals, clearing, and microtasks between timers.
const seen = [];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

setTimeout(() => seen.push('ten'), 10);
setTimeout(() => seen.push('zero'), 0);
setTimeout(() => seen.push('one'), 1);
setTimeout((...given) => seen.push('given ' + given.join('+')), 20, 'a', 2, null);
queueMicrotask(() => seen.push('microtask'));
Promise.resolve().then(() => seen.push('reaction'));
seen.push('script');
await sleep(60);
console.log(seen.join(', '));

seen.length = 0;
setTimeout(() => { seen.push('first'); queueMicrotask(() => seen.push('job of first')); }, 5);
setTimeout(() => seen.push('second'), 5);
await sleep(30);
console.log(seen.join(', '));

seen.length = 0;
let left = 3;
await new Promise((done) => {
  const interval = setInterval((word) => {
    seen.push(word + left);
    if (--left === 0) { clearInterval(interval); done(); }
  }, 2, 'tick');
});
await sleep(10);
console.log(seen.join(', '));

seen.length = 0;
const never = setTimeout(() => seen.push('never'), 1);
clearTimeout(never);
clearTimeout(never);
clearTimeout(undefined);
clearInterval(setInterval(() => seen.push('never either'), 1));
clearInterval(setTimeout(() => seen.push('nor this'), 1));
await sleep(10);
console.log(JSON.stringify(seen));

for (const wrong of [undefined, null, 'text', {}]) {
  try { setTimeout(wrong); } catch (error) { console.log(error.constructor.name); }
}
console.log(String([setTimeout.length >= 1, typeof clearTimeout, Object.keys(globalThis).includes("setTimeout")]));
const started = performance.now();
await sleep(25);
const took = performance.now() - started;
console.log(took >= 24 && took < 500);
console.log(typeof performance.timeOrigin, Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 100);
