// expect: code=runtime_error
let resolve;
const self = new Promise((r) => (resolve = r));
resolve(self);
await self;
