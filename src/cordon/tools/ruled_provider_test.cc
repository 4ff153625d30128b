// Tools with rules, as an embedder gives them. What the rules do is in ruled_tool_test.cc.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/provider.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class Answer final : public CallSink {
 public:
  void answer(std::uint64_t, Result<Value> result) override { result_ = std::move(result); }
  std::stop_token stop_token() override { return stop_.get_token(); }
  std::string text() {
    if (!result_) return "none";
    Result<Value> result = *std::exchange(result_, std::nullopt);
    return result ? to_json(*result).value() : to_string(result.error());
  }

 private:
  std::optional<Result<Value>> result_;
  std::stop_source stop_;
};

class RuledProvider : public testing::Test {
 protected:
  static Result<Value> echo(Value input) { return input; }
  std::string call(const Provider& provider, std::string_view tool, Value input) {
    provider.find(tool)(std::move(input), Reply(execution_, 1));
    return execution_->text();
  }
  static std::vector<std::string> names(const Provider& provider) {
    std::vector<std::string> names;
    for (const Tool& tool : provider.tools()) names.push_back(tool.name);
    return names;
  }

  Value number_ = Value::object({{"type", "number"}});
  std::shared_ptr<Answer> execution_ = std::make_shared<Answer>();
};

TEST_F(RuledProvider, GetsRulesWithATool) {
  Provider shop("shop");
  ASSERT_TRUE(shop.add("get-price", echo, {.description = "Says it.", .input = number_}));
  EXPECT_EQ(shop.tools()[0].name, "get_price");
  EXPECT_EQ(shop.tools()[0].original_name, "get-price");
  EXPECT_EQ(shop.tools()[0].rules.description, "Says it.");
  EXPECT_EQ(call(shop, "get_price", 7), "7");
  EXPECT_EQ(call(shop, "get_price", "x"),
            "validation_error: Invalid input for tool get-price: the value is not of type "
            "\"number\"");
}

TEST_F(RuledProvider, GetsRulesWithToolsOfEveryForm) {
  Provider shop("shop");
  const ToolRules never{.max_calls = 0};
  ASSERT_TRUE(shop.add(
      "stoppable", [](Value input, std::stop_token) -> Result<Value> { return input; }, never));
  ASSERT_TRUE(
      shop.add("replying", [](Value input, Reply reply) { reply(std::move(input)); }, never));
  ASSERT_TRUE(shop.add(
      "coroutine", [](Value input) -> Coroutine<Result<Value>> { co_return input; }, never));
  ASSERT_TRUE(shop.add_blocking("blocking", echo, never));
  for (const Tool& tool : shop.tools()) {
    EXPECT_EQ(call(shop, tool.name, 1),
              "tool_error: Tool " + tool.name + " may be called 0 times in one execution");
  }
}

TEST_F(RuledProvider, GetsOtherRulesLater) {
  Provider shop("shop");
  shop.add("price", echo);
  shop.describe("price", "Says it.");
  ASSERT_TRUE(shop.set_rules("price", {.max_calls = 1}));
  EXPECT_EQ(shop.tools()[0].rules.description, "Says it.");
  EXPECT_EQ(call(shop, "price", 1), "1");
  EXPECT_EQ(call(shop, "price", 1), "tool_error: Tool price may be called 1 time in one execution");
  ASSERT_TRUE(shop.set_rules("price", {.description = "New."}));
  EXPECT_EQ(shop.tools()[0].rules.description, "New.");
  EXPECT_EQ(call(shop, "price", 2), "2");
}

TEST_F(RuledProvider, SaysWhichRuleIsWrongAndLeavesTheTool) {
  Provider shop("shop");
  const Value broken = Value::object({{"type", "numbr"}});
  const Result<> added = shop.add("price", echo, {.input = broken});
  ASSERT_FALSE(added);
  EXPECT_TRUE(added.error().is(ErrorCode::invalid_argument));
  EXPECT_TRUE(added.error().message.starts_with("the input schema of the tool price: at type: "))
      << added.error();
  EXPECT_TRUE(shop.tools().empty());
  ASSERT_TRUE(shop.add("price", echo, {.max_calls = 1}));
  const Result<> set = shop.set_rules("price", {.output = broken});
  EXPECT_TRUE(set.error().message.starts_with("the output schema of the tool price: "))
      << set.error();
  EXPECT_EQ(shop.tools()[0].rules.max_calls, 1U);
  EXPECT_EQ(shop.set_rules("price", {.timeout = 0ms}).error().message,
            "the timeout of the tool price must be more than 0");
  EXPECT_EQ(shop.set_rules("price", {.concurrency = 0}).error().message,
            "the concurrency of the tool price must be more than 0");
  const Result<> unknown = shop.set_rules("prize", {});
  EXPECT_TRUE(unknown.error().is(ErrorCode::not_found));
  EXPECT_EQ(unknown.error().message, "shop has no tool prize");
}

TEST_F(RuledProvider, IsReadOnlyForSomeExecutions) {
  Provider shop("shop");
  ASSERT_TRUE(shop.add("price", echo, {.max_calls = 2, .read_only = true}));
  ASSERT_TRUE(shop.add("sell", echo, {}));
  ASSERT_TRUE(shop.add("price", echo, {.read_only = true}));
  shop.add_any([](const std::string&, Value input, Reply reply) { reply(std::move(input)); });
  const Provider reading = shop.read_only();
  EXPECT_EQ(reading.name(), "shop");
  EXPECT_THAT(names(reading), ElementsAre("price", "price__2"));
  EXPECT_FALSE(reading.find("sell"));
  EXPECT_FALSE(reading.any_tool());
  EXPECT_THAT(names(shop), ElementsAre("price", "sell", "price__2"));
  // One execution that has both has one budget.
  EXPECT_EQ(call(shop, "price", 1), "1");
  EXPECT_EQ(call(reading, "price", 2), "2");
  EXPECT_EQ(call(reading, "price", 3),
            "tool_error: Tool price may be called 2 times in one execution");
}

TEST_F(RuledProvider, KeepsWhatItsReadOnlyPartNeeds) {
  auto resource = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = resource;
  std::optional<Provider> reading;
  {
    Provider shop("shop");
    ASSERT_TRUE(shop.add_blocking("price", echo, {.read_only = true}));
    shop.keep(std::move(resource));
    reading = shop.read_only();
  }
  EXPECT_FALSE(watched.expired());
  reading.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace cordon
