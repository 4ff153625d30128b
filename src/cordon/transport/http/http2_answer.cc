#include "cordon/transport/http/http2_answer.h"

#include <algorithm>
#include <array>

#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

// RFC 9113, 8.2.2.
constexpr std::array<std::string_view, 5> of_connections = {
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};

}  // namespace

Http2Answer::Http2Answer(const ResponseHead& head, std::optional<std::uint64_t> length,
                         std::string_view date) {
  texts_.reserve(head.headers.size() + 3);
  texts_.push_back({":status", std::to_string(head.status)});
  for (const Header& header : head.headers) {
    if (is_token(header.name)) add(header.name, header.value);
  }
  add("date", date);
  if (length) add("content-length", std::to_string(*length));
  for (Header& text : texts_) {
    fields_.push_back({.name = reinterpret_cast<std::uint8_t*>(text.name.data()),
                       .value = reinterpret_cast<std::uint8_t*>(text.value.data()),
                       .namelen = text.name.size(),
                       .valuelen = text.value.size(),
                       .flags = NGHTTP2_NV_FLAG_NONE});
  }
}

void Http2Answer::add(std::string_view name, std::string_view value) {
  Header text{.name = std::string(name), .value = std::string(value)};
  std::ranges::transform(text.name, text.name.begin(), ascii_lower);
  if (std::ranges::find(of_connections, text.name) != of_connections.end()) return;
  std::ranges::replace_if(text.value, [](char c) { return !is_value_character(c); }, ' ');
  text.value = std::string(trim(text.value));
  texts_.push_back(std::move(text));
}

}  // namespace cordon::transport::http
