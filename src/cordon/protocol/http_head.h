#pragma once

// The heads of an HTTP request and of its answer, as a transport reads and writes them and as a
// session that is spoken over HTTP decides about them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cordon {

struct HttpHeader {
  std::string name;  // of a request: in lower case
  std::string value;

  friend bool operator==(const HttpHeader&, const HttpHeader&) = default;
};

struct HttpRequestHead {
  std::string method;
  std::string target;  // as it came, with its query
  unsigned minor_version = 1;
  std::vector<HttpHeader> headers;              // in their order, repeated ones too
  std::optional<std::uint64_t> content_length;  // nothing: chunked, or no body
  bool has_body = false;
  std::string peer;  // the address of the client, as far as it is trusted
  bool is_secure = false;

  // The first of that name, or null.
  const std::string* find(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &HttpHeader::name);
    return found == headers.end() ? nullptr : &found->value;
  }
  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::count(headers, name, &HttpHeader::name));
  }
};

struct HttpResponseHead {
  unsigned status = 200;
  // Without those of framing: content-length, transfer-encoding, connection, date.
  std::vector<HttpHeader> headers;
};

}  // namespace cordon
