#pragma once

// Answers of tools that give values of all kinds, on their way to a runner, which takes JSON.

#include "cordon/value.h"

namespace cordon::runners {

// The value with its dates and URLs as the texts that JSON.stringify writes. Any other kind that
// JSON does not have stays as it is, so that it is refused by its place and not lost.
Value with_json_texts(Value value);

}  // namespace cordon::runners
