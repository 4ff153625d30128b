#pragma once

// The tests that fail and may, each under a comment with the reason. The list only shrinks: a
// failure that it does not have is one, and so is an entry that passes.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cordon::test262 {

std::optional<std::string> read_file(const std::string& path);

// A list of words, one per line, with the text after " # " or of the comment above as the reason.
std::map<std::string, std::string> parse_list(std::string_view text);

struct Comparison {
  std::vector<std::string> new_failures = {};  // not in the list
  std::vector<std::string> to_remove = {};     // in the list, and pass now
  bool good() const { return new_failures.empty() && to_remove.empty(); }
};

// `ran` are the tests that were run, `failed` those of them that failed. What was not run is not
// compared.
Comparison compare(const std::set<std::string>& ran, const std::set<std::string>& failed,
                   const std::map<std::string, std::string>& known);

}  // namespace cordon::test262
