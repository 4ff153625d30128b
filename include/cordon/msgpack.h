#pragma once

// MessagePack to Value and back.
//
//   Result<Bytes> bytes = to_msgpack(Value::array({1, "two"}));
//   Result<Value> list = from_msgpack(*bytes);

#include "cordon/needs_cxx23.h"

#include "cordon/bytes.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

// Reads up to 64 MiB and 1000 levels. Integers past 2^53 become bigints, bin becomes a Uint8Array,
// a timestamp a Date, and numbers among a map's keys become text. The error tells the reason and
// the byte.
CORDON_API Result<Value> from_msgpack(BytesView bytes);

// Writes each integer and length in its shortest form. Fails for what MessagePack has no form for:
// larger bigints, symbols, Sets, Errors, RegExps, URLs, cycles.
CORDON_API Result<Bytes> to_msgpack(const ValueView& value);

}  // namespace cordon
