#include "cordon/tools/ruled_tool.h"

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::tools {
namespace {

using std::chrono::milliseconds;

// An execution, as a tool sees it: it takes answers and can end.
class Caller final : public CallSink {
 public:
  void answer(std::uint64_t call, Result<Value> result) override {
    {
      const std::lock_guard lock(mutex_);
      answers_.emplace_back(call, std::move(result));
    }
    changed_.notify_all();
  }
  std::stop_token stop_token() override { return stop_.get_token(); }
  void end() { stop_.request_stop(); }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return answers_.size();
  }
  // The answer to a call: its JSON, or "code: message".
  std::string answer_to(std::uint64_t call) {
    std::unique_lock lock(mutex_);
    std::string text;
    changed_.wait_for(lock, std::chrono::seconds(10), [&] {
      for (const auto& [known, result] : answers_) {
        if (known != call) continue;
        text = result ? to_json(*result).value_or("undefined") : to_string(result.error());
        return true;
      }
      return false;
    });
    return text;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<std::uint64_t, Result<Value>>> answers_;
  std::stop_source stop_;
};

class RuledTool : public ::testing::Test {
 protected:
  // A reply that is dropped frees its place, and the call that gets it adds a reply.
  void TearDown() override {
    while (!replies_.empty()) std::exchange(replies_, {});
  }
  // A tool whose calls are kept until the test answers them.
  ToolFunction keeping(const ToolRules& rules) {
    return make(rules, [this](Value input, Reply reply) {
      started_.push_back(std::move(input));
      replies_.push_back(std::move(reply));
    });
  }
  ToolFunction echoing(const ToolRules& rules) {
    return make(rules, [](Value input, Reply reply) { reply(std::move(input)); });
  }
  ToolFunction make(const ToolRules& rules, ToolFunction function) {
    return with_rules("echo", std::move(function), rules, timer_).value();
  }
  std::string ask(const ToolFunction& tool, Value input) {
    tool(std::move(input), Reply(caller_, ++last_));
    return caller_->answer_to(last_);
  }
  void begin(const ToolFunction& tool, Value input) {
    tool(std::move(input), Reply(caller_, ++last_));
  }

  std::shared_ptr<CallTimer> timer_ = std::make_shared<CallTimer>();
  std::shared_ptr<Caller> caller_ = std::make_shared<Caller>();
  std::uint64_t last_ = 0;
  std::vector<Value> started_;
  std::vector<Reply> replies_;
};

TEST_F(RuledTool, RefusesInputsByTheirSchemaWithoutRunning) {
  ToolRules rules;
  rules.input = from_json(R"({"type": "object", "properties": {"id": {"type": "integer"}},
                              "required": ["id"]})")
                    .value();
  const ToolFunction tool = keeping(rules);
  EXPECT_EQ(
      ask(tool, Value::object({{"id", "secret"}})),
      "validation_error: Invalid input for tool echo: id: the value is not of type \"integer\"");
  EXPECT_EQ(ask(tool, Value()),
            "validation_error: Invalid input for tool echo: the value is not of type \"object\"");
  EXPECT_TRUE(started_.empty());
  begin(tool, Value::object({{"id", 7}}));
  EXPECT_EQ(started_.size(), 1U);
}

TEST_F(RuledTool, TakesNoArgumentForNull) {
  ToolRules rules;
  rules.input = from_json(R"({"type": "null"})").value();
  EXPECT_EQ(ask(echoing(rules), Value()), "undefined");
}

TEST_F(RuledTool, RefusesOutputsByTheirSchema) {
  ToolRules rules;
  rules.output = from_json(R"({"type": "array", "items": {"type": "string"}})").value();
  const ToolFunction tool = echoing(rules);
  EXPECT_EQ(ask(tool, Value::array({"a"})), R"(["a"])");
  EXPECT_EQ(
      ask(tool, Value::array({"a", 1})),
      "validation_error: Invalid output for tool echo: [1]: the value is not of type \"string\"");
}

TEST_F(RuledTool, EndsACallThatIsLateAndTellsIt) {
  ToolRules rules;
  rules.timeout = milliseconds(20);
  const ToolFunction tool = keeping(rules);
  EXPECT_EQ(ask(tool, Value(1)), "tool_error: Tool echo timed out after 20 ms");
  for (int i = 0; i < 1000 && !replies_[0].stop_token().stop_requested(); ++i)
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(replies_[0].stop_token().stop_requested());
  replies_[0](Value(1));  // too late
  EXPECT_EQ(caller_->count(), 1U);
}

TEST_F(RuledTool, CountsTheCallsOfEachExecution) {
  ToolRules rules;
  rules.max_calls = 2;
  const ToolFunction tool = echoing(rules);
  EXPECT_EQ(ask(tool, Value(1)), "1");
  EXPECT_EQ(ask(tool, Value(2)), "2");
  const std::string refused = "tool_error: Tool echo may be called 2 times in one execution";
  EXPECT_EQ(ask(tool, Value(3)), refused);
  const auto first = std::exchange(caller_, std::make_shared<Caller>());
  EXPECT_EQ(ask(tool, Value(4)), "4");
  first->end();
  EXPECT_EQ(ask(tool, Value(5)), "5");
  EXPECT_EQ(ask(tool, Value(6)), refused);
}

TEST_F(RuledTool, LetsCallsWaitForTheirPlace) {
  ToolRules rules;
  rules.concurrency = 2;
  const ToolFunction tool = keeping(rules);
  for (int i = 0; i < 5; ++i) begin(tool, Value(i));
  ASSERT_EQ(started_.size(), 2U);
  replies_[1](Value("b"));
  ASSERT_EQ(started_.size(), 3U);
  EXPECT_EQ(started_[2].as_number(), 2);
  EXPECT_EQ(caller_->answer_to(2), R"("b")");
  EXPECT_EQ(caller_->count(), 1U);
}

TEST_F(RuledTool, GivesThePlaceOfALateCallToTheNext) {
  ToolRules rules;
  rules.concurrency = 1;
  rules.timeout = milliseconds(10);
  const ToolFunction tool = make(rules, [](Value input, Reply reply) {
    // Answers only the second.
    if (input.as_number() == 2) return reply(std::move(input));
    static std::vector<Reply> kept;
    kept.push_back(std::move(reply));
  });
  begin(tool, Value(1));
  begin(tool, Value(2));
  EXPECT_EQ(caller_->answer_to(2), "2");
}

TEST_F(RuledTool, FreesThePlacesOfAnExecutionThatEnds) {
  ToolRules rules;
  rules.concurrency = 1;
  const ToolFunction tool = keeping(rules);
  begin(tool, Value(1));
  const auto first = std::exchange(caller_, std::make_shared<Caller>());
  begin(tool, Value(2));
  ASSERT_EQ(started_.size(), 1U);
  first->end();
  EXPECT_TRUE(replies_[0].stop_token().stop_requested());
  EXPECT_EQ(started_.size(), 2U);
}

TEST_F(RuledTool, NeedsNoStackForALongQueue) {
  ToolRules rules;
  rules.concurrency = 1;
  std::optional<Reply> first;
  const ToolFunction tool = make(rules, [&](Value input, Reply reply) {
    if (input.as_number() == 0) {
      first.emplace(std::move(reply));
    } else {
      reply(std::move(input));
    }
  });
  for (int i = 0; i < 100'000; ++i) begin(tool, Value(i));
  (*first)(Value(0));
  EXPECT_EQ(caller_->count(), 100'000U);
}

TEST_F(RuledTool, FailsWithItsFunction) {
  const ToolFunction silent = make({}, [](const Value&, const Reply&) {});
  EXPECT_EQ(ask(silent, Value(1)), "tool_error: the tool gave no answer");
  const ToolFunction failing =
      make({}, [](const Value&, Reply reply) { reply(fail(ErrorCode::io, "no disk")); });
  EXPECT_EQ(ask(failing, Value(1)), "io: no disk");
}

TEST_F(RuledTool, EndsOnceHoweverManyThreadsEndIt) {
  ToolRules rules;
  rules.timeout = milliseconds(1);
  rules.max_calls = 1'000'000;
  rules.concurrency = 4;
  const ToolFunction tool = make(rules, [](Value input, Reply reply) {
    std::thread([input = std::move(input), reply = std::move(reply)]() mutable {
      std::this_thread::sleep_for(milliseconds(1));
      reply(std::move(input));
    }).detach();
  });
  for (int i = 0; i < 100; ++i) begin(tool, Value(i));
  for (std::uint64_t call = 1; call <= 100; ++call) EXPECT_NE(caller_->answer_to(call), "");
  EXPECT_EQ(caller_->count(), 100U);
}

}  // namespace
}  // namespace cordon::tools
