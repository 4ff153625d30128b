#include "cordon/protocol/duplex/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace cordon::duplex {
namespace {

// Memory that is not worth freeing.
constexpr std::size_t kept_bytes = std::size_t{1} << 20;

// The commonest way to get here is a print to stdout, so its beginning is shown.
std::string wrong_version(BytesView bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t shown = 24;
  std::string text = "got 0x";
  text += digits[bytes[0] >> 4];
  text += digits[bytes[0] & 15];
  text += " '";
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), shown))) {
    text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
  }
  if (bytes.size() > shown) text += "...";
  text += "' where version 1 was expected: does the plugin print to stdout?";
  return text;
}

}  // namespace

std::span<std::uint8_t> FrameReader::space(std::size_t at_least) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kept_bytes && last_payload_bytes_ < kept_bytes) {
      buffer_.reset();
      capacity_ = 0;
    }
  }
  if (capacity_ - end_ < at_least) {
    const std::size_t used = end_ - begin_;
    // Moving costs no more than reading did only if half of the room is free afterwards.
    if (used + at_least <= capacity_ && used <= capacity_ / 2) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, used);
    } else {
      const std::size_t capacity = std::max({2 * capacity_, used + at_least, std::size_t{4096}});
      auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
      if (used > 0) std::memcpy(larger.get(), buffer_.get() + begin_, used);
      buffer_ = std::move(larger);
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = used;
  }
  return {buffer_.get() + end_, capacity_ - end_};
}

void FrameReader::feed(BytesView bytes) {
  if (bytes.empty()) return;
  std::memcpy(space(bytes.size()).data(), bytes.data(), bytes.size());
  advance(bytes.size());
}

Result<std::optional<BytesView>> FrameReader::next() {
  const BytesView bytes(buffer_.get() + begin_, end_ - begin_);
  if (bytes.empty()) return std::nullopt;
  if (bytes[0] != protocol_version) return fail(ErrorCode::bad_version, wrong_version(bytes));
  if (bytes.size() < frame_head_bytes) return std::nullopt;
  const std::size_t size = std::size_t{bytes[1]} << 24 | std::size_t{bytes[2]} << 16 |
                           std::size_t{bytes[3]} << 8 | std::size_t{bytes[4]};
  if (size > max_payload_bytes_) {
    return fail(ErrorCode::too_large, "a frame of " + std::to_string(size) + " bytes, where " +
                                          std::to_string(max_payload_bytes_) + " are allowed");
  }
  if (bytes.size() - frame_head_bytes < size) return std::nullopt;
  begin_ += frame_head_bytes + size;
  last_payload_bytes_ = size;
  return bytes.subspan(frame_head_bytes, size);
}

}  // namespace cordon::duplex
