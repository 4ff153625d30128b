#pragma once

// MessagePack to Value.
//
// Integers are numbers where JavaScript's hold them exactly and bigints past that, bin is a
// Uint8Array, a map with string keys is an object. Strings are UTF-8 in which a lone surrogate may
// stand as its three bytes, as JavaScript's encoders write it. A length that the rest of the input
// cannot hold is refused before anything is reserved for it, and so are lengths that together are
// more than the rest of it; nesting takes no stack, and time and memory are linear in the input.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/result.h"
#include "cordon/value.h"
#include "cordon/value/key_order.h"

namespace cordon::msgpack {

// What becomes of an integer past 2^53 - 1 on either side of zero.
enum class LargeIntegers : std::uint8_t {
  bigint,
  nearest_number,  // with loss, as the npm host of duplex-rpc reads them
};

// What becomes of a map in which a key is no string.
enum class OtherKeys : std::uint8_t {
  refused,
  map,   // all of it becomes a Map, whose equal keys are one
  text,  // numbers turn into strings, as the npm host of duplex-rpc reads them; the rest is refused
};

// What becomes of a map in which a string key stands twice.
enum class DuplicateKeys : std::uint8_t {
  last_wins,  // the first gives the place and the last the value
  refused,
};

enum class Extensions : std::uint8_t {
  refused,    // a duplex-rpc message may hold none
  timestamp,  // becomes a Date, cut to milliseconds; others are refused
};

// NaN and the infinities, which JSON has not.
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
  // Elements of arrays and entries of maps, in all: as many as a guest's own value may have.
  std::size_t max_elements = std::size_t{8} << 20;
  // As in json::DecodeOptions.
  std::shared_ptr<Budget> budget = {};
};

// The input is one value and nothing after it. The error's detail ends in the byte's offset, from
// 0, where it went wrong; `failed_at` gets that offset, if it is wanted. Codes: syntax, truncated,
// invalid_utf8, unsupported (an extension, a key or a number), too_deep, too_large.
Result<Value> decode(BytesView in, const DecodeOptions& options = {},
                     std::size_t* failed_at = nullptr);

}  // namespace cordon::msgpack
