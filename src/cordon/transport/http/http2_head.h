#pragma once

// The head of a request out of the fields of HTTP/2, within the same limits and with the same
// meaning as HTTP/1.1 has it: a handler does not see which of them it was.
//
// nghttp2 has checked what HTTP/2 itself demands (RFC 9113, 8.2 and 8.3): names in lower case, the
// pseudo-headers, no headers of a connection. The rest is checked here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/refusal.h"

namespace cordon::transport::http {

class Http2Head {
 public:
  explicit Http2Head(const HeadLimits& limits) : limits_(limits) {}

  // The next field, a pseudo-header or another. What is past the limits is not kept.
  void add(std::string_view name, std::string_view value);
  // An invalid field: a name or a value with characters that it must not have.
  void add_malformed() { refuse({400, "bad header"}); }

  struct Outcome {
    std::optional<Refusal> refusal;
    bool expects_continue = false;
  };
  // All fields have come. `ends` where no body follows.
  Outcome conclude(bool ends);

  const RequestHead& head() const { return head_; }
  RequestHead& head() { return head_; }

 private:
  void refuse(Refusal refusal);
  void add_pseudo(std::string_view name, std::string_view value);
  void add_cookie(std::string_view value);
  void check_host();
  void check_length();
  void check_target();

  const HeadLimits limits_;
  RequestHead head_;
  std::optional<std::string> authority_;
  std::string scheme_;
  std::optional<std::size_t> cookie_;  // which of the headers it is
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  std::optional<Refusal> refusal_;  // the first that was found
};

}  // namespace cordon::transport::http
