// A program that ends with calls still pending ends at once.
// expect: ok="done"
// timeout: 5000
for (let i = 0; i < 1000; i++) tools.hold(i);
'done';
