#include "cordon/sandbox/keyed_hash.h"

#include <string_view>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace cordon::sandbox {
namespace {

BytesView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(KeyedHash, IsHmacOverThePartsAndTheirLengths) {
  using namespace std::string_view_literals;
  constexpr std::string_view message = "\3\0\0\0\0\0\0\0abc\2\0\0\0\0\0\0\0de"sv;
  // RFC 2104 uses a key as it is up to a block of 64 bytes, and its hash past that.
  for (const std::size_t size : {0u, 1u, 32u, 63u, 64u, 65u, 4096u}) {
    const std::string key(size, 'k');
    KeyedHash expected{};
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(message).data(),
         message.size(), expected.data(), &length);
    ASSERT_EQ(length, expected.size());
    EXPECT_EQ(keyed_hash(bytes_of(key), {bytes_of("abc"), bytes_of("de")}), expected) << size;
  }
}

TEST(KeyedHash, TellsWhereAPartEnds) {
  const BytesView key = bytes_of("0123456789abcdef");
  EXPECT_NE(keyed_hash(key, {bytes_of("ab"), bytes_of("c")}),
            keyed_hash(key, {bytes_of("a"), bytes_of("bc")}));
}

TEST(KeyedHash, IsComparedWhole) {
  const KeyedHash hash = keyed_hash(bytes_of("key"), {bytes_of("text")});
  EXPECT_TRUE(is_same_sum(hash, hash));
  EXPECT_FALSE(is_same_sum(hash, BytesView(hash).first(31)));
  EXPECT_FALSE(is_same_sum(hash, {}));
  for (std::size_t i = 0; i < hash.size(); ++i) {
    KeyedHash other = hash;
    other[i] ^= 1;
    EXPECT_FALSE(is_same_sum(hash, other));
  }
}

}  // namespace
}  // namespace cordon::sandbox
