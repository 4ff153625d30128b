// Timers that end each other, and themselves, while they run.
// expect: ok=["a","b"]
// timeout: 5000
const seen = [];
const a = setInterval(() => { seen.push('a'); clearInterval(a); clearTimeout(a); clearInterval(c); }, 1);
const b = setTimeout(() => { seen.push('b'); clearTimeout(b); clearInterval(a); }, 2);
const c = setTimeout(() => seen.push('c'), 3);
await new Promise((done) => setTimeout(done, 15));
seen;
