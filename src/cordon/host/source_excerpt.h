#pragma once

// A few lines of a program around a place in it, for people.

#include <cstdint>
#include <string_view>

#include "cordon/execution.h"

namespace cordon::host {

// `text` begins at line `first_line` of the program. The excerpt is empty if the place is not in
// it: a guest can name any place.
SourceExcerpt excerpt_of(std::string_view text, std::uint32_t first_line,
                         const SourceLocation& location);

}  // namespace cordon::host
