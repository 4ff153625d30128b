// A SyntaxError at run time is no error of the program's text.
// expect: code=runtime_error
// message: unexpected
throw new SyntaxError('unexpected');
