#pragma once

// The keys that mean something to the format.

#include <string_view>

namespace cordon::rich {

inline constexpr std::string_view escape_prefix = "$runner.escape::";
inline constexpr std::string_view type_key = "__type";
inline constexpr std::string_view value_key = "value";
inline constexpr std::string_view graph_key = "__graph";
inline constexpr std::string_view reference_key = "__ref";

// Such keys are neither read nor written, because JavaScript would change a prototype with them.
inline bool is_unsafe_key(std::string_view key) {
  switch (key.size()) {
    case 9:
      return key == "__proto__" || key == "prototype";
    case 11:
      return key == "constructor";
    default:
      return false;
  }
}

inline bool is_escaped_key(std::string_view key) { return key.starts_with(escape_prefix); }

// Whether tree format puts the prefix before it.
inline bool needs_escape(std::string_view key) {
  if (key.empty() || (key[0] != '_' && key[0] != '$')) return false;
  return key == type_key || key == graph_key || is_escaped_key(key);
}

// Names that a custom field of an Error may not have: those of its own properties, and those that
// would replace a method.
bool is_reserved_error_field(std::string_view key);

// Well-known symbols that the format has a name for.
bool is_known_symbol(std::string_view key);

}  // namespace cordon::rich
