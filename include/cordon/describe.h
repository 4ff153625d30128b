#pragma once

// What a failed program's author should read: the message, the lines around the place, the hint.
//
//   std::cout << describe(wrong.error) << '\n';

#include "cordon/needs_cxx23.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cordon/execution.h"
#include "cordon/export.h"

namespace cordon {

// No description is longer, in UTF-16 units (and so in characters): a model pays for each.
inline constexpr std::size_t max_description_units = 2000;

enum class TextPart : std::uint8_t {
  plain,
  error_label,
  code,
  margin,  // left of a line of the program
  caret,
  hint_label,
  stack,
};
// What stands for a part, such as the text in a colour. It does not count towards the limit.
using TextStyle = std::function<std::string(TextPart part, std::string_view text)>;

// UTF-8 without a line break at its end. Control characters are made visible, and lines after the
// first begin with blanks, so nothing in it can be taken for another error. If there is too much,
// the stack is the first to be left out, then the middle of the message.
CORDON_API std::string describe(const ExecutionError& error, const TextStyle& style = {});

// One line: the message and the place.
CORDON_API std::string describe(const Warning& warning);

}  // namespace cordon
