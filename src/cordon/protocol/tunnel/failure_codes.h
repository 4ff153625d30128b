#pragma once

// What a client is answered where a task or an event failed.

#include <string_view>

#include "cordon/error.h"
#include "cordon/protocol/tunnel/refusal.h"

namespace cordon::tunnel {

// Clients learn no more than they must: that their input was refused and why, that there is too
// much to do, that they went away, and else that the task failed.
Refusal refusal_of_failure(ErrorCode code, std::string_view reason);

}  // namespace cordon::tunnel
