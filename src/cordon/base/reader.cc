#include "cordon/base/reader.h"

namespace cordon {

Result<double> Reader::f64() { return std::bit_cast<double>(CORDON_TRY(u64())); }

Result<std::uint64_t> Reader::varint() {
  std::uint64_t number = 0;
  std::size_t at = position_;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == in_.size()) return fail(ErrorCode::truncated, "number cut short");
    const std::uint64_t byte = in_[at++];
    const std::uint64_t bits = byte & 0x7f;
    // The tenth byte has room for one bit.
    if (shift == 63 && bits > 1) break;
    number |= bits << shift;
    if (byte < 0x80) {
      position_ = at;
      return number;
    }
  }
  return fail(ErrorCode::malformed, "number past 64 bits");
}

Result<std::size_t> Reader::count(std::size_t least_bytes) {
  const std::size_t before = position_;
  const std::uint64_t count = CORDON_TRY(varint());
  if (count > left() / (least_bytes == 0 ? 1 : least_bytes)) {
    position_ = before;
    return fail(ErrorCode::truncated, "count larger than its input");
  }
  return static_cast<std::size_t>(count);
}

Result<BytesView> Reader::bytes(std::size_t size) {
  if (size > left()) return fail(ErrorCode::truncated, "bytes cut short");
  const BytesView bytes = in_.subspan(position_, size);
  position_ += size;
  return bytes;
}

Result<std::string_view> Reader::text(std::size_t size) { return as_text(CORDON_TRY(bytes(size))); }

Result<BytesView> Reader::sized_bytes() { return bytes(CORDON_TRY(count())); }

Result<std::string_view> Reader::sized_text() { return text(CORDON_TRY(count())); }

Result<> Reader::end() const {
  if (!at_end()) return fail(ErrorCode::malformed, "bytes after the end");
  return {};
}

}  // namespace cordon
