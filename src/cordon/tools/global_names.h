#pragma once

// Names that a program finds without anybody having to hand it something: a provider of such a name
// would take its place.

#include <string_view>

namespace cordon::tools {

// Whether the guest has a global of this name (`console`, `Object`, `input`), or programs written
// for other places look for one to find out where they are (`process`, `fetch`).
bool is_global_name(std::string_view name);

}  // namespace cordon::tools
