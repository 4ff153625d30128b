#include "cordon/config/tunnel_form.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/config/load.h"
#include "cordon/config/testing/imagined.h"

namespace cordon::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> tunnel_mistakes(const std::string& tunnel) {
  return mistakes("{\"tunnels\": {\"t\":\n" + tunnel + "}}");
}
TunnelTarget tunnel_of(const std::string& text) {
  const Loaded found = loaded("{\"tunnels\": {\"t\":\n" + text + "}}");
  EXPECT_TRUE(found.is_right());
  return found.configuration.tunnels.at(0).second;
}

TEST(TunnelForm, ReadsWhatATunnelIsAskedWith) {
  const TunnelTarget tunnel = tunnel_of(R"({
    "url": "https://remote.example/__runner", "token": {"env": "TOKEN"}, "header": "Authorization",
    "headers": {"x-team": "blue", "x-key": {"env": "TOKEN"}}, "allow": ["app.tasks.*", "shop.buy"],
    "maxCalls": 5, "maxBytes": 1000, "timeoutMs": 200, "discoveryTimeoutMs": 100,
    "lanes": {"sums": {"tasks": ["app.*"], "secret": "a secret of thirty-two bytes, ok",
                       "keyId": "2026", "header": "X-Lane"}}})");
  EXPECT_EQ(tunnel.url, "https://remote.example/__runner");
  EXPECT_EQ(tunnel.token, "from environment");
  EXPECT_EQ(tunnel.header, "authorization");
  ASSERT_EQ(tunnel.headers.size(), 2u);
  EXPECT_EQ(tunnel.headers[1].second, "from environment");
  EXPECT_THAT(*tunnel.allow, ElementsAre("app.tasks.*", "shop.buy"));
  EXPECT_EQ(tunnel.max_calls, 5u);
  EXPECT_EQ(tunnel.max_bytes, 1000u);
  EXPECT_EQ(tunnel.timeout, std::chrono::milliseconds(200));
  EXPECT_EQ(tunnel.discovery_timeout, std::chrono::milliseconds(100));
  ASSERT_EQ(tunnel.lanes.size(), 1u);
  EXPECT_EQ(tunnel.lanes[0].first, "sums");
  EXPECT_EQ(tunnel.lanes[0].second.header, "x-lane");
  EXPECT_EQ(tunnel.lanes[0].second.key_id, "2026");
}

TEST(TunnelForm, HasLimitsUnlessItIsTold) {
  const TunnelTarget tunnel = tunnel_of(R"({"url": "http://a"})");
  EXPECT_EQ(tunnel.token, std::nullopt);
  EXPECT_EQ(tunnel.header, "x-runner-token");
  EXPECT_EQ(tunnel.allow, std::nullopt);
  EXPECT_EQ(tunnel.max_calls, std::nullopt);
  EXPECT_EQ(tunnel.max_bytes, std::uint64_t{256} << 20);
  EXPECT_EQ(tunnel.timeout, std::chrono::seconds(30));
  EXPECT_THAT(*tunnel_of(R"({"url": "http://a", "allow": []})").allow, IsEmpty());
}

TEST(TunnelForm, TakesASocketBesideTheFile) {
  const std::string url = tunnel_of(R"({"url": "unix:run/s:/__runner"})").url;
  EXPECT_TRUE(url.starts_with("unix:/")) << url;
  EXPECT_TRUE(url.ends_with("/run/s:/__runner")) << url;
}

TEST(TunnelForm, SaysWhatIsWrongWithAUrl) {
  EXPECT_THAT(tunnel_mistakes(R"({"url": "ftp://a"})"),
              ElementsAre("cordon.json:2:9: tunnels.t.url: a URL begins with http://, https:// or "
                          "unix:; write it as \"http://127.0.0.1:7070/__runner\""));
  for (const char* url : {"http://", "http://user:hunter2@a", "http://a?b", "http://a:99999",
                          "unix:", "https://a b"}) {
    const auto found = tunnel_mistakes("{\"url\": \"" + std::string(url) + "\"}");
    ASSERT_EQ(found.size(), 1u) << url;
    EXPECT_THAT(found[0], HasSubstr("tunnels.t.url: "));
    EXPECT_THAT(found[0], Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(tunnel_mistakes("{}"),
              ElementsAre(HasSubstr("tunnels.t: the key \"url\" is missing")));
}

TEST(TunnelForm, SaysWhatIsWrongWithHeaders) {
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "headers": {"Content-Length": "1"}})"),
              ElementsAre(HasSubstr("this header is written by Cordon")));
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "headers": {"a b": "1"}})"),
              ElementsAre(HasSubstr("a name in HTTP has letters, digits and - alone")));
  EXPECT_THAT(
      tunnel_mistakes(R"({"url": "http://a", "token": "x", "headers": {"X-Runner-Token": "1"}})"),
      ElementsAre(HasSubstr("headers: X-Runner-Token has the token already")));
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "headers": {"x-key": {"env": "NONE"}}})"),
              ElementsAre(HasSubstr("the environment has no NONE")));
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "token": {"env": "NONE"}})"),
              ElementsAre(HasSubstr("tunnels.t.token: the environment has no NONE")));
}

TEST(TunnelForm, SaysWhatIsWrongWithPatternsAndLimits) {
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "allow": ["app.*", ""]})"),
              ElementsAre(HasSubstr("tunnels.t.allow[1]: is empty")));
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "maxBytes": 0})"),
              ElementsAre(HasSubstr("it is a whole number from 1 to")));
  EXPECT_THAT(tunnel_mistakes(R"({"url": "http://a", "maxcalls": 1})"),
              ElementsAre(HasSubstr("did you mean \"maxCalls\"?")));
}

TEST(TunnelForm, SaysWhatIsWrongWithALane) {
  const auto lane = [](const std::string& more) {
    return tunnel_mistakes(R"({"url": "http://a", "lanes": {"l": {"tasks": ["*"])" + more + "}}}");
  };
  EXPECT_THAT(lane(""), ElementsAre(HasSubstr("has no secret and no privateKey")));
  EXPECT_THAT(lane(R"(, "secret": "hunter2")"),
              ElementsAre(testing::AllOf(HasSubstr("lanes.l.secret: the secret "),
                                         Not(HasSubstr("hunter2")))));
  EXPECT_THAT(lane(R"(, "privateKey": "no PEM")"),
              ElementsAre(HasSubstr("lanes.l.privateKey: the key ")));
  EXPECT_THAT(
      tunnel_mistakes(R"({"url": "http://a", "lanes": {"l": {"secret": "a secret of sixteen"}}})"),
      ElementsAre(HasSubstr("the key \"tasks\" is missing")));
}

}  // namespace
}  // namespace cordon::config
