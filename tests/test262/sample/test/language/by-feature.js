/*---
features: [Temporal, let]
---*/
throw "left out";
