#include "cordon/protocol/tunnel/policy.h"

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

using Kind = Policy::Kind;
using Verdict = Policy::Verdict;

Policy policy_of(PolicyOptions options) {
  return Policy(std::make_shared<const PolicyOptions>(std::move(options)));
}

HttpRequestHead with(std::vector<HttpHeader> headers) {
  HttpRequestHead head;
  head.headers = std::move(headers);
  return head;
}

TEST(TunnelPolicy, FindsWhatWasAddedAndIsOnTheAllowList) {
  Policy policy = policy_of({.exposed = ExposedIds{{"a", "absent"}, {"e"}}});
  EXPECT_TRUE(policy.add(Kind::task, "a", {.number = 1}));
  EXPECT_TRUE(policy.add(Kind::task, "b", {.number = 2}));
  EXPECT_TRUE(policy.add(Kind::event, "a", {.number = 3}));
  EXPECT_TRUE(policy.add(Kind::event, "e", {.number = 4}));
  EXPECT_FALSE(policy.add(Kind::task, "a", {.number = 5})) << "two of one id";
  EXPECT_EQ(policy.find(Kind::task, "a").value()->number, 1u);
  EXPECT_EQ(policy.find(Kind::event, "e").value()->number, 4u);
  // Whether it is served or not.
  for (const char* const id : {"b", "absent", "nobody"})
    EXPECT_EQ(policy.find(Kind::task, id).error(), task_not_exposed(id));
  EXPECT_EQ(policy.find(Kind::event, "a").error(), event_not_exposed("a"));
}

TEST(TunnelPolicy, KnowsItsValidators) {
  Policy policy = policy_of({});
  EXPECT_TRUE(policy.add(Kind::task, "v", {.number = 7}));
  EXPECT_TRUE(policy.add_validator("v"));
  EXPECT_FALSE(policy.add_validator("nobody"));
  ASSERT_EQ(policy.validators().size(), 1u);
  EXPECT_EQ(policy.validators()[0]->number, 7u);
  EXPECT_EQ(policy.judge(with({})), Verdict::ask_validators);
}

TEST(TunnelPolicy, ComparesTokensOfOneHeader) {
  Policy policy = policy_of({.auth = {.tokens = {"one", "two", ""}, .header = "x-key"}});
  EXPECT_EQ(policy.judge(with({{"x-key", "one"}})), Verdict::let_in);
  EXPECT_EQ(policy.judge(with({{"x-key", "two"}})), Verdict::let_in);
  for (const char* const wrong : {"", "o", "onetwo", "One"})
    EXPECT_EQ(policy.judge(with({{"x-key", wrong}})), Verdict::refused) << wrong;
  EXPECT_EQ(policy.judge(with({})), Verdict::refused);
  EXPECT_EQ(policy.judge(with({{"x-runner-token", "one"}})), Verdict::refused);
  EXPECT_EQ(policy.judge(with({{"x-key", "one"}, {"x-key", "one"}})), Verdict::refused);
}

TEST(TunnelPolicy, LetsNobodyInUnlessItIsToldTo) {
  EXPECT_EQ(policy_of({}).judge(with({})), Verdict::not_configured);
  EXPECT_EQ(policy_of({.auth = {.allow_anonymous = true}}).judge(with({})), Verdict::let_in);
  EXPECT_EQ(
      policy_of({.auth = {.allow_anonymous = true}, .has_absent_validators = true}).judge(with({})),
      Verdict::refused);
}

}  // namespace
}  // namespace cordon::tunnel
