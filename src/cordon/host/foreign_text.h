#pragma once

// Texts of other languages that are given for programs, such as Python, JSON and JSX. Their syntax
// errors name some word of theirs, and not what is wrong.

#include <cstddef>
#include <string_view>

namespace cordon::host {

// Where a text is no JavaScript. Lines may be cut.
struct WrongPlace {
  std::string_view lines_above = {};  // a few, with the newlines between them
  std::string_view line = {};
  std::size_t at = 0;  // bytes of it before the error

  std::string_view before() const { return line.substr(0, at); }
  std::string_view rest() const { return line.substr(at); }
};

// What to write instead. Empty if nothing of another language is seen. Python is looked for at the
// error only: a template may hold a line that looks like it.
std::string_view advice_on_foreign_text(std::string_view text, const WrongPlace& place);

}  // namespace cordon::host
