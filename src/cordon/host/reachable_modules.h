#pragma once

// The modules that a program and its imports lead to, by the names that they are resolved to: what
// goes along with it where it is to go on without the folder that it came from.

#include <string_view>

#include "cordon/host/module_names.h"

namespace cordon::host {

// `base` as in resolve_module. Where a specifier is computed, all that there is counts as reached.
// What is past 32 MiB or a few thousand imports stays behind.
ModuleTexts reachable_modules(const ModuleSources& sources, std::string_view base,
                              std::string_view program);

}  // namespace cordon::host
