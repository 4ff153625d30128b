#pragma once

// The hint for a value that may not leave a sandbox: what the program should write.

#include <cstdint>
#include <string>

#include "cordon/js/outcome.h"

namespace cordon::host {

enum class Leaving : std::uint8_t { as_result, as_input };

// "write createdAt.toISOString()". Empty if there is nothing to say.
std::string advice_on_value(const js::Unserializable& refused, Leaving leaving);

// Whether the value may leave as JSON has it, as far as is known.
bool may_leave_as_json(const js::Unserializable& refused);

}  // namespace cordon::host
