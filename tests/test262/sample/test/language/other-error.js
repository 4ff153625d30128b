/*---
negative:
  phase: runtime
  type: RangeError
---*/
throw new TypeError("another");
