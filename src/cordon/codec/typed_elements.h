#pragma once

// The elements of typed arrays, which are little-endian on every machine.

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "cordon/value.h"

namespace cordon {

namespace detail {

template <class T>
T load_little_endian(const std::uint8_t* at) {
  T element;
  std::memcpy(&element, at, sizeof element);
  if constexpr (std::endian::native == std::endian::big) element = std::byteswap(element);
  return element;
}

}  // namespace detail

// The number whose bytes begin at `at`; nothing for a BigInt.
inline std::optional<double> number_at(ElementType type, const std::uint8_t* at) {
  using detail::load_little_endian;
  switch (type) {
    case ElementType::int8:
      return load_little_endian<std::int8_t>(at);
    case ElementType::uint8:
    case ElementType::uint8_clamped:
      return *at;
    case ElementType::int16:
      return load_little_endian<std::int16_t>(at);
    case ElementType::uint16:
      return load_little_endian<std::uint16_t>(at);
    case ElementType::int32:
      return load_little_endian<std::int32_t>(at);
    case ElementType::uint32:
      return load_little_endian<std::uint32_t>(at);
    case ElementType::float32:
      return std::bit_cast<float>(load_little_endian<std::uint32_t>(at));
    case ElementType::float64:
      return std::bit_cast<double>(load_little_endian<std::uint64_t>(at));
    case ElementType::bigint64:
    case ElementType::biguint64:
      break;
  }
  return std::nullopt;
}

}  // namespace cordon
