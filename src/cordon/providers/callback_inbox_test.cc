#include "cordon/providers/callback_inbox.h"

#include <poll.h>
#include <thread>

#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;

bool is_readable(int descriptor) {
  pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) == 1;
}

class CallbackInboxTest : public testing::Test {
 protected:
  Reply reply_for(std::optional<std::string> id, std::optional<Instant> deadline = {},
                  CallbackInbox::Check check = {}) {
    return inbox_->reply_for(std::move(id), Charge(budget_), deadline, std::move(check));
  }

  std::shared_ptr<Budget> budget_ = std::make_shared<Budget>(Budget::Limits{.bytes = 1000});
  std::shared_ptr<CallbackInbox> inbox_ = std::make_shared<CallbackInbox>();
};

TEST_F(CallbackInboxTest, HasAnswersFromAnyThread) {
  Reply reply = reply_for("a");
  EXPECT_EQ(inbox_->open(), 1u);
  EXPECT_FALSE(is_readable(inbox_->descriptor()));
  std::thread([&] { reply(Value(7)); }).join();
  EXPECT_TRUE(is_readable(inbox_->descriptor()));
  const std::vector<CallbackAnswer> answers = inbox_->take();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front().id, "a");
  EXPECT_EQ(*answers.front().result, Value(7));
  EXPECT_FALSE(is_readable(inbox_->descriptor()));
  EXPECT_EQ(inbox_->open(), 0u);
}

TEST_F(CallbackInboxTest, TellsNobodyOfAnAnswerThatNobodyAskedFor) {
  Reply reply = reply_for(std::nullopt);
  reply(Value(7));
  EXPECT_TRUE(inbox_->take().empty());
  EXPECT_EQ(inbox_->open(), 0u);
}

TEST_F(CallbackInboxTest, AnswersForAReplyThatIsDropped) {
  {
    const Reply dropped = reply_for("a");
  }
  const std::vector<CallbackAnswer> answers = inbox_->take();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_FALSE(answers.front().result.has_value());
}

TEST_F(CallbackInboxTest, AnswersWhatIsLateAndTellsItToStop) {
  const Instant soon = std::chrono::steady_clock::now();
  Reply late = reply_for("late", soon);
  Reply other = reply_for("other", soon + 1h);
  EXPECT_EQ(inbox_->deadline(), soon);
  const std::stop_token stop = late.stop_token();
  const std::vector<CallbackAnswer> answers = inbox_->take();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers.front().id, "late");
  EXPECT_TRUE(answers.front().result.error().is(ErrorCode::timeout));
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_FALSE(other.stop_token().stop_requested());
  EXPECT_EQ(inbox_->deadline(), soon + 1h);
  late(Value(1));  // it comes too late to be heard
  EXPECT_TRUE(inbox_->take().empty());
}

TEST_F(CallbackInboxTest, LooksAtAResultBeforeItLeaves) {
  const auto refuse = [](const Value&) -> Result<Value> {
    return fail(ErrorCode::tool_error, "refused");
  };
  reply_for("good", {}, refuse)(Value(1));
  // A failure is no result, and goes as it is.
  reply_for("bad", {}, refuse)(fail(ErrorCode::io, "gone"));
  const std::vector<CallbackAnswer> answers = inbox_->take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].result.error().message, "refused");
  EXPECT_EQ(answers[1].result.error().message, "gone");
}

TEST_F(CallbackInboxTest, HoldsTheCostOfACallUntilItIsAnswered) {
  Charge held(budget_);
  ASSERT_TRUE(held.add(600));
  Reply reply = inbox_->reply_for("a", std::move(held));
  EXPECT_EQ(budget_->used(), 600u);
  reply(Value());
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(CallbackInboxTest, StopsAllThatRun) {
  const Reply first = reply_for("a");
  const Reply second = reply_for("b");
  const std::stop_token stop = second.stop_token();
  inbox_->stop();
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_TRUE(first.stop_token().stop_requested());
}

}  // namespace
}  // namespace cordon::providers
