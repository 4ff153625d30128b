#pragma once

// HMAC-SHA-256 (RFC 2104): what only somebody with the key can have written.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "cordon/bytes.h"

namespace cordon::sandbox {

inline constexpr std::size_t keyed_hash_bytes = 32;
using KeyedHash = std::array<std::uint8_t, keyed_hash_bytes>;

// Of all the parts, each with its length before it: no two lists of parts are the same message. The
// first says what it is a hash of, so that one key may be used for several things.
KeyedHash keyed_hash(BytesView key, std::initializer_list<BytesView> parts);

// In a time that does not say where they differ.
bool is_same_hash(const KeyedHash& hash, BytesView other);

}  // namespace cordon::sandbox
