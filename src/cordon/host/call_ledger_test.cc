#include "cordon/host/call_ledger.h"

#include <chrono>

#include <gtest/gtest.h>

#include "cordon/value/value_builder.h"

namespace cordon::host {
namespace {

using namespace std::chrono_literals;

const Instant start{};

class CallLedgerTest : public testing::Test {
 protected:
  CallRecord open(std::uint64_t call, std::size_t bytes = 0, Instant now = start) {
    return calls.open(call, "shop", "price", bytes, Value("tea"), start, now);
  }
  void fail(std::uint64_t call, const Error& how) {
    open(call);
    calls.close(call, 0, &how, start);
  }
  CallLedger calls;
  const Error failure{ErrorCode::tool_error, "sold out"};
};

TEST_F(CallLedgerTest, ShowsACallFromItsStart) {
  const CallRecord record = open(7, 0, start + 3ms);
  EXPECT_EQ(record.provider, "shop");
  EXPECT_EQ(record.tool, "price");
  EXPECT_EQ(record.started, 3ms);
  EXPECT_FALSE(record.answered);
  EXPECT_EQ(calls.open_count(), 1u);
}

TEST_F(CallLedgerTest, ClosesACallOnce) {
  open(7, 0, start + 3ms);
  const auto closed = calls.close(7, 9, nullptr, start + 10ms);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->took, 7ms);
  EXPECT_TRUE(closed->answered);
  EXPECT_TRUE(closed->ok);
  EXPECT_EQ(closed->answer_bytes, 9u);
  EXPECT_EQ(calls.open_count(), 0u);
  EXPECT_FALSE(calls.close(7, 9, nullptr, start).has_value()) << "answered before";
  EXPECT_FALSE(calls.close(8, 9, nullptr, start).has_value()) << "never made";
}

TEST_F(CallLedgerTest, KeepsTheOrderOfCallingAndTellsWhichWereNeverAnswered) {
  for (const unsigned call : {1u, 2u, 3u}) open(call, 0, start + std::chrono::milliseconds(call));
  calls.close(3, 0, &failure, start + 10ms);
  calls.close(1, 9, nullptr, start + 20ms);
  const std::vector<CallRecord> records = calls.take();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].started, 1ms);
  EXPECT_TRUE(records[0].ok);
  EXPECT_FALSE(records[1].answered);
  EXPECT_FALSE(records[1].ok);
  EXPECT_TRUE(records[2].answered);
  EXPECT_FALSE(records[2].ok);
}

TEST_F(CallLedgerTest, CountsAllCallsAndKeepsTheFirstTenThousand) {
  for (std::uint64_t call = 1; call <= 10'005; ++call) open(call);
  // One past the kept ones closes like any other, and writes over none of them.
  const auto past = calls.close(10'003, 0, &failure, start + 1ms);
  ASSERT_TRUE(past.has_value());
  EXPECT_FALSE(past->ok);
  EXPECT_TRUE(calls.close(10'000, 9, nullptr, start + 1ms).has_value());
  EXPECT_EQ(calls.count(), 10'005u);
  const std::vector<CallRecord> records = calls.take();
  ASSERT_EQ(records.size(), 10'000u);
  EXPECT_TRUE(records.back().ok);
  EXPECT_FALSE(records.front().answered);
}

TEST_F(CallLedgerTest, DoesNotKeepLargeValuesOfOpenCalls) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{});
  {
    ValueBuilder builder(budget);
    const Value input = builder.finish(builder.string(std::string(100'000, 'x')));
    calls.open(1, "shop", "price", 100'000, input, start, start);
    EXPECT_GE(budget->used(), 100'000u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST_F(CallLedgerTest, KnowsWhichCallFailedWithItsInputCutShort) {
  open(1);
  const auto closed = calls.close(1, 0, &failure, start);
  EXPECT_EQ(closed->error, "tool_error: sold out");
  ASSERT_NE(calls.failure_of(1), nullptr);
  EXPECT_EQ(calls.failure_of(1)->call.provider, "shop");
  EXPECT_EQ(calls.failure_of(1)->call.tool, "price");
  EXPECT_EQ(calls.failure_of(1)->call.input, "\"tea\"");

  calls.open(2, "shop", "price", 0, Value(std::string(1000, 'x')), start, start);
  calls.close(2, 0, &failure, start);
  EXPECT_LT(calls.failure_of(2)->call.input.size(), 130u);
  EXPECT_TRUE(calls.failure_of(2)->call.input.ends_with("x…"));
}

TEST_F(CallLedgerTest, RemembersTheLatestFailuresAndMoreThanCanBePending) {
  EXPECT_EQ(calls.failure_of(1), nullptr);
  for (std::uint64_t call = 1; call <= 16'385; ++call) {
    fail(call, {ErrorCode::tool_error, "failure " + std::to_string(call)});
  }
  EXPECT_EQ(calls.failure_of(1), nullptr);
  ASSERT_NE(calls.failure_of(2), nullptr);
  EXPECT_EQ(calls.failure_of(2)->told.message, "failure 2");
  ASSERT_NE(calls.failure_of(16'385), nullptr);
  EXPECT_EQ(calls.failure_of(16'385)->told.code, ErrorCode::tool_error);
}

TEST_F(CallLedgerTest, BoundsTheTextOfFailures) {
  for (std::uint64_t call = 1; call <= 5; ++call) {
    fail(call, {ErrorCode::tool_error, std::string(std::size_t{20} << 20, 'x')});
  }
  EXPECT_EQ(calls.failure_of(2), nullptr);
  EXPECT_NE(calls.failure_of(3), nullptr);
  EXPECT_NE(calls.failure_of(5), nullptr);
}

}  // namespace
}  // namespace cordon::host
