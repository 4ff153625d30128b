#pragma once

// The error numbers of WASI preview 1 that we return.

#include <cstdint>

namespace cordon::sandbox::wasi {

enum class Errno : std::uint16_t {
  success = 0,
  access = 2,
  again = 6,
  badf = 8,
  fault = 21,
  inval = 28,
  io = 29,
  nosys = 52,
  notdir = 54,
  notsock = 57,
  notsup = 58,
  pipe = 64,
  spipe = 70,
  notcapable = 76,
};

}  // namespace cordon::sandbox::wasi
