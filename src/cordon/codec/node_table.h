#pragma once

// What is known about nodes, by their identity: an open table. Small ones need no memory of their
// own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cordon {

template <class T>
class NodeTable {
 public:
  NodeTable() = default;
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  struct Place {
    T* value;  // until the next one is added
    bool is_new;
  };

  // The node's value, which is `fresh` where it had none.
  Place find_or_add(const void* identity, T fresh) {
    if (3 * count_ >= 2 * slots_.size()) grow();
    Slot& slot = slot_of(identity);
    if (slot.identity != nullptr) return {&slot.value, false};
    slot = {identity, fresh};
    ++count_;
    return {&slot.value, true};
  }

  // Null where it has none.
  T* find(const void* identity) {
    Slot& slot = slot_of(identity);
    return slot.identity == nullptr ? nullptr : &slot.value;
  }

  std::size_t size() const { return count_; }

 private:
  struct Slot {
    const void* identity = nullptr;
    T value = {};
  };

  Slot& slot_of(const void* identity) {
    const std::size_t mask = slots_.size() - 1;
    // Addresses differ in their middle bits.
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(identity) * 0x9e3779b97f4a7c15;
    for (std::size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
      if (slots_[at].identity == identity || slots_[at].identity == nullptr) return slots_[at];
    }
  }

  void grow() {
    const std::span<const Slot> before = slots_;
    // What `before` points into.
    const std::vector<Slot> kept = std::exchange(heap_, std::vector<Slot>(4 * before.size()));
    slots_ = heap_;
    for (const Slot& slot : before) {
      if (slot.identity != nullptr) slot_of(slot.identity) = slot;
    }
  }

  std::array<Slot, 16> inline_ = {};
  std::vector<Slot> heap_ = {};
  std::span<Slot> slots_ = inline_;
  std::size_t count_ = 0;
};

}  // namespace cordon
