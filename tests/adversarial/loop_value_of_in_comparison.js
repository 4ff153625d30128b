// expect: code=timeout
// timeout: 150
({ valueOf() { for (;;) {} } }) < 1;
