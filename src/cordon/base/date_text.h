#pragma once

// Dates as JavaScript writes them.

#include <array>
#include <string_view>

namespace cordon {

using DateBuffer = std::array<char, 28>;

// Date.prototype.toISOString: "2025-01-31T12:00:00.000Z", with a sign and six digits for years
// outside 0 to 9999. Empty for an invalid Date: NaN, or more than 8.64e15 ms from 1970. Points into
// `buffer`.
std::string_view date_to_text(double ms_since_epoch, DateBuffer& buffer);

}  // namespace cordon
