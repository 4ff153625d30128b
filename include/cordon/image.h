#pragma once

// Executions that are suspended until there is an answer for them.

#include "cordon/needs_cxx23.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/bytes.h"
#include "cordon/value.h"

namespace cordon {

// A call that a suspended execution waits for.
struct PendingCall {
  std::uint64_t id = 0;
  std::string provider = {};
  std::string tool = {};
  Value input = {};
};

// An execution that was suspended (ExecuteOptions::suspend_on). Engine::resume continues from its
// image, in this process or in another one, with the same version of Cordon.
struct Suspended {
  Bytes image = {};
  std::vector<PendingCall> calls = {};  // in the order of calling
};

}  // namespace cordon
