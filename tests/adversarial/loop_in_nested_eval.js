// The loop is in code that eval compiled, in code that eval compiled.
// expect: code=timeout
// timeout: 150
eval('eval("new Function(\'for (;;) {}\')()")');
