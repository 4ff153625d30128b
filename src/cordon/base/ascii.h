#pragma once

// ASCII letters, whatever the locale. Other characters have neither upper nor lower case here.

#include <algorithm>
#include <string>
#include <string_view>

namespace cordon {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

inline std::string ascii_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), ascii_lower);
  return text;
}

constexpr bool equals_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

}  // namespace cordon
