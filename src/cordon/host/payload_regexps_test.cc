#include "cordon/host/payload_regexps.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

TEST(PayloadRegExps, HasANumberOfNewPatterns) {
  const SandboxRegExps regexps;
  const PayloadRegExps first(regexps, {.max_patterns = 3, .max_time = std::chrono::seconds(60)});
  for (int round = 0; round < 2; ++round) {
    for (const char* pattern : {"a", "b", "c"}) EXPECT_TRUE(*first.is_regexp(pattern, ""));
  }
  const Result<bool> past = first.is_regexp("d", "");
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().code, ErrorCode::too_large);
  EXPECT_EQ(past.error().message, "Too many RegExp patterns (3)");
  EXPECT_EQ(regexps.asked(), 3u);

  // What is known costs nothing, and so does not count.
  const PayloadRegExps second(regexps, {.max_patterns = 1, .max_time = std::chrono::seconds(60)});
  for (const char* pattern : {"a", "b", "c", "d"}) EXPECT_TRUE(*second.is_regexp(pattern, ""));
  EXPECT_FALSE(second.is_regexp("e", ""));
}

TEST(PayloadRegExps, HaveATimeForAllOfThem) {
  const SandboxRegExps regexps;
  const PayloadRegExps payload(
      regexps, {.max_patterns = 1'000'000, .max_time = std::chrono::milliseconds(20)});
  Error error;
  for (int i = 0; error.message.empty(); ++i) {
    const Result<bool> answer = payload.is_regexp("a" + std::to_string(i), "");
    if (!answer) error = answer.error();
  }
  EXPECT_EQ(error, (Error{ErrorCode::too_large, "RegExp patterns take too long"}));
  // One that ran out of time is as good as one that nobody asked for.
  const std::size_t asked = regexps.asked();
  EXPECT_FALSE(payload.is_regexp("one more", ""));
  EXPECT_EQ(regexps.asked(), asked);
  EXPECT_TRUE(*regexps.is_regexp("one more", ""));
}

TEST(PayloadRegExps, AsksNobodyWhereThatIsWanted) {
  const SandboxRegExps regexps;
  EXPECT_TRUE(*regexps.is_regexp("known", "g"));
  const PayloadRegExps payload(regexps, {}, PayloadRegExps::Asking::nobody);
  EXPECT_TRUE(*payload.is_regexp("known", "g"));
  EXPECT_FALSE(payload.has_met_new());
  EXPECT_EQ(payload.is_regexp("known", "").error().code, ErrorCode::unavailable);
  EXPECT_TRUE(payload.has_met_new());
  EXPECT_EQ(regexps.asked(), 1u);
}

}  // namespace
}  // namespace cordon::host
