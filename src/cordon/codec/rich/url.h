#pragma once

// `new URL(text).href`, by the WHATWG's rules.

#include <optional>
#include <string>
#include <string_view>

namespace cordon::rich {

// The normal form of a URL, or nothing if JavaScript would throw. The text is WTF-8. Takes linear
// time.
std::optional<std::string> href_of_url(std::string_view text);

// The text with U+FFFD in place of each lone surrogate, as JavaScript passes it to a URL.
std::string scalar_values(std::string_view wtf8);

}  // namespace cordon::rich
