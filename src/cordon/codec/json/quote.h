#pragma once

// A string in quotes, as JSON.stringify writes it.

#include <string_view>

#include "cordon/codec/json/text_buffer.h"

namespace cordon::json {

// `text` must be well-formed WTF-8. False if the buffer's limit is passed.
[[nodiscard]] bool write_quoted(TextBuffer& out, std::string_view text);

}  // namespace cordon::json
