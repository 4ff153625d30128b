#include "cordon/types/alias_names.h"

#include "cordon/tools/safe_name.h"

namespace cordon::types {

std::string AliasNames::take(std::string_view like) {
  constexpr std::size_t max_bytes = 80;
  std::string name = tools::identifier_like(like.substr(0, max_bytes));
  if (name.front() >= 'a' && name.front() <= 'z') name.front() -= 'a' - 'A';
  std::string unique = name;
  for (int i = 2; !taken_.insert(unique).second; ++i) unique = name + "__" + std::to_string(i);
  return unique;
}

}  // namespace cordon::types
