#pragma once

// Programs that surely are JavaScript as they stand.

#include <string_view>

namespace cordon::runners {

// True only if the text parses as the body of an async function, is not strict, and is no single
// expression that begins as a function does. It knows the part of the language in which most
// programs are written, so false says nothing. Takes linear time.
bool is_plain_program(std::string_view text);

}  // namespace cordon::runners
