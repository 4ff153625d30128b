#pragma once

// What a duplex-rpc host lets its guest use. What exceeds one of these is `too_large`.

#include <algorithm>
#include <cstddef>

#include "cordon/base/budget.h"

namespace cordon::duplex {

struct Limits {
  std::size_t frame_bytes = std::size_t{64} << 20;  // the payload of one frame
  std::size_t nesting = 1000;
  std::size_t open_callbacks = 10'000;  // requests of the guest that are not answered yet
  std::size_t name_bytes = 4096;        // an id or a function's name
  // Answers that the guest asked for and does not read. One answer of any size is always accepted.
  std::size_t unread_answer_bytes = std::size_t{64} << 20;

  // How much memory one message may take, and how much all messages together that wait: callbacks
  // under way, chunks that were not read. A number that takes one byte in a frame takes sixteen
  // here. So half of the largest frame may be such numbers, and any frame of text or bytes fits.
  std::size_t memory_bytes() const { return std::max(8 * frame_bytes, Budget::min_message_bytes); }
};

}  // namespace cordon::duplex
