#pragma once

// Raw bytes, owned and borrowed.

#include "cordon/needs_cxx23.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cordon {

using Bytes = std::vector<std::uint8_t>;
using BytesView = std::span<const std::uint8_t>;

}  // namespace cordon
