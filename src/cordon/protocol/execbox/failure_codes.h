#pragma once

// The seven codes of the execbox protocol.

#include <string>
#include <string_view>

#include "cordon/error.h"

namespace cordon::execbox {

// The host's error for a failed call. A code that the protocol does not know is the tool's own.
Error read_error(std::string_view code, std::string message);

// The code of an execution's end. A host may fail a call with any code, but an end has only seven.
std::string_view code_of_end(ErrorCode code);

}  // namespace cordon::execbox
