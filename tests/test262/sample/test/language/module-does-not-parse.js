/*---
flags: [module]
negative:
  phase: parse
  type: SyntaxError
---*/
$DONOTEVALUATE();
export { nothing };
