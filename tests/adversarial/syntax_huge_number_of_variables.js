// More local variables than an index can count.
// expect: ok=true
// timeout: 20000
// memory: 256MiB
let source = '';
for (let i = 0; i < 70000; i++) source += `var v${i} = ${i};`;
let fine = true;
try {
  new Function(source)();
} catch (error) {
  fine = error instanceof Error;
}
fine;
