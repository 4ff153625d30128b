// expect: code=timeout
// timeout: 150
({}) instanceof { [Symbol.hasInstance]() { for (;;) {} } };
