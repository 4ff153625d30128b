#include "cordon/transport/listen_address.h"

#include <charconv>

namespace cordon::transport {
namespace {

constexpr std::string_view loopback = "127.0.0.1";
constexpr std::size_t max_unix_path_bytes = 107;  // what sockaddr_un holds

std::unexpected<Error> wrong(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument, "'" + std::string(text) + "': " + std::string(why));
}

// HOST:PORT, [IPV6]:PORT, or a port alone, which is loopback's.
Result<> parse_endpoint(std::string_view text, std::string_view whole, ListenAddress& address) {
  std::string_view host = loopback;
  std::string_view port = text;
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.contains(':')) {
    return wrong(whole, "an IPv6 address stands in brackets, as [::1]:7000");
  }
  if (host.empty()) host = loopback;
  const char* const begin = port.data();
  const char* const end = begin + port.size();
  const auto parsed = std::from_chars(begin, end, address.port);
  if (port.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
    return wrong(whole, "it needs a port from 0 to 65535, as 127.0.0.1:7000");
  }
  address.host = host;
  return {};
}

Result<ListenAddress> parse_unix(std::string_view text) {
  ListenAddress address;
  address.path = text.substr(std::string_view("unix:").size());
  if (address.path.empty()) return wrong(text, "it needs a path, as unix:/run/cordon.sock");
  if (address.path.contains('\0')) return wrong(text, "a path has no NUL");
  if (address.path.size() > max_unix_path_bytes) {
    return wrong(text, "a Unix socket's path has 107 bytes at most");
  }
  return address;
}

}  // namespace

bool ListenAddress::is_local() const {
  return kind == Kind::unix_socket || host == "localhost" || host == "::1" ||
         host.starts_with("127.");
}

std::string ListenAddress::text(bool tls) const {
  if (kind == Kind::unix_socket) return "unix:" + path;
  const std::string endpoint =
      (host.contains(':') ? "[" + host + "]" : host) + ":" + std::to_string(port);
  if (kind == Kind::tcp) return "tcp:" + endpoint;
  return (tls ? "wss://" : "ws://") + endpoint + path;
}

std::string ListenAddress::url(bool tls) const {
  if (kind == Kind::unix_socket) return text(tls);
  std::string reachable = host.contains(':') ? "[" + host + "]" : host;
  if (host == "0.0.0.0") reachable = loopback;
  if (host == "::") reachable = "[::1]";
  return (tls ? "https://" : "http://") + reachable + ":" + std::to_string(port);
}

Result<ListenAddress> parse_http_address(std::string_view text) {
  if (text.starts_with("unix:")) return parse_unix(text);
  ListenAddress address;
  address.kind = ListenAddress::Kind::tcp;
  CORDON_TRY(parse_endpoint(text, text, address));
  return address;
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress address;
  if (text.starts_with("unix:")) return parse_unix(text);
  if (text.starts_with("tcp:")) {
    address.kind = ListenAddress::Kind::tcp;
    std::string_view endpoint = text.substr(4);
    if (endpoint.starts_with("//")) endpoint.remove_prefix(2);
    CORDON_TRY(parse_endpoint(endpoint, text, address));
    return address;
  }
  for (const std::string_view scheme : {"ws://", "wss://"}) {
    if (!text.starts_with(scheme)) continue;
    address.kind = ListenAddress::Kind::websocket;
    const std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = rest.find('/');
    address.path = slash == std::string_view::npos ? "/" : rest.substr(slash);
    if (address.path.find_first_of(" ?#\r\n") != std::string::npos) {
      return wrong(text, "its path is plain, as /runner");
    }
    CORDON_TRY(parse_endpoint(rest.substr(0, slash), text, address));
    return address;
  }
  return wrong(text, "write unix:PATH, tcp:HOST:PORT or ws://HOST:PORT/PATH");
}

}  // namespace cordon::transport
