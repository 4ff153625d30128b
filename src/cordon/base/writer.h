#pragma once

// Appends little-endian numbers, LEB128 varints and runs of bytes: what Reader reads.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "cordon/base/bytes.h"

namespace cordon {

// Writes to the end of a Bytes or a std::string, which it borrows.
template <class Buffer>
class BasicWriter {
 public:
  explicit BasicWriter(Buffer& out) : out_(out) {}

  // The size of the whole buffer.
  std::size_t size() const { return out_.size(); }

  void u8(std::uint8_t number) { little_endian(number); }
  void u16(std::uint16_t number) { little_endian(number); }
  void u32(std::uint32_t number) { little_endian(number); }
  void u64(std::uint64_t number) { little_endian(number); }
  void f64(double number) { u64(std::bit_cast<std::uint64_t>(number)); }

  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) u8(static_cast<std::uint8_t>(number | 0x80));
    u8(static_cast<std::uint8_t>(number));
  }

  void bytes(BytesView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view text) { bytes(as_bytes(text)); }

  // A varint length and the bytes.
  void sized_bytes(BytesView content) {
    varint(content.size());
    bytes(content);
  }
  void sized_text(std::string_view content) { sized_bytes(as_bytes(content)); }

 private:
  template <std::unsigned_integral T>
  void little_endian(T number) {
    if constexpr (std::endian::native == std::endian::big) number = std::byteswap(number);
    std::uint8_t bytes[sizeof(T)];
    std::memcpy(bytes, &number, sizeof(T));
    out_.insert(out_.end(), bytes, bytes + sizeof(T));
  }

  Buffer& out_;
};

using Writer = BasicWriter<Bytes>;
using TextWriter = BasicWriter<std::string>;

}  // namespace cordon
