#include "cordon/transport/http/http2_frame_cutter.h"

#include <algorithm>
#include <utility>

namespace cordon::transport::http {

Http2FrameCutter::Piece Http2FrameCutter::next(BytesView& bytes) {
  Piece piece;
  std::size_t used = 0;
  if (left_ == 0) {
    used = std::min(bytes.size(), head_bytes - head_filled_);
    std::ranges::copy(bytes.first(used), head_.begin() + static_cast<std::ptrdiff_t>(head_filled_));
    head_filled_ += used;
    if (head_filled_ == head_bytes) {
      head_filled_ = 0;
      left_ = std::size_t{head_[0]} << 16 | std::size_t{head_[1]} << 8 | head_[2];
      piece.head = Head{.length = left_, .type = head_[3], .flags = head_[4]};
    }
  }
  const std::size_t payload = std::min(left_, bytes.size() - used);
  left_ -= payload;
  used += payload;
  piece.bytes = bytes.first(used);
  bytes = bytes.subspan(used);
  return piece;
}

}  // namespace cordon::transport::http
