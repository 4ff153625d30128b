#pragma once

#include <cstdint>

namespace cordon::js {

// What a program takes an imported file for, by `with { type: … }`.
enum class ImportKind : std::uint8_t {
  module,  // a script, or JSON
  text,
  bytes,
};

}  // namespace cordon::js
