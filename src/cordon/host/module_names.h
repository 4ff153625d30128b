#pragma once

// Which module an import means. A program reaches the modules it was given and nothing else.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "cordon/result.h"

namespace cordon::host {

using ModuleTexts = std::map<std::string, std::string, std::less<>>;

// `specifier` as imported from the module `base`: "./b.js" in "lib/a.js" is "lib/b.js".
Result<std::string> resolve_module(const ModuleTexts& modules, std::string_view base,
                                   std::string_view specifier);

}  // namespace cordon::host
