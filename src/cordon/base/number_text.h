#pragma once

// Numbers as JavaScript writes them.

#include <array>
#include <string_view>

namespace cordon {

// Room for the longest: "-0.0000012345678901234567" and the like take 25.
using NumberBuffer = std::array<char, 32>;

// Exactly Number.prototype.toString(10): the shortest digits that read back as the same double,
// "NaN", "Infinity", "0" for -0. The view points into `buffer`.
std::string_view number_to_text(double number, NumberBuffer& buffer);

// The same into at least 32 bytes at `out`; returns the end.
char* write_number(double number, char* out);

}  // namespace cordon
