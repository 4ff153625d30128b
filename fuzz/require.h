#pragma once

// What a fuzz target holds to be true of every input.

#include <cstdio>
#include <cstdlib>

namespace cordon::fuzz {

inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", property);
  std::abort();
}

}  // namespace cordon::fuzz
