/*---
negative:
  phase: runtime
  type: Test262Error
---*/
throw new Test262Error("on purpose");
