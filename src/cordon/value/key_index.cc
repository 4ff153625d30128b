#include "cordon/value/key_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

namespace cordon {
namespace {

__extension__ using Wide = unsigned __int128;

struct Seed {
  std::uint64_t start;
  std::uint64_t factor;
};

const Seed& seed() {
  static const Seed made = [] {
    std::random_device device;
    const auto word = [&device] { return (std::uint64_t{device()} << 32) | device(); };
    return Seed{word(), word() | 1};
  }();
  return made;
}

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

// Multiplies and folds word by word. Both operands are secret.
std::uint64_t hash_of_key(std::string_view key) {
  const auto [start, factor] = seed();
  std::uint64_t hash = start ^ (key.size() * factor);
  std::uint64_t word = 0;
  while (key.size() > sizeof word) {
    std::memcpy(&word, key.data(), sizeof word);
    hash = fold(hash ^ word, factor) + start;
    key.remove_prefix(sizeof word);
  }
  word = 0;
  // A caller's empty key may be a null pointer.
  if (!key.empty()) std::memcpy(&word, key.data(), key.size());
  hash = fold(hash ^ word, factor);
  return fold(hash ^ start, factor);
}

namespace {

// A slot is 0 if it is empty. Otherwise its upper half is that of the key's hash, which spares most
// comparisons of keys, and its lower half is the member's position plus one. Counts are below 2^32,
// so a position fits. At most two thirds of the slots are used, and nothing is ever removed: so
// each search ends at an empty slot, and the first empty slot on the way means that the key is not
// there.
class Slots {
 public:
  Slots(std::size_t count, Arena& arena)
      // At most two thirds full.
      : size_(std::bit_ceil(count + count / 2)),
        slots_(arena.allocate_array<std::uint64_t>(size_)) {
    std::memset(slots_, 0, size_ * sizeof *slots_);
  }

  // The position of the member with this key, or `fresh` after entering it there.
  std::size_t enter(const Member* members, std::string_view key, std::uint64_t hash,
                    std::size_t fresh) {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      std::uint64_t& slot = slots_[at];
      if (slot == 0) {
        slot = (hash & upper_half) | (fresh + 1);
        return fresh;
      }
      if ((slot & upper_half) == (hash & upper_half)) {
        const std::size_t position = (slot & ~upper_half) - 1;
        if (members[position].key() == key) return position;
      }
    }
  }

  void fetch(std::uint64_t hash) const { __builtin_prefetch(slots_ + (hash & mask()), 1); }

  void hand_to(detail::MembersBody& body) const {
    body.slots = slots_;
    body.slot_mask = static_cast<std::uint32_t>(mask());
  }

  static constexpr std::uint64_t upper_half = 0xffffffff00000000;

 private:
  std::size_t mask() const { return size_ - 1; }

  std::size_t size_;
  std::uint64_t* slots_;
};

// Calls visit(i, hash) for each member. The slots of a large table are not in the cache, so those
// of a batch are asked for before the first of them is used: their waits overlap.
template <class Visit>
void for_each_key(const Member* members, std::size_t count, const Slots& slots, Visit visit) {
  constexpr std::size_t batch = 32;
  std::uint64_t hashes[batch];
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t size = std::min(batch, count - first);
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = hash_of_key(members[first + i].key());
      slots.fetch(hashes[i]);
    }
    for (std::size_t i = 0; i < size; ++i) visit(first + i, hashes[i]);
  }
}

std::size_t drop_few_duplicates(Member* members, std::size_t count) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = members[i].key();
    std::size_t same = 0;
    while (same < kept && members[same].key() != key) ++same;
    if (same == kept) {
      if (kept != i) members[kept] = members[i];
      ++kept;
    } else {
      members[same].value = members[i].value;
    }
  }
  return kept;
}

}  // namespace

std::size_t drop_duplicate_keys(Member* members, std::size_t count, Arena& arena,
                                detail::MembersBody& body) {
  if (count <= max_unindexed_object) return drop_few_duplicates(members, count);
  Slots slots(count, arena);
  std::size_t kept = 0;
  for_each_key(members, count, slots, [&](std::size_t i, std::uint64_t hash) {
    const std::size_t position = slots.enter(members, members[i].key(), hash, kept);
    if (position == kept) {
      if (kept != i) members[kept] = members[i];
      ++kept;
    } else {
      members[position].value = members[i].value;
    }
  });
  slots.hand_to(body);
  return kept;
}

void index_keys(const Member* members, std::size_t count, Arena& arena, detail::MembersBody& body) {
  if (count <= max_unindexed_object) return;
  Slots slots(count, arena);
  for_each_key(members, count, slots, [&](std::size_t i, std::uint64_t hash) {
    slots.enter(members, members[i].key(), hash, i);
  });
  slots.hand_to(body);
}

std::size_t find_key(const detail::MembersBody& body, std::string_view key) {
  if (body.slots == nullptr) {
    std::size_t position = 0;
    while (position < body.size && body.members[position].key() != key) ++position;
    return position;
  }
  const std::uint64_t hash = hash_of_key(key);
  for (std::size_t at = hash & body.slot_mask;; at = (at + 1) & body.slot_mask) {
    const std::uint64_t slot = body.slots[at];
    if (slot == 0) return body.size;
    if ((slot & Slots::upper_half) == (hash & Slots::upper_half)) {
      const std::size_t position = (slot & ~Slots::upper_half) - 1;
      if (body.members[position].key() == key) return position;
    }
  }
}

}  // namespace cordon
