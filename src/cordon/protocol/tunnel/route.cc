#include "cordon/protocol/tunnel/route.h"

#include "cordon/base/utf8.h"
#include "cordon/protocol/tunnel/limits.h"
#include "cordon/protocol/tunnel/percent.h"

namespace cordon::tunnel {
namespace {

// Takes the next piece that is not empty off the path.
std::string_view next_piece(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view piece = path.substr(0, path.find('/'));
  path.remove_prefix(piece.size());
  return piece;
}

// What is left of the path, its pieces joined by single slashes, decoded. Nothing where that is no
// id.
std::string id_of(std::string_view path) {
  std::string joined;
  for (std::string_view piece = next_piece(path); !piece.empty(); piece = next_piece(path)) {
    if (!joined.empty()) joined += '/';
    joined += piece;
  }
  if (joined.contains('%')) {
    auto decoded = percent_decoded(joined);
    if (!decoded) return {};
    joined = *std::move(decoded);
  }
  if (joined.size() > max_id_bytes || !is_utf8(joined)) return {};
  return joined;
}

}  // namespace

std::string normal_base_path(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  while (text.starts_with('/')) text.remove_prefix(1);
  return text.empty() ? std::string() : "/" + std::string(text);
}

std::string_view path_of(std::string_view target) {
  // A proxy may ask with a whole URL.
  if (!target.starts_with('/')) {
    const std::size_t scheme_end = target.find("://");
    if (scheme_end != std::string_view::npos) {
      const std::size_t slash = target.find_first_of("/?", scheme_end + 3);
      if (slash == std::string_view::npos || target[slash] == '?') return "/";
      target.remove_prefix(slash);
    }
  }
  return target.substr(0, target.find_first_of("?#"));
}

Route route_of(std::string_view target, std::string_view base_path) {
  std::string_view path = path_of(target);
  if (!path.starts_with(base_path)) return {};
  path.remove_prefix(base_path.size());
  if (!path.empty() && !path.starts_with('/')) return {};

  const std::string_view what = next_piece(path);
  if (what == "discovery") return {Route::Kind::discovery};
  const bool is_task = what == "task";
  if (!is_task && what != "event") return {Route::Kind::unknown};
  std::string id = id_of(path);
  if (id.empty()) return {Route::Kind::unknown};
  return {is_task ? Route::Kind::task : Route::Kind::event, std::move(id)};
}

}  // namespace cordon::tunnel
