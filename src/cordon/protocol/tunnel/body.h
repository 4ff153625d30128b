#pragma once

// Bodies of requests, and which of the modes they come in.

#include <cstdint>
#include <string_view>

#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::tunnel {

enum class BodyMode : std::uint8_t { json, multipart, octet_stream };

// By the header Content-Type, which may be empty. Anything else is JSON.
BodyMode mode_of(std::string_view content_type);

// The input of a task: the member `input` of an object, or all of any other value. No body is
// undefined. Fails where the text is not what the serializer writes, or past what it may cost.
Result<Value> task_input(const rich::Serializer& serializer, std::string_view text,
                         const rich::ParseOptions& options = {});

struct EventBody {
  Value payload = {};
  bool returns_payload = false;
};
Result<EventBody> event_body(const rich::Serializer& serializer, std::string_view text,
                             const rich::ParseOptions& options = {});

// As JavaScript's `!!value`.
bool is_truthy(const ValueView& value);

}  // namespace cordon::tunnel
