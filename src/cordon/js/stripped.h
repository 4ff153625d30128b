#pragma once

// The result of stripping the types from a text.

#include <cstdint>
#include <string>
#include <variant>

namespace cordon::js {

// Why a text was not stripped.
struct StripRefusal {
  enum class Kind {
    unsupported,  // TypeScript that needs more than stripping: an enum, a namespace, …
    invalid,      // not TypeScript
  };
  Kind kind = Kind::invalid;
  std::string message;
  // Counts from 1; 0 means unknown.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

using Stripped = std::variant<std::string, StripRefusal>;

}  // namespace cordon::js
