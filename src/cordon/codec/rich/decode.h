#pragma once

// Runner text to Value; see serializer.h.

#include <memory>
#include <string_view>

#include "cordon/base/budget.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::rich {

// `budget` as in json::DecodeOptions; `regexps` as in ParseOptions.
Result<Value> decode(std::string_view text, const Registry& registry, const Options& options,
                     json::Position* failed_at, const std::shared_ptr<Budget>& budget = {},
                     const RegExpOracle* regexps = nullptr);

// Only the exact way, which `decode` uses if the quick one is not sure. Both give the same value;
// tests compare them.
Result<Value> decode_exactly(std::string_view text, const Registry& registry,
                             const Options& options, json::Position* failed_at,
                             const std::shared_ptr<Budget>& budget = {},
                             const RegExpOracle* regexps = nullptr);

}  // namespace cordon::rich
