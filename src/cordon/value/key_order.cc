#include "cordon/value/key_order.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace cordon {
namespace {

struct Indexed {
  std::uint32_t index;
  Member member;
};

constexpr std::size_t smallest_radix_sort = 64;

void insertion_sort(std::vector<Indexed>& indexed) {
  for (std::size_t i = 1; i < indexed.size(); ++i) {
    const Indexed moved = indexed[i];
    std::size_t place = i;
    for (; place > 0 && indexed[place - 1].index > moved.index; --place) {
      indexed[place] = indexed[place - 1];
    }
    indexed[place] = moved;
  }
}

// Sorts by eight bits at a time, from the lowest on. Each pass is stable, and passes whose bits are
// all alike are skipped.
void radix_sort(std::vector<Indexed>& indexed) {
  std::vector<Indexed> other(indexed.size());
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto digit = [shift](const Indexed& each) { return (each.index >> shift) & 0xff; };
    std::array<std::size_t, 256> places{};
    for (const Indexed& each : indexed) ++places[digit(each)];
    if (std::ranges::find(places, indexed.size()) != places.end()) continue;
    std::size_t place = 0;
    for (std::size_t& count : places) place += std::exchange(count, place);
    for (const Indexed& each : indexed) other[places[digit(each)]++] = each;
    indexed.swap(other);
  }
}

}  // namespace

std::optional<std::uint32_t> index_of_key(std::string_view key) {
  constexpr std::size_t max_digits = 10;
  constexpr std::uint64_t max_index = 0xfffffffe;
  if (key.empty() || key.size() > max_digits || (key[0] == '0' && key.size() > 1)) return {};
  std::uint64_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return {};
    index = index * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (index > max_index) return {};
  return static_cast<std::uint32_t>(index);
}

bool is_in_javascript_order(std::span<const Member> members) {
  std::optional<std::uint32_t> last;
  bool only_indices = true;
  for (const Member& member : members) {
    const std::string_view key = member.key();
    const auto index = may_be_index(key) ? index_of_key(key) : std::nullopt;
    if (!index) {
      only_indices = false;
      continue;
    }
    if (!only_indices || (last && *index < *last)) return false;
    last = index;
  }
  return true;
}

void put_in_javascript_order(std::span<Member> members) {
  if (is_in_javascript_order(members)) return;
  std::vector<Indexed> indexed;
  // From the end on, each other member moves back by the number of indices behind it.
  std::size_t place = members.size();
  for (std::size_t i = members.size(); i-- > 0;) {
    const auto index = index_of_key(members[i].key());
    if (index) {
      indexed.push_back({*index, members[i]});
    } else {
      members[--place] = members[i];
    }
  }
  std::ranges::reverse(indexed);
  if (indexed.size() < smallest_radix_sort) {
    insertion_sort(indexed);
  } else {
    radix_sort(indexed);
  }
  for (std::size_t i = 0; i < indexed.size(); ++i) members[i] = indexed[i].member;
}

}  // namespace cordon
