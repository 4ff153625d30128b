#pragma once

// Which keys of a Map and elements of a Set are the same one to JavaScript: equal primitives (NaN
// too, and -0 is 0), and objects only if they are one object.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/value.h"

namespace cordon::rich {

bool same_value_zero(ValueView a, ValueView b);

// Whether all of nodes[0], nodes[step], nodes[2 * step], … differ and none is -0. Linear in time;
// a few need no memory.
bool are_distinct(std::span<const ValueView> nodes, std::size_t step);

// Nodes by their value. Linear in time whatever they are.
class DistinctNodes {
 public:
  explicit DistinctNodes(std::size_t expected);

  // The number that the node got when it was first added; the next one if it is new.
  std::size_t add(ValueView node);
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<ValueView> nodes_;
  std::vector<std::uint32_t> slots_;  // a node's number plus one
};

}  // namespace cordon::rich
