// 1,000 levels are allowed, and cross the boundary both ways.
// expect: ok=[998,"serialization_error"]
// timeout: 5000
let nested = 1;
for (let i = 0; i < 1000; i++) nested = [nested];
let back = await tools.echo(nested);
let levels = -2;
for (; Array.isArray(back); back = back[0]) levels++;
let code;
try {
  await tools.echo([nested]);
} catch (error) {
  code = error.code;
}
[levels, code];
