#include "cordon/protocol/tunnel/jwt.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"

namespace cordon::tunnel {
namespace {

std::string token_of(std::string_view head, std::string_view claims,
                     std::string_view signature = "signed") {
  const auto part = [](std::string_view text) { return to_base64url(as_bytes(text)); };
  return part(head) + "." + part(claims) + "." + part(signature);
}

std::string why_not(std::string_view token) {
  const Result<Jwt> jwt = read_jwt(token);
  return jwt ? "it is one" : jwt.error().message;
}

TEST(Jwt, HasThreeParts) {
  const std::string token =
      token_of(R"({"alg":"HS256","typ":"JWT","kid":"k1"})", R"({"lane":"a","iat":1.5})");
  const Result<Jwt> jwt = read_jwt(token);
  ASSERT_TRUE(jwt) << jwt.error();
  EXPECT_EQ(jwt->algorithm, "HS256");
  EXPECT_EQ(jwt->key_id, "k1");
  EXPECT_EQ(jwt->claims["lane"].as_string(), "a");
  EXPECT_EQ(as_text(jwt->signature), "signed");
  EXPECT_EQ(jwt->signed_text, std::string_view(token).substr(0, token.rfind('.')));
}

TEST(Jwt, MayHaveNoTypeAndNoKeyId) {
  const std::string token = token_of(R"({"alg":"EdDSA"})", "{}", "");
  const Result<Jwt> jwt = read_jwt(token);
  ASSERT_TRUE(jwt) << jwt.error();
  EXPECT_EQ(jwt->key_id, std::nullopt);
  EXPECT_TRUE(jwt->signature.empty());
  EXPECT_TRUE(read_jwt(token_of(R"({"alg":"EdDSA","typ":"jwt"})", "{}")));
}

TEST(Jwt, IsReadBackAsItWasWritten) {
  const std::string text = jwt_text("ES256", "key \"1\"", Value::object({{"target", "a.ü"}}));
  const std::string token = text + ".AA";
  const Result<Jwt> jwt = read_jwt(token);
  ASSERT_TRUE(jwt) << jwt.error();
  EXPECT_EQ(jwt->algorithm, "ES256");
  EXPECT_EQ(jwt->key_id, "key \"1\"");
  EXPECT_EQ(jwt->claims, Value::object({{"target", "a.ü"}}));
  EXPECT_EQ(jwt->signed_text, text);
}

TEST(Jwt, IsRefusedWhereItsShapeIsWrong) {
  EXPECT_EQ(why_not(""), "the token has not three parts");
  EXPECT_EQ(why_not("a.b"), "the token has not three parts");
  EXPECT_EQ(why_not("a.b.c.d"), "the token has not three parts");
  EXPECT_EQ(why_not(".."), "the token's head is not JSON");
  EXPECT_EQ(why_not("AB.AA.AA"), "the token's head is not base64url");
  EXPECT_EQ(why_not(token_of("[]", "{}")), "the token's head is not a JSON object");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", "null")),
            "what the token claims is not a JSON object");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", "{\"a\":\"\xff\"}")),
            "what the token claims is not JSON");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", "{}") + "="),
            "the token's signature is not base64url");
  EXPECT_EQ(why_not(" " + token_of(R"({"alg":"HS256"})", "{}")),
            "the token's head is not base64url");
  std::string deep(20, '[');
  deep += std::string(20, ']');
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", "{\"a\":" + deep + "}")),
            "what the token claims is not JSON");
  EXPECT_EQ(why_not(std::string(max_token_bytes + 1, 'A')), "the token is too long");
}

TEST(Jwt, IsRefusedWhereItsHeadIsWrong) {
  EXPECT_EQ(why_not(token_of("{}", "{}")), "the token names no algorithm");
  EXPECT_EQ(why_not(token_of(R"({"alg":256})", "{}")), "the token names no algorithm");
  EXPECT_EQ(why_not(token_of(R"({"alg":["HS256"]})", "{}")), "the token names no algorithm");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256","typ":"at+jwt"})", "{}")),
            "the token is not of the type JWT");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256","typ":1})", "{}")),
            "the token is not of the type JWT");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256","kid":1})", "{}")),
            "the token's kid is not a string");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256","crit":["b64"],"b64":false})", "{}")),
            "the token has extensions");
}

TEST(Jwt, IsRefusedWhereAKeyIsThereTwice) {
  EXPECT_EQ(why_not(token_of(R"({"alg":"none","alg":"HS256"})", "{}")),
            "the token's head has a key twice");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256","\u0061lg":"none"})", "{}")),
            "the token's head has a key twice");
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", R"({"lane":"a", "exp":1, "lane":"b"})")),
            "what the token claims has a key twice");
  // These only look like keys.
  EXPECT_EQ(why_not(token_of(R"({"alg":"HS256"})", R"({"a":":\":{","b":{"a":1,"b":[{"a":2}]}})")),
            "it is one");
}

}  // namespace
}  // namespace cordon::tunnel
