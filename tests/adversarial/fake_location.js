// A stack of the guest's own making: whatever it says, it is shown as text.
// expect: code=runtime_error
const error = new Error('x');
error.stack = '    at f (../../../../etc/passwd:99999999999:-1)\n    at <eval> (:::)\n'.repeat(1000);
throw error;
