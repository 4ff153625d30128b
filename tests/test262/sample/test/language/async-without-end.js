/*---
flags: [async]
---*/
Promise.resolve();
