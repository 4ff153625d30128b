#pragma once

// From a place in a JSON document to its place in the text.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cordon::rich {

// A step into an object or an array.
struct PathStep {
  std::string key;        // the key, in an object
  std::size_t index = 0;  // the index, in an array, if `is_index`
  bool is_index = false;
};

// The offset of the value at the path. The text must be JSON and hold the path. If a key comes
// twice, the last one counts. Linear in the text.
std::size_t offset_of(std::string_view json, std::span<const PathStep> path);

}  // namespace cordon::rich
