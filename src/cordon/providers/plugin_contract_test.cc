#include "cordon/providers/plugin_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Value json(const char* text) { return *from_json(text); }

TEST(PluginContract, HasTheSchemasAndTimeoutsOfFunctionsAndCallbacks) {
  PluginOptions options;
  options.functions["rank"] = {.params = json(R"({"type": "array"})"), .timeout = 5s};
  options.callback_functions["price"] = {.result = json(R"({"type": "number"})")};
  const Result<PluginContract> contract = PluginContract::create(options);
  ASSERT_TRUE(contract.has_value());
  const FunctionContract* rank = contract->function("rank");
  ASSERT_NE(rank, nullptr);
  EXPECT_EQ(rank->timeout, 5s);
  EXPECT_FALSE(complaint(rank->params, json("[1]")).has_value());
  EXPECT_THAT(complaint(rank->params, json("1")).value_or(""), HasSubstr("array"));
  EXPECT_FALSE(rank->result.has_value());
  EXPECT_NE(contract->callback("price"), nullptr);
  // The two are apart: a guest's function is no callback of ours.
  EXPECT_EQ(contract->callback("rank"), nullptr);
  EXPECT_EQ(contract->function("price"), nullptr);
}

TEST(PluginContract, AsksNothingWhereNothingIsSaid) {
  const Result<PluginContract> contract = PluginContract::create({});
  EXPECT_EQ(contract->function("any"), nullptr);
  EXPECT_FALSE(complaint(std::nullopt, json("1")).has_value());
}

TEST(PluginContract, NamesTheFunctionWhoseSchemaIsWrong) {
  PluginOptions options;
  options.functions["rank"] = {.params = json(R"({"type": 7})")};
  const Result<PluginContract> contract = PluginContract::create(options);
  EXPECT_TRUE(contract.error().is(ErrorCode::invalid_argument));
  EXPECT_THAT(contract.error().message, testing::StartsWith("rank: "));
}

}  // namespace
}  // namespace cordon::providers
