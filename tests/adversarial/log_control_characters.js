// They arrive as they are; it is for those who show them to make them harmless.
// expect: ok="done"
// log: "\u001b[2J\u001b]0;title\u0007\bA\u202eB\u0000C"
console.log('\x1b[2J\x1b]0;title\x07\x08A\u202eB\0C');
'done';
