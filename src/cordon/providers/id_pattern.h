#pragma once

// Which ids of tasks a list of patterns lets through. In a pattern `*` stands for any text, also
// for none and for one with dots; everything else stands for itself.

#include <span>
#include <string>
#include <string_view>

namespace cordon::providers {

bool is_pattern(std::string_view text);
// In the time of a product of both lengths at most.
bool matches(std::string_view pattern, std::string_view id);
bool matches_any(std::span<const std::string> patterns, std::string_view id);

}  // namespace cordon::providers
