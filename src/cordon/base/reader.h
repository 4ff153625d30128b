#pragma once

// Reads little-endian numbers, LEB128 varints and runs of bytes from a buffer that a hostile peer
// wrote.
//
// Nothing is read past the end and nothing is allocated: a length is checked against what is left
// before memory is reserved for it. A failed read leaves the reader where it was.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cordon/base/bytes.h"
#include "cordon/result.h"

namespace cordon {

class Reader {
 public:
  // Borrows `in` for as long as the reader, and the views it hands out, are used.
  explicit Reader(BytesView in) : in_(in) {}

  std::size_t left() const { return in_.size() - position_; }
  std::size_t position() const { return position_; }
  bool at_end() const { return left() == 0; }

  Result<std::uint8_t> u8() { return little_endian<std::uint8_t>(); }
  Result<std::uint16_t> u16() { return little_endian<std::uint16_t>(); }
  Result<std::uint32_t> u32() { return little_endian<std::uint32_t>(); }
  Result<std::uint64_t> u64() { return little_endian<std::uint64_t>(); }
  Result<double> f64();

  // An unsigned LEB128 number; more than 64 bits is malformed.
  Result<std::uint64_t> varint();

  // A varint that counts elements of at least `least_bytes` each, so a count that the rest of the
  // input cannot hold is refused. The caller may reserve memory for the count.
  Result<std::size_t> count(std::size_t least_bytes = 1);

  Result<BytesView> bytes(std::size_t size);
  Result<std::string_view> text(std::size_t size);

  // A varint length and that many bytes.
  Result<BytesView> sized_bytes();
  Result<std::string_view> sized_text();

  // Fails unless everything has been read.
  Result<> end() const;

 private:
  template <std::unsigned_integral T>
  Result<T> little_endian() {
    if (left() < sizeof(T)) return fail(ErrorCode::truncated, "number cut short");
    T number;
    std::memcpy(&number, in_.data() + position_, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) number = std::byteswap(number);
    position_ += sizeof(T);
    return number;
  }

  BytesView in_;
  std::size_t position_ = 0;
};

}  // namespace cordon
