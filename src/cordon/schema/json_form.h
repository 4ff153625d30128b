#pragma once

// Whether JSON has words for a value.

#include <cstddef>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::schema {

// What json::encode would say, but for the size of the text: not_serializable for a BigInt, cyclic,
// too_deep. Each node is looked at once, however often it would be written.
Result<> check_json_form(ValueView root, std::size_t max_depth);

}  // namespace cordon::schema
