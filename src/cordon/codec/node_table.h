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
    if (3 * count_ >= 2 * buckets_.size()) grow();
    Bucket& bucket = bucket_of(identity);
    if (bucket.identity != nullptr) return {&bucket.value, false};
    bucket = {identity, fresh};
    ++count_;
    return {&bucket.value, true};
  }

  // Null where it has none.
  T* find(const void* identity) {
    Bucket& bucket = bucket_of(identity);
    return bucket.identity == nullptr ? nullptr : &bucket.value;
  }

  std::size_t size() const { return count_; }

 private:
  struct Bucket {
    const void* identity = nullptr;
    T value = {};
  };

  Bucket& bucket_of(const void* identity) {
    const std::size_t mask = buckets_.size() - 1;
    // Addresses differ in their middle bits.
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(identity) * 0x9e3779b97f4a7c15;
    for (std::size_t at = (hash >> 32) & mask;; at = (at + 1) & mask) {
      if (buckets_[at].identity == identity || buckets_[at].identity == nullptr)
        return buckets_[at];
    }
  }

  void grow() {
    const std::span<const Bucket> before = buckets_;
    // What `before` points into.
    const std::vector<Bucket> kept = std::exchange(heap_, std::vector<Bucket>(4 * before.size()));
    buckets_ = heap_;
    for (const Bucket& bucket : before) {
      if (bucket.identity != nullptr) bucket_of(bucket.identity) = bucket;
    }
  }

  std::array<Bucket, 16> inline_ = {};
  std::vector<Bucket> heap_ = {};
  std::span<Bucket> buckets_ = inline_;
  std::size_t count_ = 0;
};

}  // namespace cordon
