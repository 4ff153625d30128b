#pragma once

// Names that a guest can write, made of any text as execbox makes them.

#include <string>
#include <string_view>

namespace cordon::tools {

// Runs of other characters become `_`, edge underscores go, a leading digit gets one, reserved
// words get one behind, and nothing becomes `_`.
std::string safe_name(std::string_view text);

bool is_identifier(std::string_view text);

}  // namespace cordon::tools
