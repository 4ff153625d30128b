#pragma once

// What a tunnel says that it serves.

#include <string>
#include <vector>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

struct Discovery {
  bool enabled = false;  // without an allow-list nothing is listed
  std::vector<std::string> tasks = {};
  std::vector<std::string> events = {};

  friend bool operator==(const Discovery&, const Discovery&) = default;
};

// The result of an envelope, {"allowList":{"enabled","tasks","events"}}. ErrorCode::malformed where
// it is anything else.
Result<Discovery> discovery_of(const ValueView& result);

}  // namespace cordon::tunnel
