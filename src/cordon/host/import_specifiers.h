#pragma once

// The imports that can be read off a text without running it. They are looked for, not parsed: a
// comment or a string that looks like an import is taken for one.

#include <cstddef>
#include <string_view>
#include <vector>

namespace cordon::host {

struct ImportSpecifiers {
  std::vector<std::string_view> names = {};  // parts of the text
  bool has_computed = false;  // an `import(…)` of which only running it tells what it means
};

// Not more than `most` of them.
ImportSpecifiers import_specifiers(std::string_view text, std::size_t most);

}  // namespace cordon::host
