#pragma once

// Makes names that a guest can write from any text. Every provider names its tools by this rule,
// wherever they come from.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cordon::tools {

// Runs of other characters become `_`, underscores at the edges are dropped, a leading digit gets
// one in front, and reserved words get one behind. An empty name becomes `_`.
std::string identifier_like(std::string_view text);

// The same, where the guest's globals get one behind too: a program that takes a provider apart,
// as `const { console_ } = remote`, keeps its `console`.
std::string safe_name(std::string_view text);

// The safe names of one provider: the second text that comes to `name` is `name__2`, and so on.
class SafeNames {
 public:
  std::string take(std::string_view text);
  // The same for a name that is an identifier already.
  std::string take_identifier(const std::string& name);
  // What take() would return.
  std::string next(std::string_view text) const;

 private:
  // The number that was given last to each name, so that thousands of equal texts cost no more
  // than as many different ones.
  std::unordered_map<std::string, std::size_t> last_;
};

bool is_identifier(std::string_view text);

}  // namespace cordon::tools
