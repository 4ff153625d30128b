/*---
flags: [async]
---*/
Promise.resolve().then(() => $DONE());
