// Keys in an answer that mean more elsewhere are plain data here.
// expect: ok=[["__proto__","then","constructor"],"undefined",true]
const answer = await tools.tricky();
[Object.keys(answer), typeof ({}).polluted, Object.getPrototypeOf(answer) === Object.prototype];
