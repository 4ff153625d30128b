#pragma once

// The program in a Markdown text, as models write it: prose with the program in a code fence.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace cordon::host {

struct FencedProgram {
  std::string text;              // without the indentation of its fence
  std::uint32_t first_line = 1;  // the line of the whole text at which it begins
  std::string language = {};     // in lower case; empty if the fence names none
};

// Why it is not known which program is meant.
struct FenceRefusal {
  std::string message;
  std::uint32_t line = 1;  // of the fence that it is about
};

struct NoFence {};

using FenceChoice = std::variant<NoFence, FencedProgram, FenceRefusal>;

// The one fence of JavaScript or TypeScript, or the one fence that names no language.
FenceChoice choose_fence(std::string_view text);

// Whether a fence of the text cannot be part of a JavaScript program. In a program, fences may
// stand in comments or in templates.
bool is_surely_markdown(std::string_view text);

// Whether the text reads like prose.
bool is_prose(std::string_view text);

}  // namespace cordon::host
