#pragma once

// HMAC-SHA-256 (RFC 2104): proves that a holder of the key wrote something.

#include <cstddef>
#include <initializer_list>

#include "cordon/base/sha256.h"
#include "cordon/bytes.h"

namespace cordon::sandbox {

inline constexpr std::size_t keyed_hash_bytes = sha256_bytes;
using KeyedHash = Sha256Sum;

// Hashes all parts, each with its length before it, so that no two lists of parts are the same
// message. The first part says what is hashed, so that one key may serve several purposes.
KeyedHash keyed_hash(BytesView key, std::initializer_list<BytesView> parts);

}  // namespace cordon::sandbox
