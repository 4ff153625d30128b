#pragma once

// MessagePack to Value.
//
// Integers become numbers if JavaScript's numbers hold them exactly, and bigints past that. bin
// becomes a Uint8Array, and a map with string keys an object.
// Strings are UTF-8 in which a lone surrogate may be written
// as three bytes, as JavaScript's encoders do. A length that the rest of the input cannot hold is
// refused before memory is reserved for it, and so are lengths whose sum exceeds the rest. Nesting
// takes no stack, and time and memory are linear in the input.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"

namespace cordon::msgpack {

// How integers beyond ±(2^53 - 1) are read.
enum class LargeIntegers : std::uint8_t {
  bigint,
  nearest_number,  // with loss, as the npm host of duplex-rpc reads them
};

// How a map is read if some key is not a string.
enum class OtherKeys : std::uint8_t {
  refused,
  map,   // the whole becomes a Map, in which equal keys are one
  text,  // numbers turn into strings, as the npm host of duplex-rpc reads them; the rest is refused
};

// How a map is read if a string key comes twice.
enum class DuplicateKeys : std::uint8_t {
  last_wins,  // the first sets the place, and the last sets the value
  refused,
};

enum class Extensions : std::uint8_t {
  refused,    // a duplex-rpc message may hold none
  timestamp,  // becomes a Date, cut to milliseconds; others are refused
};

// NaN and the infinities, which JSON does not have.
enum class NotFinite : std::uint8_t { kept, refused };

struct DecodeOptions {
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = 1000;  // arrays and maps within each other
  LargeIntegers large_integers = LargeIntegers::bigint;
  OtherKeys other_keys = OtherKeys::refused;
  DuplicateKeys duplicate_keys = DuplicateKeys::last_wins;
  Extensions extensions = Extensions::refused;
  NotFinite not_finite = NotFinite::kept;
  KeyOrder key_order =
      KeyOrder::insertion;  // `javascript`: keys such as "10" come first, ascending
  // Elements of arrays and entries of maps in all: as many as a value of a guest may have.
  std::size_t max_elements = std::size_t{8} << 20;
  // As in json::DecodeOptions.
  std::shared_ptr<Budget> budget = {};
};

// The input is one value and nothing after it. The error's message ends with the offset of the
// wrong byte, from 0; `failed_at`, if not null, gets that offset. Codes: malformed, truncated,
// invalid_utf8, unsupported (an extension, a key or a number), too_deep, too_large.
Result<Value> decode(BytesView in, const DecodeOptions& options = {},
                     std::size_t* failed_at = nullptr);

}  // namespace cordon::msgpack
