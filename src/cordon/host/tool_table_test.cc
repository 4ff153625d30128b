#include "cordon/host/tool_table.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What became of one call.
struct Heard final : CallSink {
  void answer(std::uint64_t, Result<Value> result) override { answered = std::move(result); }
  std::stop_token stop_token() override { return {}; }
  Result<Value> answered = cordon::fail(ErrorCode::internal_error, "nothing was heard");
};

Result<Value> call(const ToolTable& table, std::uint32_t number, const std::string& name = {}) {
  const auto heard = std::make_shared<Heard>();
  table.call(number, name, Value(1), Reply(heard, 0));
  return heard->answered;
}

Provider named(std::string_view name, std::initializer_list<std::string_view> tools) {
  Provider provider(name);
  for (const std::string_view tool : tools) {
    provider.add(tool, [answer = std::string(name) + "." + std::string(tool)](Value) {
      return Result<Value>(Value(answer));
    });
  }
  return provider;
}

Provider open(std::string_view name, std::initializer_list<std::string_view> tools) {
  Provider provider = named(name, tools);
  provider.add_any(
      [](const std::string& tool, Value, Reply reply) { reply(Value("any " + tool)); });
  return provider;
}

TEST(ToolTable, NumbersToolsThroughAllProviders) {
  const ToolTable table({named("a", {"one", "two"}), named("b", {"one"})}, {});
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(call(table, 0), Value("a.one"));
  EXPECT_EQ(call(table, 1), Value("a.two"));
  EXPECT_EQ(call(table, 2), Value("b.one"));
  EXPECT_EQ(table.provider_of(2), "b");
  EXPECT_EQ(table.name_of(1, ""), "two");
  ASSERT_EQ(table.namespaces().size(), 2u);
  EXPECT_THAT(table.namespaces()[0].functions, ElementsAre("one", "two"));
}

TEST(ToolTable, HasOneNumberForAllOtherNamesOfAnOpenProvider) {
  const ToolTable table({open("a", {"one"}), named("b", {"two"})}, {});
  EXPECT_TRUE(table.namespaces()[0].is_open);
  EXPECT_FALSE(table.is_open(0));
  EXPECT_TRUE(table.is_open(1));
  EXPECT_EQ(call(table, 1, "thing"), Value("any thing"));
  EXPECT_EQ(table.name_of(1, "thing"), "thing");
  EXPECT_EQ(call(table, 2), Value("b.two"));
}

TEST(ToolTable, AcceptsANameOnlyWhereItsNumberNeedsOne) {
  const ToolTable table({open("a", {"one"})}, {});
  EXPECT_TRUE(table.accepts(0, ""));
  EXPECT_FALSE(table.accepts(0, "one"));
  EXPECT_TRUE(table.accepts(1, "one"));
  EXPECT_FALSE(table.accepts(1, ""));
  EXPECT_FALSE(table.accepts(2, ""));
  EXPECT_FALSE(table.is_open(2));
}

TEST(ToolTable, SuspendsOnToolsByEitherName) {
  const ToolTable table({open("a", {"one", "two"}), named("b", {"one", "three"})},
                        {"a.one", "three", "a.thing"});
  EXPECT_TRUE(table.is_to_suspend_on(0, ""));
  EXPECT_FALSE(table.is_to_suspend_on(1, ""));
  EXPECT_TRUE(table.is_to_suspend_on(2, "thing"));
  EXPECT_TRUE(table.is_to_suspend_on(2, "three"));
  EXPECT_FALSE(table.is_to_suspend_on(2, "other"));
  EXPECT_FALSE(table.is_to_suspend_on(3, ""));
  EXPECT_TRUE(table.is_to_suspend_on(4, ""));
}

TEST(ToolTable, FindsTheToolsOfAnImageByName) {
  const ToolTable table({named("b", {"new", "kept"})}, {"kept"},
                        {{"a", {"gone"}}, {"b", {"kept"}}});
  EXPECT_EQ(call(table, 1), Value("b.kept"));
  EXPECT_TRUE(table.is_to_suspend_on(1, ""));
  const Result<Value> gone = call(table, 0);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::tool_error);
  EXPECT_THAT(gone.error().message, HasSubstr("a.gone was not given"));
  EXPECT_EQ(table.provider_of(0), "a");
}

TEST(ToolTable, TakesAnOpenProviderForWhatAnImageKnowsByName) {
  const ToolTable table({open("a", {})}, {}, {{"a", {"listed"}}});
  EXPECT_EQ(call(table, 0), Value("any listed"));
}

TEST(ToolTable, FindsOpenNamesOfAnImageAmongToolsThatAreListedNow) {
  const ToolTable table({named("a", {"listed"})}, {}, {{"a", {}, true}, {"b", {}, true}});
  EXPECT_EQ(call(table, 0, "listed"), Value("a.listed"));
  EXPECT_FALSE(call(table, 0, "other"));
  EXPECT_FALSE(call(table, 1, "listed"));
}

TEST(ToolTable, LetsGoOfItsProviders) {
  auto resource = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = resource;
  Provider provider = named("a", {"one"});
  provider.keep(std::move(resource));
  ToolTable table({std::move(provider)}, {});
  EXPECT_FALSE(watched.expired());
  table.clear();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(table.accepts(0, ""));
}

}  // namespace
}  // namespace cordon::host
