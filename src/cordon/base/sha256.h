#pragma once

// SHA-256, and HMAC with it, of bytes that come in pieces. A copy goes on from where the original
// is, which costs a hundred bytes.

#include <array>
#include <cstddef>
#include <cstdint>

#include "cordon/bytes.h"

namespace cordon {

inline constexpr std::size_t sha256_bytes = 32;
using Sha256Sum = std::array<std::uint8_t, sha256_bytes>;

class Sha256 {
 public:
  Sha256();
  void add(BytesView bytes);
  Sha256Sum sum() const;  // of what was added until now

 private:
  // The state of OpenSSL's.
  std::array<std::uint32_t, 28> state_ = {};
};

// HMAC-SHA-256 (RFC 2104). The key's own blocks are hashed once.
class HmacSha256 {
 public:
  explicit HmacSha256(BytesView key);
  void add(BytesView bytes) { inner_.add(bytes); }
  Sha256Sum sum() const;                // of what was added until now
  Sha256Sum of(BytesView bytes) const;  // of these as well

 private:
  Sha256 inner_;
  Sha256 outer_;
};

// Takes a time that does not reveal where they differ.
bool is_same_sum(const Sha256Sum& sum, BytesView other);

}  // namespace cordon
