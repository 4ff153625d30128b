#pragma once

// The head of an answer as the fields of HTTP/2.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "cordon/transport/http/exchange.h"

namespace cordon::transport::http {

class Http2Answer {
 public:
  // Names become lower case; headers of a connection, which HTTP/2 has none of, are left out, and
  // so are those that no client would take.
  Http2Answer(const ResponseHead& head, std::optional<std::uint64_t> length, std::string_view date);
  Http2Answer(const Http2Answer&) = delete;
  Http2Answer& operator=(const Http2Answer&) = delete;

  // Valid as long as this is.
  const std::vector<nghttp2_nv>& fields() const { return fields_; }

 private:
  void add(std::string_view name, std::string_view value);

  std::vector<Header> texts_;
  std::vector<nghttp2_nv> fields_;
};

}  // namespace cordon::transport::http
