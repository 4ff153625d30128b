#pragma once

// What the Runner serializer asks of a regular expression before it lets one in.

#include <string>
#include <string_view>

namespace cordon::rich {

// The heuristic against patterns that take exponential time. It reads the text alone: refused are a
// quantified group that has a quantifier anywhere inside ((a+)+, and (a+)? too), and a quantified
// group of which one alternative begins with another ((a|ab)*) or is empty. What lies in a
// character class or behind a backslash does not count. The original's rule, neither stricter nor
// laxer. Its time is near linear.
bool is_safe_regexp_pattern(std::string_view pattern);

// Each of dgimsuvy at most once.
bool are_regexp_flags(std::string_view flags);

// What `source` and `flags` of the RegExp made from these are.
std::string regexp_source_of(std::string_view pattern);
std::string sorted_regexp_flags(std::string_view flags);

}  // namespace cordon::rich
