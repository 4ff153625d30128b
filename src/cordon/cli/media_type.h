#pragma once

// The media type of a file, by the end of its name.

#include <string_view>

namespace cordon::cli {

// "application/octet-stream" where the end says nothing. It may be a path, and its letters large.
std::string_view media_type_of(std::string_view file);

// The last part of a path: "c.txt" of "a/b/c.txt", and "b" of "a/b/".
std::string_view file_name_of(std::string_view path);

}  // namespace cordon::cli
