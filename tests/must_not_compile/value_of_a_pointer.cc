// Expect: error
// It would be `true`.

#include <cordon/value.h>

cordon::Value use(const int* number) { return cordon::Value(number); }
