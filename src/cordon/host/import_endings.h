#pragma once

// Which files of a folder a program may import, by the endings of their names. The lists are
// closed: what is not in them may be a secret, such as a key, a log or a database. Neither can a
// file be imported as text or bytes whose name has a word such as `token` in it.

#include <string>
#include <string_view>

#include "cordon/js/import_kind.h"

namespace cordon::host {

bool may_import(std::string_view name, js::ImportKind kind);

// For a name that may not be imported so: why, and how it may be imported if there is a way.
std::string why_not_import(std::string_view name, js::ImportKind kind);

// Whether the name is that of a script, which may import others.
bool is_script_name(std::string_view name);
// Whether the name is that of a file which is only imported as text or bytes.
bool is_data_name(std::string_view name);

}  // namespace cordon::host
