#include "cordon/runners/target.h"

#include <algorithm>
#include <charconv>
#include <sys/un.h>
#include <utility>

#include "cordon/providers/plugin_link.h"

namespace cordon::runners {
namespace {

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument, "'" + std::string(text) + "' " + std::string(why));
}

constexpr std::string_view tcp_form = "is no address; write it as tcp:PORT or tcp:HOST:PORT";
constexpr std::string_view ws_form = "is no address; write it as ws://HOST:PORT/PATH";

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  if (parsed.ec != std::errc() || parsed.ptr != end || port == 0) return std::nullopt;
  return port;
}

// HOST:PORT or [IPV6]:PORT.
std::optional<SocketTarget> host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const auto port = port_of(text.substr(colon + 1));
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (!port || host.empty() || (!has_brackets && host.contains(':'))) return std::nullopt;
  return SocketTarget{.path = {}, .host = std::string(host), .port = *port};
}

Result<Target> parse_unix(std::string_view text) {
  SocketTarget target{.path = std::string(text.substr(5))};
  if (target.path.empty()) return wrong(text, "has no path; write it as unix:PATH");
  if (target.path.size() >= sizeof(sockaddr_un::sun_path))
    return wrong(text, "has a path that is too long for a socket");
  return target;
}

Result<Target> parse_tcp(std::string_view text) {
  const std::string_view rest = text.substr(4);
  if (const auto port = port_of(rest))
    return SocketTarget{.path = {}, .host = "127.0.0.1", .port = *port};
  if (auto target = host_and_port(rest)) return *std::move(target);
  return wrong(text, tcp_form);
}

// What stands in the request's first lines must not end them.
bool is_of_a_url(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

Result<Target> parse_websocket(std::string_view text) {
  const std::string_view rest = text.substr(5);
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  auto socket = host_and_port(rest.substr(0, end));
  std::string_view resource = rest.substr(end);
  if (!socket || !is_of_a_url(rest) || resource.contains('#')) return wrong(text, ws_form);
  return WebSocketTarget{
      .socket = *std::move(socket),
      .authority = std::string(rest.substr(0, end)),
      .resource = (resource.starts_with('/') ? "" : "/") + std::string(resource)};
}

}  // namespace

Result<Target> parse_target(std::string_view text) {
  if (text.starts_with("unix:")) return parse_unix(text);
  if (text.starts_with("tcp:")) return parse_tcp(text);
  if (text.starts_with("ws://")) return parse_websocket(text);
  for (const char* other : {"wss://", "http://", "https://", "ws:", "wss:"}) {
    if (text.starts_with(other))
      return wrong(text,
                   "is no runner; write ws://HOST:PORT/PATH, tcp:HOST:PORT, unix:PATH or a "
                   "command line");
  }
  const auto words = providers::split_words(text);
  if (!words) return fail(words.error());
  if (words->empty() || words->front().empty())
    return fail(ErrorCode::invalid_argument, "it names no program");
  return ChildTarget{*words};
}

}  // namespace cordon::runners
