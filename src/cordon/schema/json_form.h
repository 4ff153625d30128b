#pragma once

// Whether JSON can express a value.

#include <cstddef>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::schema {

// The error that json::encode would give, apart from the size of the text: serialization_error for
// a BigInt, cyclic, too_deep. Each node is visited once, however often it would be written.
Result<> check_json_form(ValueView root, std::size_t max_depth);

}  // namespace cordon::schema
