#pragma once

// What a task may say about a streamed answer.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cordon::tunnel {

inline constexpr std::string_view bytes_type = "application/octet-stream";

struct StreamHead {
  std::string content_type = std::string(bytes_type);
  unsigned status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Why no answer can have this head, as "the header connection is the server's own"; nothing if it
// can. A Content-Type among the headers replaces the usual one.
std::optional<std::string> complain_about(StreamHead& head);

}  // namespace cordon::tunnel
