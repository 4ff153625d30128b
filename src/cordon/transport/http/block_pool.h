#pragma once

// Room to read into, lent to connections while they have something to read. A thread's own.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cordon::transport::http {

struct Block {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size = 0;

  std::span<std::uint8_t> room() const { return {bytes.get(), size}; }
  explicit operator bool() const { return bytes != nullptr; }
};

class BlockPool {
 public:
  // Most requests fit into a small one; a large one holds any head, and much of a body.
  static constexpr std::size_t small_bytes = 8'192;
  static constexpr std::size_t least_large_bytes = 131'072;

  explicit BlockPool(std::size_t head_bytes)
      : large_bytes_(std::max(least_large_bytes, head_bytes + small_bytes)) {}

  Block take_small() { return take(small_, small_bytes); }
  Block take_large() { return take(large_, large_bytes_); }
  void give(Block block) {
    const bool is_small = block.size == small_bytes;
    std::vector<Block>& kept = is_small ? small_ : large_;
    if (block && kept.size() < (is_small ? max_small : max_large)) kept.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t max_small = 64;
  static constexpr std::size_t max_large = 16;

  static Block take(std::vector<Block>& kept, std::size_t size) {
    if (kept.empty())
      return {.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(size), .size = size};
    Block block = std::move(kept.back());
    kept.pop_back();
    return block;
  }

  const std::size_t large_bytes_;
  std::vector<Block> small_;
  std::vector<Block> large_;
};

}  // namespace cordon::transport::http
