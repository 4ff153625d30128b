#pragma once

// What a tunnel's parsers take at most, beside what the operator says (BodyLimits).

#include <cstddef>

#include "cordon/tunnel_options.h"

namespace cordon::tunnel {

// The memory for the paths to all files that a manifest names.
inline constexpr std::size_t max_file_path_bytes = std::size_t{8} << 20;
// The size of `x-runner-context`; a larger one is ignored.
inline constexpr std::size_t max_context_bytes = 65'536;
// The size of an id in a path, decoded.
inline constexpr std::size_t max_id_bytes = 4096;

}  // namespace cordon::tunnel
