#pragma once

// Appends to a std::string through a pointer, with one comparison per piece instead of one per
// character.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace cordon::json {

class TextBuffer {
 public:
  // Appends to `out`, which is valid again after finish(). `max_bytes` limits what is appended.
  TextBuffer(std::string& out, std::size_t max_bytes)
      : out_(out), start_(out.size()), max_bytes_(max_bytes) {
    grow(256);
  }
  ~TextBuffer() { out_.resize(finished_ ? start_ + size() : start_); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  // Makes room for `bytes` more. False once the limit is passed; the text is then useless.
  [[nodiscard]] bool reserve(std::size_t bytes) {
    return static_cast<std::size_t>(end_ - cursor_) >= bytes ||
           (size() <= max_bytes_ && grow(bytes));
  }

  // Write only within the room that was reserved.
  char* cursor() const { return cursor_; }
  void advance_to(char* cursor) { cursor_ = cursor; }
  void put(char byte) { *cursor_++ = byte; }
  void put(std::string_view text) {
    std::memcpy(cursor_, text.data(), text.size());
    cursor_ += text.size();
  }

  std::size_t size() const { return static_cast<std::size_t>(cursor_ - out_.data()) - start_; }
  // Keeps what was written; false if it passes the limit.
  bool finish() { return finished_ = size() <= max_bytes_; }

 private:
  bool grow(std::size_t bytes) {
    const std::size_t used =
        cursor_ == nullptr ? out_.size() : static_cast<std::size_t>(cursor_ - out_.data());
    // Twice as much, but not far past the limit.
    const std::size_t most = start_ + max_bytes_ + bytes;
    const std::size_t wanted = std::max(used + bytes, std::min(out_.size() * 2, most));
    out_.resize_and_overwrite(wanted, [](char*, std::size_t size) { return size; });
    cursor_ = out_.data() + used;
    end_ = out_.data() + out_.size();
    return true;
  }

  std::string& out_;
  std::size_t start_;
  std::size_t max_bytes_;
  char* cursor_ = nullptr;
  char* end_ = nullptr;
  bool finished_ = false;
};

}  // namespace cordon::json
