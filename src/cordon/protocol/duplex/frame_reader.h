#pragma once

// Cuts a guest's output into frames: a version byte, a big-endian length, that many bytes.
//
// Memory grows with the bytes that arrive, never with an announced length: it at most doubles. The
// memory of a large frame is freed after the next small one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cordon/bytes.h"
#include "cordon/result.h"

namespace cordon::duplex {

inline constexpr std::uint8_t protocol_version = 1;
inline constexpr std::size_t frame_head_bytes = 5;

class FrameReader {
 public:
  explicit FrameReader(std::size_t max_payload_bytes) : max_payload_bytes_(max_payload_bytes) {}

  // Room for at least `at_least` bytes of input. Call advance() with the number that came. Both
  // invalidate the last payload.
  std::span<std::uint8_t> space(std::size_t at_least);
  void advance(std::size_t bytes) { end_ += bytes; }
  void feed(BytesView bytes);

  // The next payload, valid until more bytes come, or nothing while it is not complete. The version
  // is checked as soon as its byte is there, and the length as soon as its four bytes are.
  Result<std::optional<BytesView>> next();

  // The size of a frame that has begun.
  std::size_t pending_bytes() const { return end_ - begin_; }
  // The memory that it holds now.
  std::size_t room_bytes() const { return capacity_; }

 private:
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t max_payload_bytes_;
  std::size_t last_payload_bytes_ = 0;
};

}  // namespace cordon::duplex
