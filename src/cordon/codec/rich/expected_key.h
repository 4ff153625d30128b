#pragma once

// Objects of one list mostly have the same keys: the next one is looked for where the object before
// had it, before it is read.

#include <cstddef>

#include "cordon/codec/json/parser.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

// Past the key that the shape of `open` has here, which is on the builder then; null where another
// key stands there, and from then on.
template <class Open>
const char* past_expected_key(ValueBuilder& builder, Open& open, const char* at, const char* end) {
  if (!open.as_expected) return nullptr;
  const std::size_t position = (builder.mark() - open.mark) / 2;
  if (position < open.count) {
    const ValueView name = open.shape()[position].name;
    if (const char* const after = json::past_key(at, end, name.as_string())) {
      builder.push(name);
      return after;
    }
  }
  open.as_expected = false;
  return nullptr;
}

}  // namespace cordon::rich
