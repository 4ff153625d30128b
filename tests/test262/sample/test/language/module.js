/*---
flags: [module]
---*/
import * as itself from "./module.js";
import { value } from "./value_FIXTURE.js";
assert(value === 2);
export const mine = 1;
assert(itself.mine === 1);
