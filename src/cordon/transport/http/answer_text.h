#pragma once

// The head of an answer as text, and answers that are text.

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/refusal.h"

namespace cordon::transport::http {

// "Not Found"; for an unknown status, the name of its class.
std::string_view reason_of(unsigned status);
// Whether answers of that status have a body; those of 204 and 304 have none.
bool has_body(unsigned status);

// The answer to a request that no handler sees.
ResponseHead refusal_head(unsigned status, std::vector<Header> headers);
std::string refusal_text(const Refusal& refusal);

// The value of `Date`, written anew when the second has changed. A thread's own.
class DateText {
 public:
  std::string_view now();

 private:
  std::time_t second_ = 0;
  char text_[32] = {};
  std::size_t size_ = 0;
};

struct AnswerFraming {
  std::optional<std::uint64_t> length = {};
  bool is_chunked = false;
  std::string_view connection = {};  // empty: nothing is said
};

// Appends the head with its empty line. Line ends in names and values become blanks: what a handler
// took from elsewhere does not become a header of its own.
void append_head(const ResponseHead& head, const AnswerFraming& framing, std::string_view date,
                 std::string& out);

}  // namespace cordon::transport::http
