// Expect: nodiscard
// A `return` is missing before fail().

#include <cordon/result.h>

cordon::Result<> use(int number) {
  if (number < 0) cordon::fail(cordon::ErrorCode::invalid_argument, "negative");
  return {};
}
