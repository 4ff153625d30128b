#include "cordon/protocol/tunnel/lane.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/protocol/tunnel/jwt.h"
#include "cordon/protocol/tunnel/testing/lane_keys.h"

namespace cordon::tunnel {
namespace {

using namespace std::chrono_literals;

constexpr const char* secret = "a secret of thirty-two bytes, ok";
constexpr LaneTime now{1'800'000'000s};

LaneRules hmac_rules() { return {.tasks = {"add"}, .secret = secret}; }

std::shared_ptr<const Lane> lane_of(const LaneRules& rules) {
  Result<std::shared_ptr<const Lane>> lane = Lane::create("sums", rules);
  EXPECT_TRUE(lane) << lane.error();
  return lane.value_or(nullptr);
}

LaneKey secret_key(std::string_view text = secret) { return LaneKey::of_secret(text).value(); }

LaneCall add_call() { return {"sums", LaneKind::task, "add", body_hash("{}")}; }

HttpRequestHead head_of(const Result<HttpHeader>& header) {
  HttpRequestHead head;
  EXPECT_TRUE(header);
  if (header) head.headers.push_back(*header);
  return head;
}

std::string outcome(const Lane& lane, const HttpRequestHead& head, LaneTime at = now) {
  const auto hash = lane.check(head, LaneKind::task, "add", at);
  if (!hash) return hash.error().message;
  return *hash ? "good " + **hash : "good";
}

// A token with claims of the test's own, rightly signed.
HttpRequestHead signed_head(const Value& claims, std::string_view algorithm = "HS256") {
  const std::string text = jwt_text(algorithm, std::nullopt, claims);
  const Bytes signature = secret_key().sign(text).value();
  HttpRequestHead head;
  head.headers.push_back({"authorization", "Bearer " + text + "." + to_base64url(signature)});
  return head;
}

Value claims_with(std::string_view key, const Value& value) {
  const Value claims = Value::object({{"lane", "sums"},
                                      {"cap", "produce"},
                                      {"kind", "rpc-task"},
                                      {"target", "add"},
                                      {"hash", "h"},
                                      {"iat", 1'800'000'000},
                                      {"exp", 1'800'000'060}});
  return key.empty() ? claims : claims.with(key, value);
}

TEST(Lane, LetsItsOwnTokensIn) {
  const auto lane = lane_of(hmac_rules());
  const HttpRequestHead head = head_of(LaneSigner(secret_key()).sign(add_call(), now));
  EXPECT_EQ(outcome(*lane, head), "good " + body_hash("{}"));
  EXPECT_TRUE(head.headers.front().value.starts_with("Bearer "));
  LaneCall files = add_call();
  files.body_hash.reset();
  EXPECT_EQ(outcome(*lane, head_of(LaneSigner(secret_key()).sign(files, now))), "good");
}

TEST(Lane, HasAHeaderOfItsOwnWithTheTokenAlone) {
  LaneRules rules = hmac_rules();
  rules.header = "X-Lane-Token";
  const auto lane = lane_of(rules);
  const LaneSigner signer(secret_key(), {.header = "x-lane-token"});
  HttpRequestHead head = head_of(signer.sign(add_call(), now));
  EXPECT_EQ(head.headers.front().name, "x-lane-token");
  EXPECT_EQ(outcome(*lane, head), "good " + body_hash("{}"));
  EXPECT_EQ(outcome(*lane, head_of(LaneSigner(secret_key()).sign(add_call(), now))),
            "there is no header x-lane-token");
  head.headers.push_back(head.headers.front());
  EXPECT_EQ(outcome(*lane, head), "there are two headers x-lane-token");
}

TEST(Lane, WantsBearerInAuthorizationInAnyCase) {
  const auto lane = lane_of(hmac_rules());
  HttpRequestHead head = head_of(LaneSigner(secret_key()).sign(add_call(), now));
  std::string& value = head.headers.front().value;
  const std::string token = value.substr(7);
  value = "bearer " + token;
  EXPECT_TRUE(outcome(*lane, head).starts_with("good"));
  for (const std::string& wrong : {token, "Basic " + token, "Bearer" + token, std::string()}) {
    value = wrong;
    EXPECT_EQ(outcome(*lane, head), "the header authorization does not begin with Bearer");
  }
  value = "Bearer  " + token;
  EXPECT_EQ(outcome(*lane, head), "the token's head is not base64url");
}

TEST(Lane, RefusesTokensOfOtherCalls) {
  const auto lane = lane_of(hmac_rules());
  const LaneSigner signer(secret_key());
  LaneCall call = add_call();
  call.lane = "others";
  EXPECT_EQ(outcome(*lane, head_of(signer.sign(call, now))), "the token is of another lane");
  call = add_call();
  call.kind = LaneKind::event;
  EXPECT_EQ(outcome(*lane, head_of(signer.sign(call, now))),
            "the token is not of the kind rpc-task");
  call = add_call();
  call.target = "add2";
  EXPECT_EQ(outcome(*lane, head_of(signer.sign(call, now))), "the token is of another target");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("cap", "consume"))),
            "the token is not for calls");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("cap", Value::array({"produce"})))),
            "the token is not for calls");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("hash", 1))),
            "the token's hash is not a string");
}

TEST(Lane, RefusesTokensOfOtherKeys) {
  const auto lane = lane_of(hmac_rules());
  const LaneSigner other(secret_key("another secret of thirty-two byt"));
  EXPECT_EQ(outcome(*lane, head_of(other.sign(add_call(), now))),
            "the token's signature is not of this key");
  HttpRequestHead head = head_of(LaneSigner(secret_key()).sign(add_call(), now));
  std::string& value = head.headers.front().value;
  value.erase(value.rfind('.') + 1);
  EXPECT_EQ(outcome(*lane, head), "the token's signature is not of this key");
}

TEST(Lane, RefusesAlgorithmsThatAreNotItsKeys) {
  const auto lane = lane_of(hmac_rules());
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("", {}))), "good h");
  for (const char* algorithm : {"none", "None", "hs256", "HS384", "RS256", "EdDSA", ""}) {
    EXPECT_EQ(outcome(*lane, signed_head(claims_with("", {}), algorithm)),
              "the token's algorithm is not HS256");
  }
}

// The public key is known to all, so it must not do as a secret.
TEST(Lane, TakesNoPublicKeyForASecret) {
  const testing::KeyPair pair = testing::rsa_pair(2048);
  const auto lane =
      lane_of({.mode = LaneMode::asymmetric, .public_keys = {{"k", pair.public_pem}}});
  const LaneSigner forged(secret_key(pair.public_pem), {.key_id = "k"});
  EXPECT_EQ(outcome(*lane, head_of(forged.sign(add_call(), now))),
            "the token's algorithm is not RS256");
}

TEST(Lane, FindsItsKeysByTheirIds) {
  const testing::KeyPair edwards = testing::ed25519_pair();
  const testing::KeyPair p256 = testing::ec_pair("P-256");
  const auto lane =
      lane_of({.mode = LaneMode::asymmetric,
               .public_keys = {{"one", edwards.public_pem}, {"two", p256.public_pem}}});
  const LaneKey first = LaneKey::of_private_pem(edwards.private_pem).value();
  const LaneKey second = LaneKey::of_private_pem(p256.private_pem).value();
  const auto by = [&](const LaneKey& key, std::optional<std::string> key_id) {
    const LaneSigner signer(key, {.key_id = std::move(key_id)});
    return outcome(*lane, head_of(signer.sign(add_call(), now)));
  };
  EXPECT_EQ(by(first, "one"), "good " + body_hash("{}"));
  EXPECT_EQ(by(second, "two"), "good " + body_hash("{}"));
  EXPECT_EQ(by(first, "two"), "the token's algorithm is not ES256");
  EXPECT_EQ(by(first, "three"), "the token is of a key that the lane does not have");
  EXPECT_EQ(by(first, std::nullopt), "the token names none of the lane's keys");
  const LaneKey stranger = LaneKey::of_private_pem(testing::ed25519_pair().private_pem).value();
  EXPECT_EQ(by(stranger, "one"), "the token's signature is not of this key");
}

TEST(Lane, NeedsNoIdOfItsOnlyKey) {
  const testing::KeyPair pair = testing::ed25519_pair();
  const auto lane =
      lane_of({.mode = LaneMode::asymmetric, .public_keys = {{"one", pair.public_pem}}});
  const LaneKey key = LaneKey::of_private_pem(pair.private_pem).value();
  EXPECT_TRUE(outcome(*lane, head_of(LaneSigner(key).sign(add_call(), now))).starts_with("good"));
}

TEST(Lane, KnowsWhenATokenCounts) {
  LaneRules rules = hmac_rules();
  rules.skew = 30s;
  const auto lane = lane_of(rules);
  const HttpRequestHead head = head_of(LaneSigner(secret_key()).sign(add_call(), now));
  EXPECT_TRUE(outcome(*lane, head, now - 30s).starts_with("good"));
  EXPECT_EQ(outcome(*lane, head, now - 31s), "the token is issued in the future");
  EXPECT_TRUE(outcome(*lane, head, now + 60s + 29s).starts_with("good"));
  EXPECT_EQ(outcome(*lane, head, now + 60s + 30s), "the token has expired");
  rules.skew = 0s;
  const auto strict = lane_of(rules);
  EXPECT_TRUE(outcome(*strict, head, now).starts_with("good"));
  EXPECT_TRUE(outcome(*strict, head, now + 59s).starts_with("good"));
  EXPECT_EQ(outcome(*strict, head, now + 60s), "the token has expired");
  EXPECT_EQ(outcome(*strict, head, now - 1s), "the token is issued in the future");
}

TEST(Lane, RefusesTimesThatAreNone) {
  const auto lane = lane_of(hmac_rules());
  const std::string_view no_times = "the token has no iat and exp that are times";
  for (const char* key : {"iat", "exp"}) {
    for (const Value& wrong : {Value(), Value("1800000000"), Value(-1), Value(1e300), Value(true)})
      EXPECT_EQ(outcome(*lane, signed_head(claims_with(key, wrong))), no_times) << key;
  }
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("exp", 1'799'999'999))),
            "the token expires before it is issued");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("iat", 1'800'000'000.5))), "good h");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("nbf", 1'800'000'031))),
            "the token is not valid yet");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("nbf", "now"))), "the token is not valid yet");
  EXPECT_EQ(outcome(*lane, signed_head(claims_with("nbf", 1'800'000'030))), "good h");
}

TEST(Lane, HasNoTaskOfAnotherLane) {
  EXPECT_TRUE(lanes_of({{"a", LaneRules{.tasks = {"add"}, .secret = secret}},
                        {"b", LaneRules{.events = {"add"}, .secret = secret}}}));
  EXPECT_EQ(lanes_of({{"a", LaneRules{.tasks = {"add"}, .secret = secret}},
                      {"b", LaneRules{.tasks = {"add"}, .secret = secret}}})
                .error()
                .message,
            "lanes.b: the task add is of the lane a already");
}

TEST(Lane, IsNotMadeOfWrongRules) {
  const auto why = [](const LaneRules& rules) {
    const auto lane = Lane::create("sums", rules);
    return lane ? "it is one" : lane.error().message;
  };
  LaneRules rules = hmac_rules();
  rules.secret = "short";
  EXPECT_EQ(why(rules), "lanes.sums: the secret has 5 bytes; it needs 16, and 32 are better");
  rules = hmac_rules();
  rules.public_keys = {{"k", testing::ed25519_pair().public_pem}};
  EXPECT_EQ(why(rules), "lanes.sums: public_keys go with the mode asymmetric");
  rules.mode = LaneMode::asymmetric;
  EXPECT_EQ(why(rules), "lanes.sums: a secret goes with the mode hmac");
  rules.secret.clear();
  EXPECT_EQ(why(rules), "it is one");
  rules.public_keys.push_back(rules.public_keys.front());
  EXPECT_EQ(why(rules), "lanes.sums: the key \"k\" is there twice");
  rules.public_keys = {{"k", "hello"}};
  EXPECT_EQ(why(rules),
            "lanes.sums: the key \"k\" is not in PEM: it begins with "
            "-----BEGIN PUBLIC KEY-----");
  rules.public_keys.clear();
  EXPECT_EQ(why(rules), "lanes.sums: public_keys: at least one is needed");
  rules = hmac_rules();
  rules.header.clear();
  EXPECT_EQ(why(rules), "lanes.sums: header: a name is needed");
}

}  // namespace
}  // namespace cordon::tunnel
