/*---
negative:
  phase: parse
  type: SyntaxError
---*/
$DONOTEVALUATE();
return 1;
