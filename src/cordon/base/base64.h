#pragma once

// Base64 by RFC 4648, with padding.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"

namespace cordon {

std::string to_base64(BytesView bytes);
// Returns nothing if the text is not base64. Padding may be missing, but must not be wrong.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace cordon
