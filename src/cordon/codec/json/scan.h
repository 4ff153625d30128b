#pragma once

// Scans the plain inside of strings, which is most of any JSON, sixteen bytes at a time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cordon::json {

// A bit (SSE2) or a byte (elsewhere) of `marks` for each of the bytes, lowest first.
#if defined(__SSE2__)
using Marks = std::uint32_t;
inline constexpr std::ptrdiff_t block_bytes = 16;
inline std::ptrdiff_t first_mark(Marks marks) { return std::countr_zero(marks); }

struct Block {
  explicit Block(const char* at) : bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}

  void store(char* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes); }
  Marks equal(char byte) const { return marks(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte))); }
  // Below 0x20, or a quote or a backslash.
  Marks special() const {
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return marks(_mm_or_si128(control, _mm_or_si128(quote, backslash)));
  }
  Marks not_ascii() const { return marks(bytes); }

  static Marks marks(__m128i lanes) { return static_cast<Marks>(_mm_movemask_epi8(lanes)); }

  __m128i bytes;
};
#else
using Marks = std::uint64_t;
inline constexpr std::ptrdiff_t block_bytes = 8;
inline std::ptrdiff_t first_mark(Marks marks) { return std::countr_zero(marks) / 8; }

struct Block {
  explicit Block(const char* at) {
    std::memcpy(&bytes, at, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = std::byteswap(bytes);
  }

  void store(char* to) const {
    const std::uint64_t stored =
        std::endian::native == std::endian::big ? std::byteswap(bytes) : bytes;
    std::memcpy(to, &stored, sizeof stored);
  }
  // The high bit of each byte that is zero; exact, with no carry from one byte to the next.
  static Marks zeros(std::uint64_t word) { return ~(((word & low7) + low7) | word | low7); }
  Marks equal(char byte) const { return zeros(bytes ^ (ones * static_cast<unsigned char>(byte))); }
  Marks special() const { return equal('"') | equal('\\') | zeros(bytes & (ones * 0xe0)); }
  Marks not_ascii() const { return bytes & (ones * 0x80); }

  static constexpr std::uint64_t ones = 0x0101010101010101;
  static constexpr std::uint64_t low7 = 0x7f7f7f7f7f7f7f7f;
  std::uint64_t bytes;
};
#endif

inline bool is_special(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\';
}

// The first quote, backslash or control character from `at` on, or `end`. Sets `not_ascii` if a
// byte before it is past 0x7f, and leaves it alone otherwise.
inline const char* find_special(const char* at, const char* end, bool& not_ascii) {
  while (end - at >= block_bytes) {
    const Block block(at);
    const Marks special = block.special();
    if (special != 0) {
      // Marks below the lowest one of `special`.
      not_ascii |= (block.not_ascii() & (special - 1) & ~special) != 0;
      return at + first_mark(special);
    }
    not_ascii |= block.not_ascii() != 0;
    at += block_bytes;
  }
  while (at != end && !is_special(*at)) not_ascii |= static_cast<unsigned char>(*at++) > 0x7f;
  return at;
}

}  // namespace cordon::json
