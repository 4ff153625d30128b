#pragma once

// Bodies of answers: the envelope, written with the Runner serializer.

#include <span>
#include <string>
#include <string_view>

#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

// {"ok":true,"result":…}, as a tree, or as a graph where the result contains itself. Undefined is
// written as its typed record: clients miss the key otherwise.
Result<std::string> result_text(const rich::Serializer& serializer, const Value& result);

// {"ok":true}
std::string_view event_text();

// {"ok":false,"error":{"message":…,"code":…}}
std::string refusal_text(const Refusal& refusal);

// An error with a name and data of its own. Data that cannot be written is left out.
std::string typed_error_text(const rich::Serializer& serializer, std::string_view id,
                             std::string_view message, const Value& data);

// What `discovery` answers.
std::string discovery_text(bool enabled, std::span<const std::string> tasks,
                           std::span<const std::string> events);

}  // namespace cordon::tunnel
