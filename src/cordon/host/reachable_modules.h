#pragma once

// The modules that a program and its imports lead to, by their resolved names. They are saved with
// a program that is to resume without the folder that it came from.

#include <string_view>

#include "cordon/host/module_names.h"

namespace cordon::host {

// `base` as in resolve_module. If a specifier is computed, all modules count as reached, and in a
// text with 'text' or 'bytes' in it all files that may be imported. What exceeds 32 MiB or a few
// thousand imports is left out.
ModuleTexts reachable_modules(const ModuleSources& sources, std::string_view base,
                              std::string_view program);

}  // namespace cordon::host
