#pragma once

// Which keys of a Map and elements of a Set are the same one to JavaScript: equal primitives (NaN
// too, and -0 is 0), and objects only if they are one object.

#include <cstddef>
#include <cstdint>
#include <span>

#include "cordon/base/budget_allocator.h"
#include "cordon/value.h"

namespace cordon {

bool same_value_zero(ValueView a, ValueView b);

// Whether all of nodes[0], nodes[step], nodes[2 * step], … differ and none is -0. Takes linear
// time, and no memory if there are few. `budget` may be null.
bool are_distinct(std::span<const ValueView> nodes, std::size_t step, Budget* budget);

// Nodes by their value. Linear in time whatever they are.
class DistinctNodes {
 public:
  // `budget` may be null; otherwise it must outlive this object.
  DistinctNodes(std::size_t expected, Budget* budget);

  // The number that the node got when it was first added; the next one if it is new.
  std::size_t add(ValueView node) { return add(node, hash_of(node)); }
  // The same for a node whose hash is known and, better, whose slot was fetched a while ago.
  std::size_t add(ValueView node, std::uint64_t hash);
  void fetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  static std::uint64_t hash_of(ValueView node);

 private:
  BudgetVector<ValueView> nodes_;
  BudgetVector<std::uint64_t> slots_;  // the upper half of a hash, and a node's number plus one
};

}  // namespace cordon
