#pragma once

// A program's text as people and models hand it in.

#include <cstdint>
#include <string_view>

namespace cordon::host {

struct SourceText {
  std::string_view text;
  std::uint32_t first_line = 1;    // of `text` in what was handed in
  std::string_view language = {};  // what its fence says
};

// Without the Markdown fence around it, if there is one, whatever language it names, and without a
// byte order mark, which nobody counts as a column.
SourceText without_fence(std::string_view text);

}  // namespace cordon::host
