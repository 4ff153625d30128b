#include "cordon/protocol/tunnel/body_hash.h"

#include <string>

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon::tunnel {
namespace {

BodyHash hash_of(std::string_view body, std::size_t piece = 1'000) {
  BodyHash hash;
  for (std::size_t i = 0; i < body.size(); i += piece) hash.add(as_bytes(body.substr(i, piece)));
  return hash;
}

TEST(BodyHash, IsBase64UrlOfSha256) {
  EXPECT_EQ(body_hash(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  EXPECT_EQ(body_hash("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  EXPECT_TRUE(hash_of("").is(body_hash("")));
}

TEST(BodyHash, IsThatOfTheTextWithoutBlanksToo) {
  const std::string compact = R"({"input":{"a b":"x\" \\","c":[1,2]}})";
  const std::string spread = "{ \"input\" :\r\n{\"a b\": \"x\\\" \\\\\",\t\"c\": [1, 2]} }\n";
  for (std::size_t piece = 1; piece < spread.size(); ++piece) {
    EXPECT_TRUE(hash_of(spread, piece).is(body_hash(spread))) << piece;
    EXPECT_TRUE(hash_of(spread, piece).is(body_hash(compact))) << piece;
    EXPECT_TRUE(hash_of(compact, piece).is(body_hash(compact))) << piece;
  }
  EXPECT_FALSE(hash_of(compact).is(body_hash(spread)));
}

TEST(BodyHash, IsNotThatOfAnotherText) {
  const std::string body = R"({"input": "a b"})";
  for (const char* other : {R"({"input":"ab"})", R"({"input":"a  b"})", R"({"input":"a c"})", ""})
    EXPECT_FALSE(hash_of(body).is(body_hash(other))) << other;
  for (const char* claim : {"", "x", "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuF"})
    EXPECT_FALSE(hash_of(body).is(claim)) << claim;
  EXPECT_FALSE(hash_of(body).is(body_hash(body) + "="));
}

TEST(BodyHash, OfABodyFullOfBlanksIsNoSlower) {
  std::string body = "[";
  for (int i = 0; i < 500'000; ++i) body += "1 , ";
  body += "1]";
  std::string compact;
  for (const char c : body)
    if (c != ' ') compact += c;
  EXPECT_TRUE(hash_of(body, 65'536).is(body_hash(compact)));
}

}  // namespace
}  // namespace cordon::tunnel
