#include "cordon/protocol/tunnel/stream_head.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cordon/base/ascii.h"

namespace cordon::tunnel {
namespace {

constexpr std::size_t max_headers = 64;
constexpr std::size_t max_header_bytes = 16'384;  // of all of them
constexpr std::size_t max_type_bytes = 200;

// Headers of the connection and of the body's framing, and what the server says with every answer.
constexpr auto reserved = std::to_array<std::string_view>({
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-content-type-options",
    "x-frame-options",
    "x-runner-request-id",
});

bool is_reserved(std::string_view name) {
  return std::ranges::find(reserved, name) != reserved.end() || name.starts_with("access-control-");
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// HTTP/2 has no blanks at the edges of a value.
bool is_value(std::string_view text) {
  if (!text.empty() && (is_blank(text.front()) || is_blank(text.back()))) return false;
  return std::ranges::none_of(text, [](char c) {
    return c != '\t' && (static_cast<unsigned char>(c) < ' ' || c == '\x7f');
  });
}

std::optional<std::string> complain_about_header(const std::string& name,
                                                 const std::string& value) {
  // What is no name is not repeated: it may be anything.
  if (!is_token(name)) return "the name of a header has other characters than a token's";
  const std::string header = "the header " + name;
  if (is_reserved(ascii_lower_case(name))) return header + " is the server's own";
  if (!is_value(value)) return header + " has a control character, or a blank at an edge";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> complain_about(StreamHead& head) {
  if (head.status < 200 || head.status > 599)
    return "the status " + std::to_string(head.status) + " is not from 200 to 599";
  if (head.status == 204 || head.status == 205 || head.status == 304)
    return "the status " + std::to_string(head.status) + " has no body";
  if (head.headers.size() > max_headers)
    return "there are more than " + std::to_string(max_headers) + " headers";
  std::size_t bytes = 0;
  for (const auto& [name, value] : head.headers) {
    if (auto why = complain_about_header(name, value)) return why;
    bytes += name.size() + value.size();
  }
  if (bytes > max_header_bytes)
    return "the headers have more than " + std::to_string(max_header_bytes) + " bytes";
  const auto is_type = [](const auto& one) {
    return equals_in_any_case(one.first, "content-type");
  };
  const auto type = std::ranges::find_if(head.headers, is_type);
  if (type != head.headers.end()) {
    if (head.content_type != bytes_type || std::ranges::count_if(head.headers, is_type) > 1)
      return "there are two content types";
    head.content_type = std::move(type->second);
    head.headers.erase(type);
  }
  if (head.content_type.empty() || head.content_type.size() > max_type_bytes ||
      !is_value(head.content_type))
    return "the content type is not one";
  return std::nullopt;
}

}  // namespace cordon::tunnel
