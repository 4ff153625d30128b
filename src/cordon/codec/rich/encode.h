#pragma once

// Value to Runner text; see serializer.h.

#include <string>

#include "cordon/codec/rich/registry.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::rich {

Result<> encode_tree(std::string& out, ValueView value, const Registry& registry,
                     const Options& options, std::size_t max_bytes);
Result<> encode_graph(std::string& out, ValueView value, const Registry& registry,
                      const Options& options, std::size_t max_bytes);

}  // namespace cordon::rich
