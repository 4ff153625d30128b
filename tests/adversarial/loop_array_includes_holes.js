// Four billion holes, looked at one by one.
// expect: code=timeout
// timeout: 150
const holes = [];
holes.length = 4294967295;
holes.includes(1);
