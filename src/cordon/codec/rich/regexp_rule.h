#pragma once

// The rules of the Runner serializer for regular expressions.

#include <string>
#include <string_view>

namespace cordon::rich {

// The heuristic against patterns that take exponential time. It only reads the text. It refuses a
// quantified group with a quantifier anywhere inside ((a+)+, and (a+)? too), and a quantified group
// in which one alternative begins with another ((a|ab)*) or is empty. Character classes and escaped
// characters do not count. It is exactly the rule of the original, and takes nearly linear time.
bool is_safe_regexp_pattern(std::string_view pattern);

// Each of dgimsuvy at most once.
bool are_regexp_flags(std::string_view flags);

// The `source` and `flags` of the RegExp that is made from these.
std::string regexp_source_of(std::string_view pattern);
std::string sorted_regexp_flags(std::string_view flags);

}  // namespace cordon::rich
