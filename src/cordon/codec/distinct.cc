#include "cordon/codec/distinct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cordon/value/key_index.h"

namespace cordon {
namespace {

constexpr std::size_t compared_plainly = 8;

bool is_negative_zero(ValueView node) {
  return node.is_number() && node.as_number() == 0 && std::signbit(node.as_number());
}

// Kinds of which each occurrence is an object of its own in JavaScript, though here they are equal
// by content.
bool is_always_new(ValueView node) {
  switch (node.kind()) {
    case Kind::date:
    case Kind::regexp:
    case Kind::url:
    case Kind::url_search_params:
      return true;
    default:
      return false;
  }
}

std::uint64_t mixed(std::uint64_t bits) {
  bits ^= bits >> 32;
  bits *= 0x9e3779b97f4a7c15;
  return bits ^ (bits >> 29);
}

}  // namespace

bool same_value_zero(ValueView a, ValueView b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::undefined:
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.as_bool() == b.as_bool();
    case Kind::number:
      return a.as_number() == b.as_number() ||
             (std::isnan(a.as_number()) && std::isnan(b.as_number()));
    case Kind::string:
      return a.as_string() == b.as_string();
    case Kind::bigint:
    case Kind::symbol:
      return a == b;
    default:
      return !is_always_new(a) && a.identity() == b.identity();
  }
}

bool are_distinct(std::span<const ValueView> nodes, std::size_t step, Budget* budget) {
  const std::size_t count = nodes.size() / step;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_negative_zero(nodes[i * step])) return false;
  }
  if (count <= compared_plainly) {
    for (std::size_t i = 1; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (same_value_zero(nodes[i * step], nodes[j * step])) return false;
      }
    }
    return true;
  }
  // Slots of a large table are not in the cache, so those of a batch are asked for together.
  constexpr std::size_t batch = 32;
  std::uint64_t hashes[batch];
  DistinctNodes distinct(count, budget);
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t size = std::min(batch, count - first);
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = DistinctNodes::hash_of(nodes[(first + i) * step]);
      distinct.fetch(hashes[i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (distinct.add(nodes[(first + i) * step], hashes[i]) != first + i) return false;
    }
  }
  return true;
}

DistinctNodes::DistinctNodes(std::size_t expected, Budget* budget)
    : nodes_(budget), slots_(std::bit_ceil(expected + expected / 2 + 1), budget) {
  nodes_.reserve(expected);
}

// Seeded where a peer chooses the content. Numbers are bits that it chooses as well, so they are
// hashed as text.
std::uint64_t DistinctNodes::hash_of(ValueView node) {
  switch (node.kind()) {
    case Kind::string:
      return hash_of_key(node.as_string());
    case Kind::bigint:
      return ~hash_of_key(node.bigint_text());
    case Kind::symbol:
      return hash_of_key(node.symbol_key()) + 1;
    case Kind::number: {
      const double number = node.as_number();
      const double normal =
          std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number + 0.0;
      const auto bits = std::bit_cast<std::uint64_t>(normal);
      return hash_of_key({reinterpret_cast<const char*>(&bits), sizeof bits});
    }
    case Kind::undefined:
    case Kind::null:
      return mixed(static_cast<std::uint64_t>(node.kind()) + 1);
    case Kind::boolean:
      return mixed(node.as_bool() ? 5 : 6);
    default:
      return mixed(reinterpret_cast<std::uintptr_t>(node.identity()));
  }
}

std::size_t DistinctNodes::add(ValueView node, std::uint64_t hash) {
  constexpr std::uint64_t upper_half = 0xffffffff00000000;
  const std::size_t number = nodes_.size();
  if (is_always_new(node)) {
    nodes_.push_back(node);
    return number;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const std::uint64_t slot = slots_[at];
    if (slot == 0) {
      slots_[at] = (hash & upper_half) | (number + 1);
      nodes_.push_back(node);
      return number;
    }
    if ((slot & upper_half) == (hash & upper_half)) {
      const std::size_t known = (slot & ~upper_half) - 1;
      if (same_value_zero(nodes_[known], node)) return known;
    }
  }
}

}  // namespace cordon
