#pragma once

// A tool call that was answered, for tests of what shows calls.

#include "cordon/execution.h"

namespace cordon::cli {

inline CallRecord answered_call(std::uint64_t answer_bytes) {
  using std::chrono::milliseconds;
  return {.provider = "shop",
          .tool = "price",
          .started = milliseconds(2),
          .took = milliseconds(4),
          .answered = true,
          .ok = true,
          .input_bytes = 17,
          .answer_bytes = answer_bytes};
}

}  // namespace cordon::cli
