#pragma once

// Comparing what a peer says with a secret, without telling by the time it takes how much was
// right.

#include <cstddef>
#include <string_view>

namespace cordon {

inline bool equals_secret(std::string_view said, std::string_view secret) {
  unsigned difference = said.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < said.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned char>(said[i] ^ expected);
  }
  return difference == 0;
}

}  // namespace cordon
