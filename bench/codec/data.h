#pragma once

// The values that all codecs are measured with; the same ones for Cordon and for Node.

#include <cstddef>

#include "cordon/value.h"

namespace cordon::bench {

// Numbers, short strings, a flag, a small list: about so many bytes of JSON.
Value plain_rows(std::size_t bytes);

// Dates, Maps, Sets and BigInts: about so many bytes of Runner text.
Value typed_rows(std::size_t bytes);

// A list of so many objects that refer to themselves and to ones before them.
Value shared_nodes(std::size_t count);

}  // namespace cordon::bench
