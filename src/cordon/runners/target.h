#pragma once

// Where a runner is, as a user writes it: unix:PATH, tcp:[HOST:]PORT, ws://HOST:PORT/PATH?QUERY, or
// else a command line, which is split as a shell does it, without one.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/result.h"

namespace cordon::runners {

struct ChildTarget {
  std::vector<std::string> words;  // of the program and its arguments; one at least
};

struct SocketTarget {
  std::string path;       // of a Unix socket; or else
  std::string host = {};  // without brackets
  std::uint16_t port = 0;
  // Raw, last first. Where there are none, the host is looked up while it is connected.
  std::vector<std::string> addresses = {};
};

struct WebSocketTarget {
  SocketTarget socket;
  std::string authority;  // as the header Host has it
  std::string resource;   // path and query
};

using Target = std::variant<ChildTarget, SocketTarget, WebSocketTarget>;

Result<Target> parse_target(std::string_view text);

}  // namespace cordon::runners
