// A text that is nothing but nesting, for the parser to go down into.
// expect: code=stack_overflow
// timeout: 5000
eval('('.repeat(1000000));
