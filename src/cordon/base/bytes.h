#pragma once

// Views text as bytes and bytes as text. Nothing is copied: the result lives as long as its source.

#include <cstdint>
#include <string_view>

#include "cordon/bytes.h"

namespace cordon {

inline BytesView as_bytes(std::string_view text) {
  // Any object may be read as unsigned char, so no aliasing rule is broken here or below.
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(BytesView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace cordon
