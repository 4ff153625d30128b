#pragma once

// What has come of a body and was not read yet, in a block that is used round and round. Its owner
// never lets more in than fits: that is what a window is for.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "cordon/bytes.h"
#include "cordon/transport/http/block_pool.h"

namespace cordon::transport::http {

class ByteRing {
 public:
  bool has_room() const { return static_cast<bool>(block_); }
  std::size_t size() const { return size_; }
  std::size_t free() const { return block_.size - size_; }
  std::size_t capacity() const { return block_.size; }
  void use(Block block) { block_ = std::move(block); }
  // The same bytes in a larger block. What front() gave lies in the old one.
  Block grow(Block block) {
    const BytesView first = front();
    std::memcpy(block.bytes.get(), first.data(), first.size());
    std::memcpy(block.bytes.get() + first.size(), block_.bytes.get(), size_ - first.size());
    begin_ = 0;
    return std::exchange(block_, std::move(block));
  }
  // What is in it is gone.
  Block release() {
    begin_ = size_ = 0;
    return std::exchange(block_, {});
  }

  // There is room for them.
  void push(BytesView bytes) {
    const std::size_t end = (begin_ + size_) % block_.size;
    const std::size_t first = std::min(bytes.size(), block_.size - end);
    std::memcpy(block_.bytes.get() + end, bytes.data(), first);
    if (first < bytes.size())
      std::memcpy(block_.bytes.get(), bytes.data() + first, bytes.size() - first);
    size_ += bytes.size();
  }
  // The first that lie together; more may follow.
  BytesView front() const {
    return {block_.bytes.get() + begin_, std::min(size_, block_.size - begin_)};
  }
  void pop(std::size_t count) {
    size_ -= count;
    begin_ = size_ == 0 ? 0 : (begin_ + count) % block_.size;
  }

 private:
  Block block_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

}  // namespace cordon::transport::http
