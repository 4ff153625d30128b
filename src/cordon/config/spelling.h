#pragma once

// Guesses which name was meant by one that does not exist.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cordon::config {

// The one of `names` that is spelled almost as `written`, if there is one.
std::optional<std::string> nearest(std::string_view written, std::span<const std::string> names);

// "did you mean "timeoutMs"?", or "the keys here are a, b and c", or nothing if there are none.
// `what` is the plural of what the names are.
std::string suggestion(std::string_view written, std::span<const std::string> names,
                       std::string_view what);

}  // namespace cordon::config
