#pragma once

// Finds the imports in a text without running it. It searches and does not parse, so a comment or a
// string that looks like an import is taken for one.

#include <cstddef>
#include <string_view>
#include <vector>

namespace cordon::host {

struct ImportSpecifiers {
  std::vector<std::string_view> names = {};  // parts of the text
  bool has_computed = false;  // there is an `import(…)` whose name is only known at run time
  // There is 'text' or 'bytes' in it, in quotes: it may import files that are no modules.
  bool has_data = false;
};

// Returns at most `most` of them.
ImportSpecifiers import_specifiers(std::string_view text, std::size_t most);

}  // namespace cordon::host
