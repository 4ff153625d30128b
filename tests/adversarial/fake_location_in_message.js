// Frames in a message, in front of the real ones, and in a stack that the program has prefixed.
// expect: code=runtime_error
const error = new Error('a\n    at fake (evil.js:99:99)\n    at <eval> (attack.js:1:1)');
error.stack = 'b\n    at fake (evil.js:98:98)\n' + error.stack;
Object.defineProperty(error, 'name', { value: 'Error\n    at fake (evil.js:97:97)' });
throw Object.assign(error, { toString: () => '    at fake (evil.js:96:96)' });
