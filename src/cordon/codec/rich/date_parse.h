#pragma once

// Dates as JavaScript reads them.

#include <string_view>

namespace cordon::rich {

// `new Date(text).getTime()` for the three formats that the language prescribes: that of
// toISOString (with its short forms), of toUTCString and of toString. NaN for anything else. A time
// without an offset counts as UTC.
double date_from_text(std::string_view text);

// The same for the one form that serializers write, "2025-01-31T12:00:00.000Z", and NaN for all
// others.
double date_from_full_iso_text(std::string_view text);

// `new Date(number).getTime()`: whole milliseconds, NaN past what a Date can hold.
double date_from_number(double number);

}  // namespace cordon::rich
