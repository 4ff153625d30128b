#include "cordon/value/value_builder.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace cordon {
namespace {

TEST(ValueBuilder, FoldsItsStackIntoContainers) {
  ValueBuilder builder;
  builder.push("unrelated"[0]);
  const std::size_t mark = builder.mark();
  builder.push(builder.string("list"));
  const std::size_t inner = builder.mark();
  for (int i = 0; i < 1000; ++i) builder.push(i);
  builder.push(builder.array_since(inner));
  const Value value = builder.finish(builder.object_since(mark));
  ASSERT_EQ(value["list"].size(), 1000u);
  EXPECT_EQ(value["list"][999], 999);
}

TEST(ValueBuilder, FillsOpenedNodesLaterAndMakesCycles) {
  ValueBuilder builder;
  const ValueView self = builder.open(Kind::object);
  const ValueView map = builder.open(Kind::map);
  const Member members[] = {{builder.string("me"), self}, {builder.string("map"), map}};
  builder.fill(self, members);
  const Entry entries[] = {{map, self}};
  builder.fill(map, entries);
  const Value value = builder.finish(self);
  EXPECT_EQ(value.find("me").identity(), value.identity());
  EXPECT_EQ(value.find("map").entries()[0].key.identity(), value.find("map").identity());
}

TEST(ValueBuilder, HoldsEveryKind) {
  ValueBuilder builder;
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  const Member fields[] = {{builder.string("code"), 7}};
  const ValueView items[] = {
      builder.symbol(SymbolKind::well_known, "iterator"),
      builder.regexp("a/b", "g"),
      builder.url("https://a/"),
      builder.url_search_params("a=1"),
      builder.typed_array(ElementType::uint16, bytes),
      builder.bytes(Kind::data_view, bytes),
      builder.set({}),
      builder.error(
          {builder.string("TypeError"), builder.string("no"), builder.string("at x"), 5, fields}),
      builder.error({builder.string("Error"), builder.string(""), {}, ValueBuilder::hole(), {}}),
      ValueBuilder::hole(),
  };
  const Value all = builder.finish(builder.array(items));
  EXPECT_EQ(all.at(0).symbol_key(), "iterator");
  EXPECT_EQ(all.at(0).symbol_kind(), SymbolKind::well_known);
  EXPECT_EQ(all.at(1).regexp_source(), "a/b");
  EXPECT_EQ(all.at(1).regexp_flags(), "g");
  EXPECT_EQ(all.at(2).url_text(), "https://a/");
  EXPECT_EQ(all.at(3).url_search_params_text(), "a=1");
  EXPECT_EQ(all.at(4).element_type(), ElementType::uint16);
  EXPECT_EQ(all.at(4).as_bytes().size(), 4u);
  EXPECT_EQ(all.at(5).as_bytes()[3], 4);
  EXPECT_TRUE(all.at(6).is_set());
  EXPECT_EQ(all.at(7).error_name(), "TypeError");
  EXPECT_EQ(all.at(7).error_message(), "no");
  EXPECT_EQ(all.at(7).error_stack(), "at x");
  EXPECT_EQ(all.at(7).error_cause(), 5);
  EXPECT_EQ(all.at(7).error_fields()[0].key(), "code");
  EXPECT_TRUE(all.at(8).error_cause().is_hole());
  EXPECT_TRUE(all.at(8).error_stack().is_undefined());
  EXPECT_TRUE(all.at(9).is_hole());
}

TEST(ValueBuilder, EmptyContainersAndBytesHaveIdentitiesOfTheirOwn) {
  ValueBuilder builder;
  EXPECT_NE(builder.array({}).identity(), builder.array({}).identity());
  EXPECT_NE(builder.bytes(Kind::buffer, {}).identity(), builder.bytes(Kind::buffer, {}).identity());
}

TEST(ValueBuilder, RefusesIllFormedTextWhenAsked) {
  ValueBuilder builder;
  EXPECT_EQ(builder.string_checked("\xff").error().code, ErrorCode::invalid_utf8);
  EXPECT_EQ(*builder.string_checked("ok"), "ok");
}

TEST(ValueBuilder, FindsKeysAmongFewAndMany) {
  for (const std::size_t count : {1u, 16u, 17u, 1000u}) {
    ValueBuilder builder;
    const std::size_t mark = builder.mark();
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        builder.push(builder.string("key" + std::to_string(i)));
        builder.push(static_cast<double>(i) + round * 1000.0);
      }
    }
    const Value value = builder.finish(builder.object_since(mark));
    ASSERT_EQ(value.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = "key" + std::to_string(i);
      EXPECT_EQ(value.members()[i].key(), key);
      EXPECT_EQ(value.find(key), static_cast<double>(i) + 1000.0);
    }
    EXPECT_FALSE(value.contains("key"));
    EXPECT_FALSE(value.contains({}));
    EXPECT_FALSE(value.contains("key1000"));
  }
}

TEST(ValueBuilder, AMillionKeysTakeLinearTime) {
  ValueBuilder builder;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1'000'000; ++i) {
    builder.push(builder.string(std::to_string(i)));
    builder.push(i);
  }
  const Value value = builder.finish(builder.object_since(0));
  EXPECT_EQ(value.find("999999"), 999999);
  // Quadratic building would take hours; the bound leaves room for sanitizers.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(ValueBuilder, DroppedBeforeTheEndFreesAll) {
  const Value other = Value::array({1});
  ValueBuilder builder;
  for (int i = 0; i < 10000; ++i) builder.push(builder.string(std::string(100, 'x')));
  builder.push(builder.splice(other));
}

TEST(ValueBuilder, FillsContainersWhoseSizeIsKnownInPlace) {
  ValueBuilder builder;
  const std::span<ValueView> parts = builder.room_for(4);
  parts[0] = builder.string("a");
  parts[1] = 1;
  parts[2] = builder.string("a");
  parts[3] = 2;
  const ValueView object = builder.open(Kind::object);
  builder.fill_in(object, parts);
  const std::span<ValueView> items = builder.room_for(2);
  items[0] = object;
  items[1] = object;
  const ValueView array = builder.open(Kind::array);
  builder.fill_in(array, items);
  const Value value = builder.finish(array);
  ASSERT_EQ(value.size(), 2u);
  EXPECT_EQ(value[1].size(), 1u) << "of duplicate keys the last one counts";
  EXPECT_EQ(value[1]["a"], 2);
}

TEST(ValueBuilder, TakesArenaAndStackFromItsBudget) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 1 << 20});
  {
    ValueBuilder builder(budget);
    EXPECT_THROW(
        {
          for (int i = 0; i < 100'000; ++i) builder.push(i);
        },
        OverBudget);
    EXPECT_THROW((void)builder.room_for(100'000), OverBudget);
    EXPECT_THROW((void)builder.string(std::string(2 << 20, 'x')), OverBudget);
  }
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_LE(budget->peak(), std::size_t{1} << 20);
}

TEST(ValueBuilder, GivesBackWhenTheLastValueGoes) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{});
  Value kept;
  {
    ValueBuilder builder(budget);
    const std::size_t mark = builder.mark();
    for (int i = 0; i < 1000; ++i) builder.push(builder.string("text"));
    const Value value = builder.finish(builder.array_since(mark));
    kept = value.share(value.items()[3]);
  }
  EXPECT_GT(budget->used(), 16'000u) << "a part keeps the whole";
  kept = Value();
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace cordon
