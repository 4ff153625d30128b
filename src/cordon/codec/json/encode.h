#pragma once

// Value to JSON text: what JSON.stringify prints of the same JavaScript value.
//
// Numbers are written as JavaScript does, NaN and the infinities as null, -0 as 0, a lone surrogate
// as its escape \ud800. Members that are undefined or symbols are left out; as elements they are
// null. A Date is its ISO string, a URL its text, a Buffer {"type":"Buffer","data":[…]}, a typed
// array an object of its indices, an Error its custom fields, and a Map, a Set or anything else
// without members {}. Shared nodes are written each time they are met.

#include <cstddef>
#include <cstdint>
#include <string>

#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"

namespace cordon::json {

// Whether an Error's name is among its members. `error.name = "x"` makes it one, and readers of
// other formats do that. A name that comes from the class does not count.
enum class ErrorNames : std::uint8_t {
  left_out,
  written,
};

struct EncodeOptions {
  std::size_t indent = 0;  // spaces per level; 0 is compact, 2 is JSON.stringify(value, null, 2)
  std::size_t max_bytes = std::size_t{256} << 20;
  std::size_t max_depth = 1000;
  KeyOrder key_order =
      KeyOrder::insertion;  // `javascript`: keys such as "10" come first, ascending
  ErrorNames error_names = ErrorNames::left_out;
};

// Errors name the place, as `a.b[1]`. Codes: serialization_error (a bigint, or undefined or a
// symbol that is not inside anything), cyclic, too_deep, too_large.
Result<std::string> encode(const ValueView& value, const EncodeOptions& options = {});

// Appends the same to `out`, whose old content does not count against the limit. After a failure
// `out` is as before.
Result<> encode_to(std::string& out, const ValueView& value, const EncodeOptions& options = {});

}  // namespace cordon::json
