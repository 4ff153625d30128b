#pragma once

// HMAC-SHA-256 (RFC 2104): proves that a holder of the key wrote something.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "cordon/bytes.h"

namespace cordon::sandbox {

inline constexpr std::size_t keyed_hash_bytes = 32;
using KeyedHash = std::array<std::uint8_t, keyed_hash_bytes>;

// Hashes all parts, each with its length before it, so that no two lists of parts are the same
// message. The first part says what is hashed, so that one key may serve several purposes.
KeyedHash keyed_hash(BytesView key, std::initializer_list<BytesView> parts);

// Takes a time that does not reveal where they differ.
bool is_same_hash(const KeyedHash& hash, BytesView other);

}  // namespace cordon::sandbox
