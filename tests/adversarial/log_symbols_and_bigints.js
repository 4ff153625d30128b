// Things that do not become text by themselves.
// expect: ok="done"
// log: Symbol(s) 1n undefined null [Function (anonymous)]
// runner-log: Symbol(s) 1 undefined null function () {}
console.log(Symbol('s'), 1n, undefined, null, function () {});
'done';
