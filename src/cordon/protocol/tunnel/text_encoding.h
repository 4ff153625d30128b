#pragma once

// Text of headers. Most peers write UTF-8 where they write more than ASCII, some Latin-1.

#include <string>
#include <string_view>

namespace cordon::tunnel {

// As UTF-8: as it is, or read as Latin-1 where it is no UTF-8.
std::string header_text(std::string_view raw);
std::string latin1_to_utf8(std::string_view raw);

}  // namespace cordon::tunnel
