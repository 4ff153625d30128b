#pragma once

// JSON text to Value and back, as JSON.parse and JSON.stringify do it.
//
//   Result<Value> order = from_json(R"({"id": 7, "tags": ["new"]})");
//   Result<std::string> text = to_json(*order);

#include "cordon/needs_cxx23.h"

#include <string>
#include <string_view>

#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

// Reads up to 64 MiB and 1000 levels. The error tells the reason, the line and the column.
CORDON_API Result<Value> from_json(std::string_view text);

enum class JsonStyle { compact, pretty };

// Fails for what JSON cannot express: bigints, cycles, undefined.
CORDON_API Result<std::string> to_json(const ValueView& value,
                                       JsonStyle style = JsonStyle::compact);

}  // namespace cordon
