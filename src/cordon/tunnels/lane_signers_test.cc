#include "cordon/tunnels/lane_signers.h"

#include <gtest/gtest.h>

#include "cordon/protocol/tunnel/body_hash.h"

namespace cordon::tunnels {
namespace {

using namespace std::chrono_literals;

constexpr tunnel::LaneTime now{1'800'000'000s};
const std::string secret(32, 's');

// Checks a token as a server of the lane does.
Result<std::optional<std::string>> checked(const TunnelHeader& header, const std::string& name,
                                           tunnel::LaneKind kind, std::string_view id,
                                           tunnel::LaneTime time = now) {
  LaneRules rules{.tasks = {"app.add"}, .events = {"app.told"}};
  rules.secret = secret;
  rules.header = header.name;
  const auto lane = tunnel::Lane::create(name, rules);
  if (!lane) return fail(lane.error());
  HttpRequestHead head;
  head.headers = {{header.name, header.value}};
  return (*lane)->check(head, kind, id, time);
}

TEST(LaneSigners, SignWhatAServerOfTheLaneAccepts) {
  const LaneSigners signers = *LaneSigners::create(
      {{.name = "app.lane", .tasks = {"app.*"}, .events = {"app.told"}, .secret = secret}});
  const std::string_view body = R"({"input":1})";
  const auto header =
      signers.sign({.target = TunnelTarget::task, .id = "app.add", .body = body}, now);
  ASSERT_TRUE(header && *header);
  EXPECT_EQ((*header)->name, "authorization");
  EXPECT_TRUE((*header)->value.starts_with("Bearer "));
  const auto claimed = checked(**header, "app.lane", tunnel::LaneKind::task, "app.add");
  ASSERT_TRUE(claimed) << claimed.error();
  EXPECT_EQ(*claimed, tunnel::body_hash(body));

  EXPECT_FALSE(checked(**header, "app.lane", tunnel::LaneKind::task, "app.other"));
  EXPECT_FALSE(checked(**header, "app.lane", tunnel::LaneKind::event, "app.add"));
  EXPECT_FALSE(checked(**header, "other", tunnel::LaneKind::task, "app.add"));
  EXPECT_FALSE(checked(**header, "app.lane", tunnel::LaneKind::task, "app.add", now + 1h));

  const auto event = signers.sign({.target = TunnelTarget::event, .id = "app.told"}, now);
  ASSERT_TRUE(event && *event);
  const auto unbound = checked(**event, "app.lane", tunnel::LaneKind::event, "app.told");
  ASSERT_TRUE(unbound) << unbound.error();
  EXPECT_EQ(*unbound, std::nullopt);
}

TEST(LaneSigners, LeaveOtherCallsAlone) {
  const LaneSigners signers =
      *LaneSigners::create({{.name = "a", .tasks = {"app.*"}, .secret = secret}});
  EXPECT_FALSE(*signers.sign({.id = "other.add"}, now));
  EXPECT_FALSE(*signers.sign({.target = TunnelTarget::event, .id = "app.add"}, now));
  EXPECT_FALSE(*signers.sign({.target = TunnelTarget::discovery}, now));
}

TEST(LaneSigners, SayWhichKeyIsOfNoUse) {
  const auto refusal_of = [](TunnelLane lane) {
    lane.name = "l";
    const auto signers = LaneSigners::create({std::move(lane)});
    return signers ? "none" : signers.error().message;
  };
  EXPECT_TRUE(refusal_of({.secret = "short"}).starts_with("lanes.l: the key "));
  EXPECT_EQ(refusal_of({}), "lanes.l: the key is either a secret or a private key");
  EXPECT_EQ(refusal_of({.secret = secret, .private_key = "x"}),
            "lanes.l: the key is either a secret or a private key");
  EXPECT_TRUE(refusal_of({.private_key = "no PEM"}).starts_with("lanes.l: the key "));
}

}  // namespace
}  // namespace cordon::tunnels
