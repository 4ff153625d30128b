#pragma once

// Bodies of answers: the envelope, written with the Runner serializer.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

// Answers up to here are written as they come; larger ones are looked at before.
inline constexpr std::size_t max_quick_answer_bytes = 65'536;

// {"ok":true,"result":…}, as a tree, or as a graph where the result contains itself. Undefined is
// written as its typed record: clients miss the key otherwise. ErrorCode::too_large past
// `max_bytes`.
Result<std::string> result_text(const rich::Serializer& serializer, const Value& result,
                                std::size_t max_bytes = max_quick_answer_bytes);

// The same for a result that was too large for the first: as a graph also where the tree would be
// several times as large, since it would have every shared node as often as it is met.
Result<std::string> large_result_text(const rich::Serializer& serializer, const Value& result,
                                      std::size_t max_bytes);

// {"ok":true}
std::string_view event_text();

// {"ok":false,"error":{"message":…,"code":…}}
std::string refusal_text(const Refusal& refusal);

// An error with a name, data and a status of its own. Data that cannot be written is left out;
// ErrorCode::too_large where there is more than `max_bytes` of it, or of the name and message.
Result<std::string> typed_error_text(const rich::Serializer& serializer, std::string_view id,
                                     std::string_view message, const Value& data,
                                     std::size_t max_bytes = max_quick_answer_bytes,
                                     std::optional<unsigned> http_code = {});

// What `discovery` answers.
std::string discovery_text(bool enabled, std::span<const std::string> tasks,
                           std::span<const std::string> events);

}  // namespace cordon::tunnel
