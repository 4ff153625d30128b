#pragma once

// `new URL(text).href`, by the WHATWG's rules.

#include <optional>
#include <string>
#include <string_view>

namespace cordon::rich {

// The normal form of a URL, or nothing where JavaScript would throw. The text is WTF-8. Linear in
// time.
std::optional<std::string> href_of_url(std::string_view text);

// The text with U+FFFD in place of each lone surrogate, which is what JavaScript hands to a URL.
std::string scalar_values(std::string_view wtf8);

}  // namespace cordon::rich
