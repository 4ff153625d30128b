#pragma once

// Base64 as RFC 4648 has it, with padding.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"

namespace cordon {

std::string to_base64(BytesView bytes);
// Nothing for text that is not base64. Padding may be left out, but not be wrong.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace cordon
