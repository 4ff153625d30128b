#pragma once

// What comes of a text whose types were to be stripped.

#include <cstdint>
#include <string>
#include <variant>

namespace cordon::js {

// Why a text was not stripped.
struct StripRefusal {
  enum class Kind {
    unsupported,  // TypeScript that has to be more than stripped: an enum, a namespace, …
    invalid,      // no TypeScript
  };
  Kind kind = Kind::invalid;
  std::string message;
  // From 1; 0: unknown.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

using Stripped = std::variant<std::string, StripRefusal>;

}  // namespace cordon::js
