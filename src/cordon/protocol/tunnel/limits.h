#pragma once

// What a tunnel's parsers take at most. Those of bodies are the operator's.

#include <cstddef>
#include <cstdint>

namespace cordon::tunnel {

struct MultipartLimits {
  std::uint64_t file_bytes = 20'971'520;
  std::size_t files = 10;
  std::size_t fields = 100;
  std::uint64_t field_bytes = 1'048'576;
  std::size_t head_bytes = 16'384;     // the headers of one part
  std::size_t outside_bytes = 65'536;  // before the first part, and after the last one
};

// Of the ways to all files that a manifest names, in memory.
inline constexpr std::size_t max_file_path_bytes = std::size_t{8} << 20;
// Of `x-runner-context`: more than that is ignored.
inline constexpr std::size_t max_context_bytes = 65'536;
// Of an id in a path, decoded.
inline constexpr std::size_t most_id_bytes = 4096;

}  // namespace cordon::tunnel
