#pragma once

// What a test of test262 says about itself: the YAML between /*--- and ---*/, of which the suite
// uses a small part (its INTERPRETING.md).

#include <string>
#include <string_view>
#include <vector>

namespace cordon::test262 {

struct FrontMatter {
  std::vector<std::string> flags = {};
  std::vector<std::string> includes = {};
  std::vector<std::string> features = {};
  std::string negative_phase = {};  // "parse", "resolution", "runtime", or empty: it must not fail
  std::string negative_type = {};   // the name of the error

  bool has_flag(std::string_view flag) const;
  bool is_negative() const { return !negative_type.empty(); }
};

FrontMatter parse_front_matter(std::string_view text);

}  // namespace cordon::test262
