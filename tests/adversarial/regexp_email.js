// The shape that takes down servers.
// expect: code=timeout
// timeout: 150
/^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$/.test(
  'a'.repeat(60) + '!',
);
