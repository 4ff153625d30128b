#pragma once

// JSON as people write it for a peer that has more kinds than JavaScript: integers are exact over
// 64 bits, on either side of zero, and bytes stand as {"$bytes":"BASE64"}. No other name means
// anything.

#include <string>
#include <string_view>

#include "cordon/codec/json/decode.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::json {

// Integers past 2^53 that fit 64 bits are bigints, {"$bytes":"…"} a Uint8Array. As decode else;
// text in $bytes that is no base64 is a syntax error.
Result<Value> decode_plain(std::string_view text, const DecodeOptions& options = {});

// Of what duplex-rpc can carry. Undefined is null. Codes: not_serializable, too_deep.
Result<std::string> encode_plain(const ValueView& value, std::size_t max_depth = 1010);

}  // namespace cordon::json
