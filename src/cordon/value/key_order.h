#pragma once

// The order that JavaScript gives to an object's keys: first those that are array indices (0 to
// 2^32 - 2, written plainly), ascending, then all others as they were added.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cordon/value.h"

namespace cordon {

// How the members of an object are ordered when it is built or written.
enum class KeyOrder : std::uint8_t {
  insertion,
  javascript,
};

// The array index that the key spells, if any: "10", and neither "010" nor "1.5" nor "4294967295".
std::optional<std::uint32_t> index_of_key(std::string_view key);

// Whether index_of_key is worth asking.
inline bool may_be_index(std::string_view key) {
  return !key.empty() && key[0] >= '0' && key[0] <= '9';
}

// Whether the members are in that order already. For most objects it only looks at each key's first
// byte.
bool is_in_javascript_order(std::span<const Member> members);

// Puts them in that order. Stable, so that of equal keys the last one stays the last. Linear in
// time and memory.
void put_in_javascript_order(std::span<Member> members);

}  // namespace cordon
