/*---
flags: [raw]
---*/
if (typeof assert !== "undefined") throw "the harness is there";
