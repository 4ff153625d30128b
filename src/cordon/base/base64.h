#pragma once

// Base64 by RFC 4648.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/bytes.h"

namespace cordon {

std::string to_base64(BytesView bytes);
// Returns nothing if the text is not base64. Padding may be missing, but must not be wrong.
std::optional<Bytes> from_base64(std::string_view text);

// The same with - and _ for + and /, and without padding, as in tokens. Each text has one meaning,
// and each sequence of bytes one text.
std::string to_base64url(BytesView bytes);
std::optional<Bytes> from_base64url(std::string_view text);

}  // namespace cordon
