#pragma once

// Which task, event or other endpoint the target of a request means.

#include <cstdint>
#include <string>
#include <string_view>

namespace cordon::tunnel {

struct Route {
  enum class Kind : std::uint8_t {
    outside,  // not below the base path
    unknown,  // below it, and nothing that is there
    task,
    event,
    discovery,
  };
  Kind kind = Kind::outside;
  std::string id = {};  // of a task or event

  friend bool operator==(const Route&, const Route&) = default;
};

// With a leading slash and without one at its end; the root is empty.
std::string normal_base_path(std::string_view text);

// `target` as it came: a path with an optional query, or a whole URL. Empty pieces of the path do
// not count, and an id is decoded once, so that `a/b` and `a%2Fb` are one id. An invalid escape
// makes the route unknown.
Route route_of(std::string_view target, std::string_view base_path);

// The target without its query: what validators know as `path`.
std::string_view path_of(std::string_view target);

}  // namespace cordon::tunnel
