// OpenSSL's older functions are the same code without its providers, whose loading would take a
// third of a plugin's start.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "cordon/sandbox/keyed_hash.h"

#include <algorithm>

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace cordon::sandbox {
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

Block padded(Block block, std::uint8_t with) {
  for (std::uint8_t& byte : block) byte ^= with;
  return block;
}

}  // namespace

KeyedHash keyed_hash(BytesView key, std::initializer_list<BytesView> parts) {
  const Block block = block_of(key);
  KeyedHash result{};
  SHA256_CTX hash;
  SHA256_Init(&hash);
  SHA256_Update(&hash, padded(block, 0x36).data(), block.size());
  for (const BytesView part : parts) {
    const std::uint64_t size = part.size();
    SHA256_Update(&hash, &size, sizeof size);
    SHA256_Update(&hash, part.data(), part.size());
  }
  SHA256_Final(result.data(), &hash);
  SHA256_Init(&hash);
  SHA256_Update(&hash, padded(block, 0x5c).data(), block.size());
  SHA256_Update(&hash, result.data(), result.size());
  SHA256_Final(result.data(), &hash);
  return result;
}

bool is_same_hash(const KeyedHash& hash, BytesView other) {
  return other.size() == hash.size() && CRYPTO_memcmp(hash.data(), other.data(), hash.size()) == 0;
}

}  // namespace cordon::sandbox
