// `$&` and $` multiply without a callback.
// expect: code=memory_limit
// timeout: 30000
let text = 'a'.repeat(1000);
for (;;) text = text.replace(/a/g, "$`$&$'");
