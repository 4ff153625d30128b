#pragma once

// A program's text as people and models write it.

#include <cstdint>
#include <string_view>

namespace cordon::host {

struct SourceText {
  std::string_view text;
  std::uint32_t first_line = 1;    // the line of the input at which `text` begins
  std::string_view language = {};  // the language that its fence names
};

std::string_view without_byte_order_mark(std::string_view text);

// The text without a Markdown fence around it, whatever language the fence names, and without a
// byte order mark, which does not count as a column.
SourceText without_fence(std::string_view text);

}  // namespace cordon::host
