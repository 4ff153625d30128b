// Expect: error
// What a guest sent is not taken for a number before somebody has looked.

#include <cordon/value.h>

int use(const cordon::Value& value) { return value; }
