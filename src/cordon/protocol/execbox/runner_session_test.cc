#include "cordon/protocol/execbox/runner_session.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/codec/json/decode.h"

namespace cordon::execbox {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view execute_text =
    R"({"type":"execute","id":"e","code":"1","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,)"
    R"("maxLogLines":100,"maxLogChars":64000},"providers":[]})";
constexpr std::string_view cancel_text = R"({"type":"cancel","id":"e"})";

std::string with_id(std::string text, const std::string& id) {
  return text.replace(text.find("\"e\""), 3, "\"" + id + "\"");
}

std::string result_of(std::string_view call_id) {
  return R"({"type":"tool_result","callId":")" + std::string(call_id) +
         R"(","ok":true,"result":7})";
}

class RunnerSessionTest : public testing::Test {
 protected:
  // What came out since the last time.
  std::string lines() { return std::exchange(session.output(), {}); }
  template <class T>
  T only_order() {
    std::vector<Order> orders = session.take_orders();
    EXPECT_EQ(orders.size(), 1u);
    return std::get<T>(std::move(orders.at(0)));
  }
  void start() {
    session.on_message(execute_text);
    only_order<Start>();
    lines();
  }
  void expect_silence() {
    EXPECT_THAT(lines(), IsEmpty());
    EXPECT_FALSE(session.has_orders());
  }

  RunnerSession session{SessionLimits{}};
};

TEST_F(RunnerSessionTest, StartsAnExecutionAndEndsItWithDone) {
  EXPECT_TRUE(session.is_idle());
  session.on_message(execute_text);
  EXPECT_EQ(lines(), "{\"type\":\"started\",\"id\":\"e\"}\n");
  EXPECT_EQ(only_order<Start>().execute.code, "1");
  session.on_end({.outcome = Value(1), .logs = {"l"}, .duration = 5ms});
  EXPECT_EQ(lines(),
            "{\"type\":\"done\",\"id\":\"e\",\"ok\":true,\"durationMs\":5,\"logs\":[\"l\"],"
            "\"result\":1}\n");
  EXPECT_TRUE(session.is_over());
}

// Two bytes of text are a node of sixteen.
TEST(RunnerSession, RefusesAMessageThatTakesMoreMemoryThanItsSessionMay) {
  RunnerSession session(SessionLimits{.message_bytes = 8 << 20});
  session.on_message(execute_text);
  session.take_orders();
  ASSERT_EQ(session.on_tool_call("p", "t", Value(1)), 1u);
  std::string zeros = R"({"type":"tool_result","callId":"call-1","ok":true,"result":[0)";
  for (int i = 0; i < 3'000'000; ++i) zeros += ",0";
  session.on_message(zeros + "]}");
  std::vector<Order> orders = session.take_orders();
  ASSERT_EQ(orders.size(), 1u);
  const auto& settle = std::get<Settle>(orders[0]);
  ASSERT_TRUE(std::holds_alternative<Error>(settle.outcome));
  EXPECT_EQ(std::get<Error>(settle.outcome).code, ErrorCode::serialization_error);
}

TEST(RunnerSession, WritesNoLineThatEscapesMakeTooLong) {
  RunnerSession session(SessionLimits{});
  session.on_message(execute_text);
  session.output().clear();
  const Value controls(std::string(std::size_t{12} << 20, '\x01'));
  EXPECT_EQ(session.on_tool_call("p", "t", controls), std::nullopt);
  session.on_end({.outcome = controls, .logs = {}, .duration = 5ms});
  EXPECT_THAT(session.output(), HasSubstr("serialization_error"));
}

TEST_F(RunnerSessionTest, SettlesEachCallOnce) {
  start();
  EXPECT_EQ(session.on_tool_call("p", "t", Value(1)), 1u);
  EXPECT_EQ(session.on_tool_call("p", "t", Value(1)), 2u);
  EXPECT_THAT(lines(), HasSubstr("call-2"));
  session.on_message(result_of("call-2"));
  const auto settled = only_order<Settle>();
  EXPECT_EQ(settled.call, 2u);
  EXPECT_EQ(std::get<Value>(settled.outcome), Value(7));
  session.on_message(result_of("call-2"));
  expect_silence();
}

TEST_F(RunnerSessionTest, IgnoresAnswersToWhatNobodyAsked) {
  session.on_message(result_of("call-1"));
  expect_silence();
  start();
  session.on_tool_call("p", "t", Value(1));
  lines();
  for (const char* id : {"", "call-", "call-0", "call-01", "call-2", "call- 1", "call-1 ", "Call-1",
                         "call-+1", "call--1", "call-99999999999999999999", "1"}) {
    session.on_message(result_of(id));
    expect_silence();
  }
  session.on_message(result_of("call-1"));
  EXPECT_EQ(only_order<Settle>().call, 1u);
}

TEST_F(RunnerSessionTest, CancelsOnlyTheExecutionThatRuns) {
  session.on_message(cancel_text);
  expect_silence();
  start();
  session.on_message(with_id(std::string(cancel_text), "other"));
  expect_silence();
  session.on_message(cancel_text);
  only_order<Stop>();
  session.on_message(cancel_text);
  expect_silence();
  session.on_end({.outcome = Value(1), .logs = {"so far"}, .duration = 9ms});
  EXPECT_EQ(lines(),
            "{\"type\":\"done\",\"id\":\"e\",\"ok\":false,\"durationMs\":9,\"logs\":[\"so far\"],"
            "\"error\":{\"code\":\"timeout\",\"message\":\"Execution timed out\"}}\n");
  session.on_message(cancel_text);
  expect_silence();
}

TEST_F(RunnerSessionTest, GivesNothingToAGuestThatWasCancelled) {
  start();
  session.on_tool_call("p", "t", Value(1));
  session.on_message(cancel_text);
  only_order<Stop>();
  lines();
  session.on_message(result_of("call-1"));
  expect_silence();
  EXPECT_EQ(session.on_tool_call("p", "t", Value(1)), std::nullopt);
  expect_silence();
}

TEST_F(RunnerSessionTest, RefusesASecondExecutionUnderItsOwnId) {
  start();
  session.on_message(with_id(std::string(execute_text), "second"));
  EXPECT_EQ(lines(),
            "{\"type\":\"done\",\"id\":\"second\",\"ok\":false,\"durationMs\":0,\"logs\":[],"
            "\"error\":{\"code\":\"internal_error\",\"message\":\"QuickJS endpoint already has an "
            "active execution\"}}\n");
  EXPECT_FALSE(session.has_orders());
  session.on_message(execute_text);
  expect_silence();
  EXPECT_FALSE(session.is_over());
}

TEST_F(RunnerSessionTest, AnswersAMalformedExecute) {
  session.on_message(R"({"type":"execute","id":"bad","code":5})");
  EXPECT_EQ(lines(),
            "{\"type\":\"done\",\"id\":\"bad\",\"ok\":false,\"durationMs\":0,\"logs\":[],\"error\":"
            "{\"code\":\"validation_error\",\"message\":\"Invalid execute message: code must be a "
            "string\"}}\n");
  EXPECT_FALSE(session.has_orders());
  EXPECT_TRUE(session.is_over());
}

TEST_F(RunnerSessionTest, GoesOnAfterAMalformedSecondExecute) {
  start();
  session.on_message(R"({"type":"execute","id":"bad"})");
  EXPECT_THAT(lines(), HasSubstr("validation_error"));
  session.on_message(R"({"type":"execute","id":"e"})");
  expect_silence();
  EXPECT_FALSE(session.is_over());
}

TEST_F(RunnerSessionTest, IgnoresNoiseInEveryState) {
  const std::vector<std::string> noise = {"",
                                          " ",
                                          "\r",
                                          "x",
                                          "{",
                                          "{}",
                                          "[]",
                                          "null",
                                          R"({"type":"hello","id":"e"})",
                                          std::string("\0", 1),
                                          "\xff\xfe",
                                          R"({"type":"execute","id":"e")",
                                          std::string("{\"type\":\"execute\",\"id\":\"\xff\"}"),
                                          "{\"type\":\"exe\ncute\"}"};
  for (const std::string& line : noise) session.on_message(line);
  expect_silence();
  EXPECT_TRUE(session.is_idle());
  start();
  for (const std::string& line : noise) session.on_message(line);
  expect_silence();
  session.on_end({.outcome = Value(1), .logs = {}, .duration = 1ms});
  lines();
  for (const std::string& line : noise) session.on_message(line);
  session.on_message(execute_text);
  expect_silence();
}

TEST_F(RunnerSessionTest, TellsNoiseThatIsNoObject) {
  using enum RunnerSession::Heard;
  const std::string deep = "{\"a\":" + std::string(5'000, '[') + std::string(5'000, ']') + "}";
  for (const std::string& text : {std::string("{}"), std::string(" {\"type\":5}"), deep})
    EXPECT_EQ(session.on_message(text), object) << text.substr(0, 20);
  for (const std::string& text : {std::string(), std::string("POST / HTTP/1.1\r"),
                                  std::string("[]"), std::string("{"), deep.substr(5)})
    EXPECT_EQ(session.on_message(text), noise) << text.substr(0, 20);
  expect_silence();
}

TEST_F(RunnerSessionTest, AnswersAnExecuteThatItCannotRead) {
  RunnerSession not_utf8{SessionLimits{}};
  not_utf8.on_message("{\"code\":\"\xff\",\"type\":\"execute\",\"id\":\"e\"}");
  EXPECT_THAT(not_utf8.output(), HasSubstr("validation_error"));

  RunnerSession too_large{SessionLimits{.message_bytes = 100}};
  too_large.on_message(execute_text);
  EXPECT_THAT(too_large.output(), HasSubstr("validation_error"));

  session.on_message(R"({"type":"execute","id":"e","code":)" + std::string(200'000, '[') +
                     std::string(200'000, ']') + "}");
  EXPECT_THAT(lines(), HasSubstr("validation_error"));
}

TEST_F(RunnerSessionTest, FailsACallWhoseAnswerItCannotRead) {
  start();
  session.on_tool_call("p", "t", Value(1));
  session.on_oversized(Envelope{.type = "tool_result", .id = {}, .call_id = "call-1"});
  const auto settled = only_order<Settle>();
  EXPECT_EQ(std::get<Error>(settled.outcome).code, ErrorCode::serialization_error);
  session.on_oversized(std::nullopt);
  session.on_oversized(Envelope{.type = "tool_result", .id = {}, .call_id = "call-1"});
  session.on_oversized(Envelope{.type = "cancel", .id = "e", .call_id = {}});
  EXPECT_FALSE(session.has_orders());
}

TEST_F(RunnerSessionTest, IsOverWhereTheInputEndsBeforeAnExecute) {
  session.on_end_of_input();
  expect_silence();
  EXPECT_TRUE(session.is_over());
}

TEST_F(RunnerSessionTest, EndsAsIfCancelledWhereTheRunnerIsShutDown) {
  RunnerSession idle{SessionLimits{}};
  idle.on_shutdown();
  EXPECT_TRUE(idle.is_over());
  EXPECT_THAT(idle.output(), IsEmpty());
  start();
  session.on_shutdown();
  only_order<Stop>();
  session.on_end({.outcome = Error{ErrorCode::cancelled, ""}, .logs = {}, .duration = 1ms});
  EXPECT_THAT(lines(), HasSubstr("Execution timed out"));
}

TEST_F(RunnerSessionTest, EndsAGuestThatWaitsForAnAnswerThatCannotCome) {
  start();
  session.on_tool_call("p", "t", Value(1));
  session.on_wait();
  EXPECT_FALSE(session.has_orders());
  lines();
  session.on_end_of_input();
  only_order<Stop>();
  session.on_end({.outcome = Error{ErrorCode::timeout, "x"}, .logs = {}, .duration = 1ms});
  EXPECT_THAT(lines(), HasSubstr("internal_error"));
}

TEST_F(RunnerSessionTest, LetsAGuestComputeAfterTheEndOfTheInput) {
  start();
  session.on_end_of_input();
  EXPECT_FALSE(session.has_orders());
  session.on_wait();  // for a promise of its own: until its timeout
  EXPECT_FALSE(session.has_orders());
  session.on_tool_call("p", "t", Value(1));
  EXPECT_FALSE(session.has_orders());
  session.on_wait();
  only_order<Stop>();
}

TEST_F(RunnerSessionTest, DoesNotTakeAGuestForWaitingThatHasItsAnswer) {
  start();
  session.on_tool_call("p", "t", Value(1));
  session.on_tool_call("p", "t", Value(1));
  session.on_wait();
  session.on_message(result_of("call-1"));
  only_order<Settle>();
  session.on_end_of_input();
  EXPECT_FALSE(session.has_orders());
}

// Any messages in any order, with a guest that calls, waits and ends as it likes.

enum class Step {
  execute,
  other_execute,
  malformed,
  cancel,
  foreign_cancel,
  result,
  noise,
  call,
  wait,
  end,
  end_of_input
};

RC_GTEST_PROP(RunnerSessionProperty, KeepsTheProtocolInAnyInterleaving, ()) {
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 11));
  RunnerSession session{SessionLimits{}};
  bool guest_runs = false;
  std::uint64_t calls = 0;
  std::vector<std::uint64_t> settled;
  std::string all;
  for (const int number : steps) {
    switch (static_cast<Step>(number)) {
      case Step::execute:
        session.on_message(execute_text);
        break;
      case Step::other_execute:
        session.on_message(with_id(std::string(execute_text), "o"));
        break;
      case Step::malformed:
        session.on_message(R"({"type":"execute","id":"m"})");
        break;
      case Step::cancel:
        session.on_message(cancel_text);
        break;
      case Step::foreign_cancel:
        session.on_message(R"({"type":"cancel","id":"f"})");
        break;
      case Step::result:
        session.on_message(result_of("call-" + std::to_string(*rc::gen::inRange(0, 6))));
        break;
      case Step::noise:
        session.on_message("{\"type\":\"?\"}");
        break;
      case Step::call:
        if (guest_runs && session.on_tool_call("p", "t", Value())) ++calls;
        break;
      case Step::wait:
        if (guest_runs) session.on_wait();
        break;
      case Step::end:
        if (guest_runs) session.on_end({.outcome = Value(), .logs = {}, .duration = 0ms});
        guest_runs = false;
        break;
      case Step::end_of_input:
        session.on_end_of_input();
        break;
    }
    for (Order& order : session.take_orders()) {
      if (std::holds_alternative<Start>(order)) {
        RC_ASSERT(!guest_runs);
        guest_runs = true;
      } else if (const auto* settle = std::get_if<Settle>(&order)) {
        RC_ASSERT(guest_runs);
        RC_ASSERT(settle->call >= 1 && settle->call <= calls);
        RC_ASSERT(std::ranges::find(settled, settle->call) == settled.end());
        settled.push_back(settle->call);
      } else {
        RC_ASSERT(guest_runs);
        session.on_end({.outcome = Error{ErrorCode::cancelled, ""}, .logs = {}, .duration = 0ms});
        guest_runs = false;
      }
    }
    all += std::exchange(session.output(), {});
  }
  if (guest_runs) {
    session.on_end({.outcome = Value(), .logs = {}, .duration = 0ms});
    all += session.output();
  }

  // Each id has at most one `started` and one `done`, and nothing of the execution follows its
  // `done`.
  std::string running;
  std::map<std::string, int> dones;
  std::uint64_t next_call = 1;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    const Value message = *json::decode(std::string_view(all).substr(at, end - at));
    at = end + 1;
    if (message["type"] == "started") {
      RC_ASSERT(running.empty());
      running = message["id"].as_string();
    } else if (message["type"] == "tool_call") {
      RC_ASSERT(!running.empty() && dones[running] == 0);
      RC_ASSERT(message["callId"] == "call-" + std::to_string(next_call++));
    } else {
      const std::string id(message["id"].as_string());
      ++dones[id];
      RC_ASSERT(message.contains("error") != message["ok"].as_bool());
      if (id == running) RC_ASSERT(dones[id] == 1);
    }
  }
  if (!running.empty()) RC_ASSERT(dones[running] == 1);
}

}  // namespace
}  // namespace cordon::execbox
