// OpenSSL's older functions are the same code without its providers, whose loading would cost a
// start of the program some milliseconds. Their states can be copied like numbers.
// NOLINTNEXTLINE(readability-identifier-naming): OpenSSL gave it the name.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "cordon/base/sha256.h"

#include <algorithm>
#include <bit>

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace cordon {
namespace {

using Block = std::array<std::uint8_t, SHA256_CBLOCK>;

Block block_of(BytesView key) {
  Block block{};
  if (key.size() > block.size()) {
    SHA256(key.data(), key.size(), block.data());
  } else {
    std::ranges::copy(key, block.begin());
  }
  return block;
}

Sha256 after(Block block, std::uint8_t with) {
  for (std::uint8_t& byte : block) byte ^= with;
  Sha256 hash;
  hash.add(block);
  return hash;
}

}  // namespace

Sha256::Sha256() {
  SHA256_CTX state{};
  SHA256_Init(&state);
  state_ = std::bit_cast<decltype(state_)>(state);
}

void Sha256::add(BytesView bytes) {
  auto state = std::bit_cast<SHA256_CTX>(state_);
  SHA256_Update(&state, bytes.data(), bytes.size());
  state_ = std::bit_cast<decltype(state_)>(state);
}

Sha256Sum Sha256::sum() const {
  auto state = std::bit_cast<SHA256_CTX>(state_);
  Sha256Sum sum{};
  SHA256_Final(sum.data(), &state);
  return sum;
}

HmacSha256::HmacSha256(BytesView key)
    : inner_(after(block_of(key), 0x36)), outer_(after(block_of(key), 0x5c)) {}

Sha256Sum HmacSha256::sum() const {
  Sha256 outer = outer_;
  outer.add(inner_.sum());
  return outer.sum();
}

Sha256Sum HmacSha256::of(BytesView bytes) const {
  HmacSha256 hash = *this;
  hash.add(bytes);
  return hash.sum();
}

bool is_same_sum(const Sha256Sum& sum, BytesView other) {
  return other.size() == sum.size() && CRYPTO_memcmp(sum.data(), other.data(), sum.size()) == 0;
}

}  // namespace cordon
