#pragma once

// Whether a value with shared nodes, written as a tree, must pass a limit. A few nodes that each
// hold the next one twice make more text than any memory holds. It would be a waste to write all of
// it up to the limit before giving up.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cordon/value.h"

namespace cordon {

enum class MapsAndSets : std::uint8_t {
  written,
  empty,  // as in JSON: {}
};

// A writer asks when it has written this much, which few ever do.
inline constexpr std::size_t ask_about_expansion_bytes = std::size_t{16} << 20;

// How often containers are written as a tree, and how many there are; and about how much text a
// tree and a graph of them are.
struct Expansion {
  std::uint64_t written = 0;
  std::uint64_t distinct = 0;
  std::uint64_t tree_bytes = 0;
  std::uint64_t graph_bytes = 0;
};

// Nothing if there are very many containers, or a cycle. Each is looked at once.
std::optional<Expansion> expansion_of(ValueView root, MapsAndSets maps_and_sets);

// Whether at most this many nodes are written, with at most this many bytes in their texts. Looks
// at no more than that.
bool is_short(ValueView root, std::size_t max_nodes, std::size_t max_bytes);

// True only if the text is longer than `max_bytes` for sure: it takes a byte for each time that a
// container is written. Each container is looked at once. Returns false if there are too many of
// them, or a cycle.
bool must_expand_past(ValueView root, std::size_t max_bytes, MapsAndSets maps_and_sets);

}  // namespace cordon
