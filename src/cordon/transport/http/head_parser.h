#pragma once

// The head of a request, out of bytes that may come in any pieces. It is strict: what two readers
// could take for two different requests is refused, so that nothing is smuggled past a proxy in
// front of this server or behind it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/refusal.h"

namespace cordon::transport::http {

struct HeadLimits {
  std::size_t bytes = 16'384;
  std::size_t count = 100;
};

// What of a head is the connection's business alone.
struct Framing {
  bool is_chunked = false;
  std::uint64_t length = 0;  // of a body that is not chunked
  bool keeps_alive = true;
  bool expects_continue = false;
};

class HeadParser {
 public:
  explicit HeadParser(const HeadLimits& limits) : limits_(limits) {}

  struct NeedsMore {};
  struct Whole {
    std::size_t size;  // of the head; what follows it is the body or the next request
    Framing framing;
  };
  using Outcome = std::variant<NeedsMore, Whole, Refusal>;

  // `input` is all that has come of the request, from its first byte; what was looked at in an
  // earlier call is not looked at again. A whole head is written to `head`, whose room is used
  // again: `peer` and `is_secure` are left as they are.
  Outcome parse(std::string_view input, RequestHead& head);
  // The next request begins.
  void reset() { scanned_ = searched_ = begin_ = first_line_end_ = 0; }

 private:
  const HeadLimits limits_;
  std::size_t begin_ = 0;  // of the request's line
  std::size_t first_line_end_ = 0;
  std::size_t scanned_ = 0;   // whole lines end here
  std::size_t searched_ = 0;  // and no other ends before here
};

// One line of headers or trailers, without its line end.
struct HeaderLine {
  std::string_view name;
  std::string_view value;
};
std::optional<HeaderLine> parse_header_line(std::string_view line);

}  // namespace cordon::transport::http
