#pragma once

// Makes names that a guest can write from any text, as execbox does.

#include <string>
#include <string_view>

namespace cordon::tools {

// Runs of other characters become `_`, underscores at the edges are dropped, a leading digit gets
// one in front, reserved words get one behind, and an empty name becomes `_`.
std::string safe_name(std::string_view text);

bool is_identifier(std::string_view text);

}  // namespace cordon::tools
