#pragma once

// What other threads deliver to an execution, for its next turn.

#include <cstdint>
#include <expected>
#include <string>
#include <variant>

#include "cordon/bytes.h"
#include "cordon/host/strip_places.h"
#include "cordon/js/guest.h"
#include "cordon/provider.h"
#include "cordon/value.h"

namespace cordon::host {

struct Delivery {
  // The answer to a call of a tool.
  struct Answer {
    std::uint64_t call;
    Result<Value> result;
  };
  // A call of a function that a service exports.
  struct Invocation {
    std::string function;
    Value input;
    Reply reply;
  };
  // The answer to a call on a TaskPort: nothing if the call is done, bytes, or an error.
  struct PortAnswer {
    std::uint64_t call;
    std::variant<std::monostate, Bytes, Error> content;
  };
  struct Abort {};
  // A StripPlaces::Place is the one that the execution waits for.
  std::variant<Answer, Invocation, PortAnswer, Abort, StripPlaces::Place> content;
};

}  // namespace cordon::host
