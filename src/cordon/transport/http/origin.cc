#include "cordon/transport/http/origin.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstdint>
#include <sys/un.h>

#include "cordon/base/ascii.h"

namespace cordon::transport::http {
namespace {

constexpr std::string_view socket_scheme = "unix:";
constexpr std::size_t max_socket_path = sizeof(sockaddr_un::sun_path) - 1;

std::string without_slash(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Result<> check_path(std::string_view path) {
  if (is_ascii(path)) return {};
  return fail(ErrorCode::invalid_argument,
              "its path is not ASCII; write other characters as escapes, such as %C3%BC");
}

Result<Origin> parse_socket(std::string_view rest) {
  Origin origin;
  const std::size_t colon = rest.find(':');
  origin.socket_path = rest.substr(0, colon);
  origin.host = "localhost";
  if (origin.socket_path.empty() || origin.socket_path.size() > max_socket_path) {
    return fail(ErrorCode::invalid_argument,
                "the path of a socket has 1 to " + std::to_string(max_socket_path) + " characters");
  }
  if (colon == rest.npos) return origin;
  origin.path = without_slash(rest.substr(colon + 1));
  if (!origin.path.empty() && !origin.path.starts_with('/')) {
    return fail(ErrorCode::invalid_argument, "after the socket comes a path: unix:SOCKET:/PATH");
  }
  CORDON_TRY(check_path(origin.path));
  return origin;
}

// In any case.
bool begins_with(std::string_view url, std::string_view scheme) {
  return equals_in_any_case(url.substr(0, scheme.size()), scheme);
}

// "fe80::1%eth0" too, which names the interface.
bool is_ipv6_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET6, text.substr(0, text.find('%')).c_str(), &address) == 1;
}

// Takes the brackets off.
Result<> check_host(std::string& host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (is_ipv6_address(host)) return {};
    return fail(ErrorCode::invalid_argument, "in brackets stands an IPv6 address, such as [::1]");
  }
  if (host.empty() || host.find_first_of("[]") != std::string::npos)
    return fail(ErrorCode::invalid_argument, "it has no host");
  if (!is_ascii(host)) {
    return fail(ErrorCode::invalid_argument,
                "its host is not ASCII; write the name as it is looked up: xn--…");
  }
  return {};
}

bool is_port(std::string_view text) {
  std::uint16_t number = 0;
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its end is given.
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && number != 0;
}

}  // namespace

std::string Origin::authority() const {
  if (is_socket()) return host;
  std::string text = host.contains(':') ? "[" + host + "]" : host;
  if (port != (is_tls ? "443" : "80")) text += ":" + port;
  return text;
}

std::string Origin::name() const { return is_socket() ? "the socket" : authority(); }

Result<Origin> Origin::parse(std::string_view url) {
  const bool is_socket = url.starts_with(socket_scheme);
  const bool is_tls = begins_with(url, "https://");
  if (!is_socket && !is_tls && !begins_with(url, "http://")) {
    return fail(ErrorCode::invalid_argument, "a URL begins with http://, https:// or unix:");
  }
  url.remove_prefix(is_socket ? socket_scheme.size() : is_tls ? 8 : 7);
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7F || c == '?' || c == '#' || c == '@' ||
        c == '\\') {
      return fail(ErrorCode::invalid_argument, "it has a user, a query, a fragment or a blank");
    }
  }
  if (is_socket) return parse_socket(url);

  Origin origin;
  origin.is_tls = is_tls;
  const std::size_t slash = url.find('/');
  const std::string_view authority = url.substr(0, slash);
  if (slash != url.npos) origin.path = without_slash(url.substr(slash));
  CORDON_TRY(check_path(origin.path));

  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  origin.host = authority.substr(0, colon);
  CORDON_TRY(check_host(origin.host));
  origin.port = is_tls ? "443" : "80";
  if (colon != authority.npos) origin.port = authority.substr(colon + 1);
  if (!is_port(origin.port)) {
    return fail(ErrorCode::invalid_argument, "its port is no number from 1 to 65535");
  }
  return origin;
}

}  // namespace cordon::transport::http
