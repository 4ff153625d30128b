#pragma once

// Cuts a guest's output into frames: a version byte, a big-endian length, that many bytes.
//
// Memory follows the bytes that came, never a length that was announced: it at most doubles. What a
// large frame took is given back after the next small one.

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

  // Room for what is read next, of `at_least` bytes; `advance` tells how many came. Both end the
  // life of the last payload.
  std::span<std::uint8_t> space(std::size_t at_least);
  void advance(std::size_t bytes) { end_ += bytes; }
  void feed(BytesView bytes);

  // The next payload, lent until more bytes come; nothing while it is not whole. The version is
  // judged as soon as its byte is there, the length as soon as its four are.
  Result<std::optional<BytesView>> next();

  // Bytes of a frame that has begun.
  std::size_t pending_bytes() const { return end_ - begin_; }
  // What it takes now.
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
