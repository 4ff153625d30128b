#pragma once

// Objects of one list mostly have the same keys. So each key is first compared with the one that
// the previous object had in its place.

#include <cstddef>

#include "cordon/codec/json/parser.h"
#include "cordon/value/value_builder.h"

namespace cordon::rich {

// If the next key is the one that the shape of `open` has here, pushes it on the builder and
// returns the place past it. Otherwise returns null, now and for the rest of the object.
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
