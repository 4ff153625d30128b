#pragma once

// What a decoder may take of the heap, of any input: the bound that amplify_tests holds the worst
// known inputs to, for those that nobody knows yet.

#include <cstddef>
#include <utility>

#include "amplify/memory_meter.h"
#include "require.h"

namespace cordon::fuzz {

// Inputs of a fuzzer are small, and so is what may be made of them: a budget that large messages
// have would let anything pass.
inline constexpr std::size_t max_bytes_per_byte = 64;
inline constexpr std::size_t fixed_bytes = std::size_t{64} << 10;

// What `decode` returns, if it took no more than that of an input of so many bytes.
template <class Decode>
auto bounded(std::size_t input_bytes, Decode&& decode, std::size_t fixed = fixed_bytes) {
  const amplify::MemoryMeter meter;
  auto decoded = std::forward<Decode>(decode)();
  require(meter.peak_bytes() <= fixed + max_bytes_per_byte * input_bytes,
          "a bounded number of bytes for each byte");
  return decoded;
}

}  // namespace cordon::fuzz
