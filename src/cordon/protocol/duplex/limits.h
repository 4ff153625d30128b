#pragma once

// What a duplex-rpc host lets its guest use. Whatever passes one of these is `too_large`.

#include <algorithm>
#include <cstddef>

#include "cordon/base/budget.h"

namespace cordon::duplex {

struct Limits {
  std::size_t frame_bytes = std::size_t{64} << 20;  // the payload of one frame
  std::size_t nesting = 1000;
  std::size_t open_callbacks = 10'000;  // requests of the guest that are under way
  std::size_t name_bytes = 4096;        // an id or a function's name
  // Answers that the guest asked for and does not read; one of any size is always taken.
  std::size_t unread_answer_bytes = std::size_t{64} << 20;

  // What one message may take of our memory, and what those together may that wait for somebody:
  // callbacks under way, chunks that nobody has read. A byte that is a number takes sixteen here;
  // so the largest frame may be half of such, and any frame of text or bytes fits.
  std::size_t memory_bytes() const { return std::max(8 * frame_bytes, Budget::min_message_bytes); }
};

}  // namespace cordon::duplex
