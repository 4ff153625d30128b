// Expect: Cordon needs C\+\+23: pass -std=c\+\+23
// At most: 2 errors
// Flags: -std=c++20
// The second one ends the compilation.

#include <cordon/cordon.h>

cordon::Result<int> use() { return 1; }
