#pragma once

// The seven codes of the execbox protocol.

#include <string>
#include <string_view>

#include "cordon/error.h"

namespace cordon::execbox {

// What a host said of a call that failed. A code that the protocol does not know is the tool's own.
Error read_error(std::string_view code, std::string message);

// The code of an execution's end. A host may fail a call under any code; an end has but seven.
std::string_view code_of_end(ErrorCode code);

}  // namespace cordon::execbox
