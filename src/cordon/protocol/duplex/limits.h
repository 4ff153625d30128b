#pragma once

// What a duplex-rpc host lets its guest use. Whatever passes one of these is `too_large`.

#include <cstddef>

namespace cordon::duplex {

struct Limits {
  std::size_t frame_bytes = std::size_t{64} << 20;  // the payload of one frame
  std::size_t nesting = 1000;
  std::size_t open_callbacks = 10'000;  // requests of the guest that wait for an answer
  std::size_t name_bytes = 4096;        // an id or a function's name
};

}  // namespace cordon::duplex
