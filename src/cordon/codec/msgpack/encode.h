#pragma once

// Value to MessagePack, with the smallest form of each integer and length: the same bytes that npm
// @msgpack/msgpack writes for the same JavaScript value.
//
// Whole numbers within ±(2^53 - 1) are integers (-0 is 0), other numbers are float64. Bigints that
// fit 64 bits are integers too. Undefined and holes are nil, all kinds of bytes are bin, a Map is a
// map whose keys may be anything. Shared nodes are written each time they are met.

#include <cstddef>
#include <cstdint>

#include "cordon/bytes.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::msgpack {

struct EncodeOptions {
  std::size_t max_bytes = std::size_t{256} << 20;
  std::size_t max_depth = 1000;
  Extensions extensions = Extensions::refused;  // `timestamp` lets Dates through
  NotFinite not_finite = NotFinite::kept;
};

// Errors name the place, as `a.b[1]`. Codes: serialization_error (a larger bigint, a symbol, a Set,
// an Error, …: what MessagePack has no form for), cyclic, too_deep, too_large.
Result<Bytes> encode(const ValueView& value, const EncodeOptions& options = {});

// Appends the same to `out`, whose old content does not count against the limit. After a failure
// `out` is as before.
Result<> encode_to(Bytes& out, const ValueView& value, const EncodeOptions& options = {});

}  // namespace cordon::msgpack
