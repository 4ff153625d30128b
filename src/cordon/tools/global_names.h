#pragma once

// Names that a program finds without anybody having to hand it something: a provider of such a name
// would take its place.

#include <string_view>

namespace cordon::tools {

// Whether the guest has a global of this name: `console`, `Object`, `input`.
bool is_guest_global(std::string_view name);

}  // namespace cordon::tools
