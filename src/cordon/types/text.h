#pragma once

// Pieces of TypeScript's source text.

#include <cstddef>
#include <string>
#include <string_view>

namespace cordon::types {

// A string literal.
std::string quoted(std::string_view text);
// A number literal; `number` where there is none.
std::string number_literal(double number);
// The key of a property: bare where it is an identifier.
std::string property_key(std::string_view key);
// A doc comment with its line end, at this level of indentation. Empty for an empty text.
std::string doc_comment(std::string_view text, std::size_t level);
// The blanks of a level.
std::string indentation(std::size_t level);

}  // namespace cordon::types
