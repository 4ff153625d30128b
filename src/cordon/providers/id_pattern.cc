#include "cordon/providers/id_pattern.h"

#include <algorithm>

namespace cordon::providers {

bool is_pattern(std::string_view text) { return text.contains('*'); }

// After a mismatch only the last `*` takes more: whatever an earlier one could take, that one can
// take too.
bool matches(std::string_view pattern, std::string_view id) {
  std::size_t in_pattern = 0;
  std::size_t in_id = 0;
  std::size_t after_star = std::string_view::npos;
  std::size_t taken = 0;  // where in the id the last `*` ends
  while (in_id < id.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      after_star = ++in_pattern;
      taken = in_id;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == id[in_id]) {
      ++in_pattern;
      ++in_id;
    } else if (after_star != std::string_view::npos) {
      in_pattern = after_star;
      in_id = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool matches_any(std::span<const std::string> patterns, std::string_view id) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return matches(pattern, id); });
}

}  // namespace cordon::providers
