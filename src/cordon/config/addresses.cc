#include "cordon/config/addresses.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <sys/socket.h>

#include "cordon/tools/global_names.h"

namespace cordon::config {
namespace {

using Complaint = std::optional<std::string>;

constexpr std::size_t max_unix_path_bytes = 107;  // what sockaddr_un holds
constexpr std::size_t max_id_bytes = 500;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_address(int family, std::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  return !text.contains('\0') && inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

bool is_number_up_to(std::string_view text, unsigned most) {
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return !text.empty() && parsed.ec == std::errc() && parsed.ptr == end && number <= most;
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

// What comes after the scheme, up to the path: a host and perhaps a port.
bool is_authority(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos || !is_address(AF_INET6, text.substr(1, end - 1))) return false;
    const std::string_view rest = text.substr(end + 1);
    return rest.empty() || (rest[0] == ':' && is_number_up_to(rest.substr(1), 65'535));
  }
  const std::size_t colon = text.find(':');
  if (!is_host_name(text.substr(0, colon))) return false;
  return colon == text.npos || is_number_up_to(text.substr(colon + 1), 65'535);
}

// Past "http://" or "https://"; empty where it is neither.
std::string_view after_scheme(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  }
  return {};
}

}  // namespace

Complaint complain_about_listen(std::string_view text) {
  if (text.starts_with("unix:")) {
    const std::string_view path = text.substr(5);
    if (path.empty()) return "unix: needs a path";
    if (path.contains('\0')) return "a path has no NUL";
    if (path.size() > max_unix_path_bytes) return "a Unix socket's path has 107 bytes at most";
    return std::nullopt;
  }
  if (text.contains("://")) {
    return text.starts_with("https:") ? "this is a URL; an address has no scheme and no path, and "
                                        "HTTPS comes with server.tls"
                                      : "this is a URL; an address has no scheme and no path";
  }
  if (text.starts_with("tcp:")) return "an address has no tcp: in front";
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return "expected HOST:PORT or unix:PATH";
  const std::string_view host = text.substr(0, colon);
  if (!is_number_up_to(text.substr(colon + 1), 65'535)) return "it needs a port from 0 to 65535";
  if (host.starts_with('[') && host.ends_with(']')) {
    if (is_address(AF_INET6, host.substr(1, host.size() - 2))) return std::nullopt;
    return "there is no IPv6 address between the brackets";
  }
  if (host.contains(':')) return "an IPv6 address stands in brackets, as [::1]:7070";
  if (host.empty()) return "it needs a host; 0.0.0.0 is every address of this machine";
  if (!is_host_name(host)) return "this is no host";
  const bool is_numeric = std::ranges::all_of(host, [](char c) { return is_digit(c) || c == '.'; });
  if (is_numeric && !is_address(AF_INET, host)) return "this is no IPv4 address";
  return std::nullopt;
}

std::string listen_meant_by(std::string_view text) {
  std::string address;
  if (text.starts_with("unix://")) {
    address = "unix:" + std::string(text.substr(7));
  } else if (text.starts_with("tcp:")) {
    text.remove_prefix(4);
    address = text.substr(text.starts_with("//") ? 2 : 0);
  } else if (const std::string_view rest = after_scheme(text); !rest.empty()) {
    address = rest.substr(0, rest.find_first_of("/?#"));
    const bool has_port = address.rfind(':') != address.npos && !address.ends_with(']');
    if (!has_port) address += text.starts_with("https:") ? ":443" : ":80";
  }
  return address.empty() || complain_about_listen(address) ? std::string() : address;
}

bool is_local(std::string_view listen) {
  return listen.starts_with("unix:") || listen.starts_with("127.") ||
         listen.starts_with("localhost:") || listen.starts_with("[::1]:");
}

Complaint complain_about_range(std::string_view text) {
  if (text == "unix") return std::nullopt;
  const std::size_t slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  const bool is_four = is_address(AF_INET, address);
  if (!is_four && !is_address(AF_INET6, address)) return "this is no IP address, nor unix";
  if (slash != text.npos && !is_number_up_to(text.substr(slash + 1), is_four ? 32 : 128)) {
    return "its length is a number from 0 to " + std::string(is_four ? "32" : "128");
  }
  return std::nullopt;
}

Complaint complain_about_url(std::string_view text) {
  const std::string_view rest = after_scheme(text);
  if (rest.empty()) return "a URL begins with http:// or https://";
  if (rest.find_first_of(" #") != rest.npos ||
      !is_authority(rest.substr(0, rest.find_first_of("/?")))) {
    return "this is no URL";
  }
  return std::nullopt;
}

Complaint complain_about_token(std::string_view text) {
  const bool is_token = std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
  if (!is_token || text.empty()) return "a name in HTTP has letters, digits and - alone";
  return std::nullopt;
}

Complaint complain_about_origin(std::string_view text) {
  if (text == "*" || text == "null") return std::nullopt;
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos || scheme == 0 ||
      !std::ranges::all_of(text.substr(0, scheme), [](char c) {
        return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
      })) {
    return "an origin has a scheme and a host";
  }
  if (is_authority(text.substr(scheme + 3))) return std::nullopt;
  // Browsers send an origin without the slash, so the two would never match.
  if (!origin_meant_by(text).empty()) {
    return "an origin has no path, not even a slash at its end, so no browser's would match";
  }
  return "an origin has a scheme, a host and perhaps a port";
}

std::string origin_meant_by(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == text.npos) return {};
  const std::size_t path = text.find_first_of("/?#", scheme + 3);
  if (path == text.npos || !is_authority(text.substr(scheme + 3, path - scheme - 3))) return {};
  return std::string(text.substr(0, path));
}

Complaint complain_about_base_path(std::string_view text) {
  if (text.find_first_of("?# %\\") != text.npos) return "a base path has no ?, #, %, \\ or blank";
  if (text.contains("//")) return "a base path has no empty piece";
  return std::nullopt;
}

Complaint complain_about_id(std::string_view text) {
  if (text.empty()) return "an id is not empty";
  if (text.size() > max_id_bytes) return "an id has 500 bytes at most";
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
    return "an id has no control characters";
  }
  if (text.starts_with('/') || text.ends_with('/') || text.contains("//")) {
    return "an id has no empty piece between slashes, for no URL could name it";
  }
  return std::nullopt;
}

Complaint complain_about_identifier(std::string_view text) {
  const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; };
  if (text.empty() || is_digit(text[0]) || !std::ranges::all_of(text, is_part)) {
    return "\"" + std::string(text) + "\" is no name in JavaScript; use letters, digits, _ and $";
  }
  // It would take the place of the one that scripts have, without a word.
  if (tools::is_guest_global(text)) {
    return "\"" + std::string(text) +
           "\" is a name that programs have already; write another, such as my_" +
           std::string(text);
  }
  return std::nullopt;
}

}  // namespace cordon::config
