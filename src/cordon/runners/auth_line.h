#pragma once

// How a runner that listens on a socket is shown a token.

#include <string>
#include <string_view>

namespace cordon::runners {

// {"type":"auth","token":"…"}, with a line end.
std::string auth_line(std::string_view token);

}  // namespace cordon::runners
