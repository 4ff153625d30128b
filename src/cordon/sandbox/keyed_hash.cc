#include "cordon/sandbox/keyed_hash.h"

#include <array>
#include <bit>
#include <cstdint>

namespace cordon::sandbox {

KeyedHash keyed_hash(BytesView key, std::initializer_list<BytesView> parts) {
  HmacSha256 hash(key);
  for (const BytesView part : parts) {
    hash.add(std::bit_cast<std::array<std::uint8_t, sizeof(std::uint64_t)>>(
        static_cast<std::uint64_t>(part.size())));
    hash.add(part);
  }
  return hash.sum();
}

}  // namespace cordon::sandbox
