// Calls without a loop and without recursion in C: the only place to interrupt them is the call.
// expect: code=timeout
// timeout: 200
const f = (n) => {
  if (n === 0) return;
  f(n - 1);
  f(n - 1);
};
f(200);
