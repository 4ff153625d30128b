#include "cordon/protocol/tunnel/lane_key.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/jwt.h"
#include "cordon/protocol/tunnel/testing/lane_keys.h"

namespace cordon::tunnel {
namespace {

using testing::ec_pair;
using testing::ed25519_pair;
using testing::KeyPair;
using testing::rsa_pair;

Bytes decoded(std::string_view text) { return from_base64url(text).value_or(Bytes()); }

std::string public_pem(const Bytes& der) {
  return "-----BEGIN PUBLIC KEY-----\n" + to_base64(der) + "\n-----END PUBLIC KEY-----\n";
}

std::string why_not(const Result<LaneKey>& key) { return key ? "it is one" : key.error().message; }

// Everything before the last dot is signed.
bool verifies(const LaneKey& key, std::string_view token) {
  const std::size_t dot = token.rfind('.');
  return key.verifies(token.substr(0, dot), decoded(token.substr(dot + 1)));
}

TEST(LaneKey, ChecksTheSignaturesOfTheRfcs) {
  // RFC 7515, A.1.
  const Result<LaneKey> hmac = LaneKey::of_secret(as_text(decoded(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")));
  ASSERT_TRUE(hmac);
  EXPECT_TRUE(verifies(*hmac,
                       "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
                       "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
                       "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                       "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
  // RFC 7515, A.3.
  Bytes point = decoded("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE");
  for (const char* part : {"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                           "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}) {
    const Bytes bytes = decoded(part);
    point.insert(point.end(), bytes.begin(), bytes.end());
  }
  const Result<LaneKey> p256 = LaneKey::of_public_pem(public_pem(point));
  ASSERT_TRUE(p256) << p256.error();
  EXPECT_TRUE(verifies(*p256,
                       "eyJhbGciOiJFUzI1NiJ9."
                       "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
                       "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
                       "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
                       "pmWQxfKTUJqPP3-Kg6NU1Q"));
  // RFC 8037, A.4.
  Bytes edwards = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
  const Bytes x = decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
  edwards.insert(edwards.end(), x.begin(), x.end());
  const Result<LaneKey> ed25519 = LaneKey::of_public_pem(public_pem(edwards));
  ASSERT_TRUE(ed25519) << ed25519.error();
  EXPECT_TRUE(verifies(*ed25519,
                       "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                       "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7"
                       "sVvpAr_MuM0KAg"));
}

TEST(LaneKey, ChecksWhatItsOtherHalfSigned) {
  const std::pair<KeyPair, std::string_view> pairs[] = {
      {ed25519_pair(), "EdDSA"}, {ec_pair("P-256"), "ES256"}, {rsa_pair(2048), "RS256"}};
  for (const auto& [pair, algorithm] : pairs) {
    SCOPED_TRACE(algorithm);
    const Result<LaneKey> secret = LaneKey::of_private_pem(pair.private_pem);
    const Result<LaneKey> open = LaneKey::of_public_pem(pair.public_pem);
    ASSERT_TRUE(secret) << secret.error();
    ASSERT_TRUE(open) << open.error();
    EXPECT_EQ(secret->algorithm(), algorithm);
    EXPECT_EQ(open->algorithm(), algorithm);
    // A number of an ES256 signature may begin with zeros, which DER leaves out.
    for (int i = 0; i < 300; ++i) {
      const std::string text = "text " + std::to_string(i);
      Bytes signature = secret->sign(text).value_or(Bytes());
      EXPECT_TRUE(open->verifies(text, signature));
      if (i > 3) continue;
      EXPECT_FALSE(open->verifies("another text", signature));
      EXPECT_FALSE(open->verifies(text, {}));
      EXPECT_FALSE(open->verifies(text, BytesView(signature).first(signature.size() - 1)));
      signature.back() ^= 1;
      EXPECT_FALSE(open->verifies(text, signature));
      signature.back() ^= 1;
      signature.push_back(0);
      EXPECT_FALSE(open->verifies(text, signature));
    }
    EXPECT_EQ(open->sign("text").error().message, "a public key cannot sign");
  }
}

TEST(LaneKey, TakesNoSignatureOfZeros) {
  const Result<LaneKey> key = LaneKey::of_public_pem(ec_pair("P-256").public_pem);
  ASSERT_TRUE(key);
  EXPECT_FALSE(key->verifies("text", Bytes(64, 0)));
  EXPECT_FALSE(key->verifies("text", Bytes(64, 0xff)));
}

TEST(LaneKey, OfASecretIsNotShort) {
  EXPECT_EQ(why_not(LaneKey::of_secret("")), "has 0 bytes; it needs 16, and 32 are better");
  EXPECT_EQ(why_not(LaneKey::of_secret("fifteen letters")),
            "has 15 bytes; it needs 16, and 32 are better");
  EXPECT_EQ(why_not(LaneKey::of_secret("sixteen letters!")), "it is one");
}

TEST(LaneKey, IsNoWeakOrForeignKey) {
  EXPECT_EQ(why_not(LaneKey::of_public_pem(rsa_pair(1024).public_pem)),
            "is RSA of 1024 bits; it needs 2048");
  EXPECT_EQ(why_not(LaneKey::of_public_pem(ec_pair("P-384").public_pem)),
            "is of a curve that is not P-256");
  EXPECT_EQ(why_not(LaneKey::of_public_pem(
                testing::pair_of(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519")).public_pem)),
            "is neither Ed25519 nor P-256 nor RSA");
  EXPECT_EQ(why_not(LaneKey::of_public_pem(ed25519_pair().private_pem)),
            "is a private key; write its public half, as `openssl pkey -pubout` gives it");
  EXPECT_EQ(why_not(LaneKey::of_public_pem("hello")),
            "is not in PEM: it begins with -----BEGIN PUBLIC KEY-----");
  EXPECT_EQ(why_not(LaneKey::of_private_pem(ed25519_pair().public_pem)),
            "is not in PEM: it begins with -----BEGIN PRIVATE KEY-----");
  EXPECT_EQ(why_not(LaneKey::of_public_pem(public_pem({1, 2, 3}))),
            "cannot be read: what is between its first and last line is no key");
  EXPECT_EQ(why_not(LaneKey::of_public_pem(public_pem(Bytes(70'000, 1)))), "has more than 64 KiB");
  // A point that is not on the curve.
  Bytes point = decoded("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE");
  point.resize(point.size() + 64, 7);
  EXPECT_NE(why_not(LaneKey::of_public_pem(public_pem(point))), "it is one");
}

}  // namespace
}  // namespace cordon::tunnel
