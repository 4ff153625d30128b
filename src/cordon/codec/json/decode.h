#pragma once

// JSON text to Value, as strictly as RFC 8259 and with JSON.parse's meaning.
//
// Numbers are the nearest double (1e400 is Infinity). If a key comes twice, the first sets the
// place and the last sets the value. "__proto__" is an ordinary key. \uD800 without its partner is
// kept as WTF-8. Raw bytes that are not UTF-8, a byte order mark and anything after the value are
// refused. Time and memory are linear in the text, whatever it holds, and nesting takes no stack.
//
// The parser is our own: simdjson 3.0 refuses lone surrogates and 1e400 and gives no position.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cordon/base/budget.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"

namespace cordon::json {

enum class Comments : std::uint8_t {
  refused,
  allowed,  // // and /* */ wherever blanks may stand: for configuration files
};

struct DecodeOptions {
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = 1000;  // arrays and objects within each other
  Comments comments = Comments::refused;
  KeyOrder key_order =
      KeyOrder::insertion;  // `javascript`: keys such as "10" come first, ascending
  // Pays for the value's memory, for as long as any of it is kept. Without one the limit is that of
  // Budget::for_message.
  std::shared_ptr<Budget> budget = {};
};

// Lines and columns count from 1, columns in code points; the offset counts bytes from 0.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t offset = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// The error's detail tells the reason and the position; `failed_at` gets the position, if it is
// wanted. Codes: malformed, truncated (the text ends too early), invalid_utf8, too_deep, too_large.
Result<Value> decode(std::string_view text, const DecodeOptions& options = {},
                     Position* failed_at = nullptr);

// Whether decode would succeed, with the same error. For text that is passed on as it is.
Result<> validate(std::string_view text, const DecodeOptions& options = {},
                  Position* failed_at = nullptr);

Position position_of(std::string_view text, std::size_t offset);

// An error that ends with the position of the offset, for codecs that add rules to JSON.
std::unexpected<Error> failure(std::string_view text, std::size_t offset, ErrorCode code,
                               std::string_view reason, Position* failed_at);

// The error of a decoder whose value does not fit into its budget.
std::unexpected<Error> over_budget(Position* failed_at);

}  // namespace cordon::json
