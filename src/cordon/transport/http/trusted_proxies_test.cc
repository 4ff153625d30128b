#include "cordon/transport/http/trusted_proxies.h"

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

TrustedProxies trusting(std::vector<std::string> entries) {
  return *TrustedProxies::parse(entries);
}

TEST(TrustedProxies, KnowsAddressesAndRanges) {
  const TrustedProxies proxies = trusting({"10.1.0.0/15", "192.0.2.7", "fd00::/9", "::1"});
  for (const char* const inside :
       {"10.0.0.1", "10.1.255.255", "::ffff:10.0.0.1", "192.0.2.7", "fd7f::1", "::1"}) {
    EXPECT_TRUE(proxies.trusts(inside)) << inside;
  }
  for (const char* const outside : {"10.2.0.0", "192.0.2.8", "fd80::1", "::2", "", "x", "1.2.3"})
    EXPECT_FALSE(proxies.trusts(outside)) << outside;
  EXPECT_TRUE(trusting({"unix"}).trusts(""));
  EXPECT_TRUE(trusting({"0.0.0.0/0"}).trusts("8.8.8.8"));
  EXPECT_FALSE(trusting({"0.0.0.0/0"}).trusts("2001:db8::1"));
  for (const char* const wrong : {"", "a", "1.2.3.4/33", "1.2.3.4/", "::/129", "1.2.3.4/8x", "/8"})
    EXPECT_FALSE(TrustedProxies::parse(std::vector<std::string>{wrong})) << wrong;
}

TEST(TrustedProxies, BelievesOnlyThoseItTrusts) {
  const TrustedProxies proxies = trusting({"10.0.0.0/8"});
  const auto address = [&](std::string peer, std::vector<Header> headers) {
    return proxies.origin_of({.address = std::move(peer)}, headers).address;
  };
  EXPECT_EQ(address("1.1.1.1", {{"x-forwarded-for", "2.2.2.2"}}), "1.1.1.1");
  EXPECT_EQ(address("10.0.0.1", {{"x-forwarded-for", "2.2.2.2"}}), "2.2.2.2");
  // What the client itself wrote stands before what the proxies added.
  EXPECT_EQ(address("10.0.0.1", {{"x-forwarded-for", "9.9.9.9, 2.2.2.2, 10.0.0.2"}}), "2.2.2.2");
  EXPECT_EQ(address("10.0.0.1", {{"x-forwarded-for", "9.9.9.9"}, {"x-forwarded-for", "2.2.2.2"}}),
            "2.2.2.2");
  EXPECT_EQ(address("10.0.0.1", {{"x-forwarded-for", "junk"}}), "10.0.0.1");
  EXPECT_EQ(address("10.0.0.1", {{"x-forwarded-for", "2.2.2.2:80"}}), "2.2.2.2");
  EXPECT_EQ(address("10.0.0.1", {}), "10.0.0.1");
  EXPECT_EQ(
      address("10.0.0.1", {{"forwarded", "for=9.9.9.9, For=\"[2001:db8::1]:80\";proto=https"}}),
      "2001:db8::1");
  EXPECT_EQ(address("10.0.0.1", {{"forwarded", "for=2.2.2.2"}, {"x-forwarded-for", "3.3.3.3"}}),
            "2.2.2.2");
  EXPECT_EQ(address("10.0.0.1", {{"forwarded", "for=unknown"}}), "10.0.0.1");
}

TEST(TrustedProxies, FollowsTheEndOfALongListAndNoMore) {
  const TrustedProxies proxies = trusting({"10.0.0.0/8"});
  const auto address = [&](const std::string& list) {
    return proxies.origin_of({.address = "10.0.0.1"}, {{"x-forwarded-for", list}}).address;
  };
  EXPECT_EQ(address(std::string(16'000, ',') + "2.2.2.2"), "2.2.2.2");
  EXPECT_EQ(address(std::string(16'000, ',')), "10.0.0.1");
  std::string chain = "2.2.2.2";
  for (int i = 0; i < 63; ++i) chain += ", 10.0.0.2";
  EXPECT_EQ(address(chain), "2.2.2.2");
  EXPECT_EQ(address(chain + ", 10.0.0.2"), "10.0.0.2");
}

TEST(TrustedProxies, KnowsWhetherTheClientSpokeTls) {
  const TrustedProxies proxies = trusting({"10.0.0.0/8"});
  const auto is_secure = [&](std::string peer, std::vector<Header> headers) {
    return proxies.origin_of({.address = std::move(peer)}, headers).is_secure;
  };
  EXPECT_TRUE(is_secure("10.0.0.1", {{"x-forwarded-proto", "https"}}));
  EXPECT_TRUE(
      is_secure("10.0.0.1", {{"x-forwarded-for", "2.2.2.2"}, {"x-forwarded-proto", "HTTPS"}}));
  EXPECT_TRUE(is_secure("10.0.0.1", {{"forwarded", "for=2.2.2.2;proto=https"}}));
  EXPECT_FALSE(is_secure("10.0.0.1", {{"x-forwarded-proto", "http"}}));
  EXPECT_FALSE(is_secure("1.1.1.1", {{"x-forwarded-proto", "https"}}));
}

}  // namespace
}  // namespace cordon::transport::http
