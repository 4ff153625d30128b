// expect: code=timeout
// timeout: 150
`${{
  [Symbol.toPrimitive]() {
    for (;;) {}
  },
}}`;
