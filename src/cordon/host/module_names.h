#pragma once

// Which module an import means. A program reaches only the modules that it was given.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/host/module_folder.h"
#include "cordon/js/import_kind.h"
#include "cordon/result.h"

namespace cordon::host {

using ModuleTexts = std::map<std::string, std::string, std::less<>>;

struct ModuleSources {
  const ModuleTexts& texts;
  const ModuleFolder& folder;          // for relative specifiers that match none of the texts
  const ModuleTexts* saved = nullptr;  // tried last: the modules of an image
};

// `specifier` as imported from the module `base`: "./b.js" in "lib/a.js" is "lib/b.js". The error
// lists what exists.
Result<std::string> resolve_module(const ModuleSources& sources, std::string_view base,
                                   std::string_view specifier,
                                   js::ImportKind kind = js::ImportKind::module);

// The same, without the list: the error says why only where there is more to say than that there is
// no such module.
Result<std::string> locate_module(const ModuleSources& sources, std::string_view base,
                                  std::string_view specifier, js::ImportKind kind);

// Up to `max` of those that exist: "./a.js".
std::vector<std::string> some_modules(const ModuleSources& sources, std::size_t max,
                                      js::ImportKind kind = js::ImportKind::module);

// What is behind a name that resolve_module gave: bytes as they are, and anything else as UTF-8
// without a byte order mark.
Result<std::string> load_module(const ModuleSources& sources, std::string_view name,
                                std::size_t max_bytes,
                                js::ImportKind kind = js::ImportKind::module);

}  // namespace cordon::host
