// expect: ok="done"
// timeout: 5000
console.log(...new Array(20000).fill('argument'));
'done';
