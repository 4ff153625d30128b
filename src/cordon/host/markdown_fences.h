#pragma once

// The code fences of a Markdown text. Fences inside of list items count, whatever their
// indentation.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cordon::host {

// All views are parts of the text.
struct MarkdownFence {
  std::string_view language = {};  // the first word behind the opening fence
  std::string_view text = {};      // the lines between the fences
  std::uint32_t line = 0;          // of the opening fence, from 1
  std::size_t begin = 0;           // of that line in the text
  std::size_t indent = 0;          // blanks before the opening fence
  char mark = '`';                 // or '~'
  bool is_closed = false;          // otherwise the text ends in it
};

// Up to `max` of them.
std::vector<MarkdownFence> fences_in(std::string_view text, std::size_t max);

}  // namespace cordon::host
