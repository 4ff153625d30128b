#pragma once

// JSON for a peer that has more kinds than JavaScript: integers of 64 bits, signed and unsigned,
// are exact, and bytes are written as {"$bytes":"BASE64"}. No other name has a meaning.

#include <string>
#include <string_view>

#include "cordon/codec/json/decode.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::json {

// Reads as decode() does, but integers past 2^53 that fit into 64 bits become bigints, and
// {"$bytes":"…"} becomes a Uint8Array. Text in $bytes that is not base64 is malformed.
Result<Value> decode_plain(std::string_view text, const DecodeOptions& options = {});

// Writes what duplex-rpc can carry. Undefined becomes null. Codes: serialization_error, too_deep.
Result<std::string> encode_plain(const ValueView& value, std::size_t max_depth = 1010);

}  // namespace cordon::json
