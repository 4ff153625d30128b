#pragma once

// Bytes as numbers, for tests.

#include <cstdint>
#include <initializer_list>

#include "cordon/bytes.h"

namespace cordon::msgpack {

inline Bytes bytes(std::initializer_list<int> numbers) {
  Bytes out;
  for (const int number : numbers) out.push_back(static_cast<std::uint8_t>(number));
  return out;
}

}  // namespace cordon::msgpack
