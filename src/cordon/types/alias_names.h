#pragma once

// The names of type aliases within one namespace.

#include <string>
#include <string_view>
#include <unordered_set>

namespace cordon::types {

class AliasNames {
 public:
  // A name like this one that is not taken: an identifier with a capital letter in front, so that
  // it is no word of TypeScript.
  std::string take(std::string_view like);

 private:
  // The types that declarations use themselves.
  std::unordered_set<std::string> taken_ = {"Promise", "Array"};
};

}  // namespace cordon::types
