#pragma once

// What a client of HTTP/2 sends, cut into its frames by their heads alone (RFC 9113, 4.1).
//
// nghttp2 reads frames too, but says nothing of those that it ignores: unknown kinds, data and
// headers of streams that are over. They cost time like all others, so they have to be seen.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cordon/bytes.h"

namespace cordon::transport::http {

class Http2FrameCutter {
 public:
  struct Head {
    std::size_t length = 0;  // of the payload
    std::uint8_t type = 0;
    std::uint8_t flags = 0;
  };
  struct Piece {
    BytesView bytes;           // of one frame, or of the preface
    std::optional<Head> head;  // where it became whole with these bytes
  };
  // The first bytes of `bytes` up to the end of a frame, which are taken from it. There are some.
  Piece next(BytesView& bytes);

 private:
  static constexpr std::size_t preface_bytes = 24;
  static constexpr std::size_t head_bytes = 9;

  // A wrong preface ends the connection in nghttp2, so it is not checked here.
  std::size_t left_ = preface_bytes;  // until the next head
  std::array<std::uint8_t, head_bytes> head_ = {};
  std::size_t head_filled_ = 0;
};

}  // namespace cordon::transport::http
