#pragma once

// How a writer notices that a container contains itself.
//
// It walks depth first and always in the same order. So if it comes upon a container that it is
// inside of, it will go the same way from there again, and the containers that it is inside of
// repeat themselves for ever. Therefore (as in Brent's algorithm) each new one is compared with a
// single one of the others: that at the last position of the form 2^n - 1. The repetition is found
// a little later than it begins, and where it began is looked for only then.

#include <bit>
#include <cstddef>
#include <unordered_set>
#include <vector>

namespace cordon {

// Whether the container closes a cycle. `Frame` has a member `identity`, which may be nullptr.
template <class Frame>
bool closes_cycle(const std::vector<Frame>& open, const void* identity) {
  return !open.empty() && open[std::bit_floor(open.size()) - 1].identity == identity;
}

// The position of the first frame that is the same container as one before it; open.size() if there
// is none. A writer that fails in any way asks, since a cycle may be the true reason.
template <class Frame>
std::size_t first_repetition(const std::vector<Frame>& open) {
  std::unordered_set<const void*> known;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i].identity != nullptr && !known.insert(open[i].identity).second) return i;
  }
  return open.size();
}

}  // namespace cordon
