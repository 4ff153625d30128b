#pragma once

// The first bytes of MessagePack's forms, in the words of its specification.

#include <cstdint>

namespace cordon::msgpack {

enum Format : std::uint8_t {
  positive_fixint_last = 0x7f,
  fixmap = 0x80,
  fixarray = 0x90,
  fixstr = 0xa0,
  nil = 0xc0,
  never_used = 0xc1,
  false_ = 0xc2,
  true_ = 0xc3,
  bin8 = 0xc4,
  bin16 = 0xc5,
  bin32 = 0xc6,
  ext8 = 0xc7,
  ext16 = 0xc8,
  ext32 = 0xc9,
  float32 = 0xca,
  float64 = 0xcb,
  uint8 = 0xcc,
  uint16 = 0xcd,
  uint32 = 0xce,
  uint64 = 0xcf,
  int8 = 0xd0,
  int16 = 0xd1,
  int32 = 0xd2,
  int64 = 0xd3,
  fixext1 = 0xd4,
  fixext2 = 0xd5,
  fixext4 = 0xd6,
  fixext8 = 0xd7,
  fixext16 = 0xd8,
  str8 = 0xd9,
  str16 = 0xda,
  str32 = 0xdb,
  array16 = 0xdc,
  array32 = 0xdd,
  map16 = 0xde,
  map32 = 0xdf,
  negative_fixint = 0xe0,
};

inline constexpr std::int8_t timestamp_type = -1;
inline constexpr std::int64_t ns_per_second = 1'000'000'000;
inline constexpr double max_safe_integer = 9007199254740991.0;  // 2^53 - 1

}  // namespace cordon::msgpack
