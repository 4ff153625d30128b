// Expect: error

#include <mutex>

#include <cordon/value.h>

bool use(const cordon::Value& value) { return value.as<std::mutex>().has_value(); }
