#include "cordon/value.h"

#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/value/testing/arbitrary_value.h"

namespace cordon {
namespace {

static_assert(sizeof(ValueView) == 16 && std::is_trivially_copyable_v<ValueView>);
static_assert(sizeof(Value) == 24);

const Value order = Value::object({
    {"id", 7},
    {"tags", Value::array({"new", "paid"})},
    {"price", 12.5},
    {"open", true},
    {"note", nullptr},
    {"ship to", Value::object({{"city", "Köln"}})},
});

TEST(Value, IsBuiltFromPlainCpp) {
  EXPECT_EQ(order.kind(), Kind::object);
  EXPECT_EQ(order.size(), 6u);
  EXPECT_EQ(order["id"], 7);
  EXPECT_EQ(order["tags"][1], "paid");
  EXPECT_EQ(order["price"], 12.5);
  EXPECT_EQ(order["open"], true);
  EXPECT_EQ(order["note"], nullptr);
  EXPECT_EQ(order["ship to"]["city"], "Köln");
}

TEST(Value, GivesMembersInOrderOfInsertion) {
  std::string keys;
  for (const auto& [key, value] : order.members()) keys.append(key).append(" ");
  EXPECT_EQ(keys, "id tags price open note ship to ");
}

TEST(Value, OfDuplicateKeysKeepsTheFirstPlaceAndTheLastValue) {
  const Value value = Value::object({{"a", 1}, {"b", 2}, {"a", 3}});
  ASSERT_EQ(value.size(), 2u);
  EXPECT_EQ(value.members()[0].key(), "a");
  EXPECT_EQ(value.members()[0].value, 3);
}

TEST(Value, MissingMembersAreUndefinedAllTheWay) {
  EXPECT_TRUE(order["no"]["such"][3]["thing"].is_undefined());
  EXPECT_TRUE(order["tags"][2].is_undefined());
  EXPECT_TRUE(Value(1)["a"].is_undefined());
  EXPECT_FALSE(order.contains("no"));
  EXPECT_TRUE(order.contains("note"));
}

TEST(Value, AccessorsOfAnotherKindGiveTheEmptyAnswer) {
  const Value number = 5;
  EXPECT_EQ(number.as_string(), "");
  EXPECT_EQ(number.size(), 0u);
  EXPECT_TRUE(number.items().empty());
  EXPECT_TRUE(number.members().empty());
  EXPECT_TRUE(number.entries().empty());
  EXPECT_TRUE(number.as_bytes().empty());
  EXPECT_FALSE(number.as_bool());
  EXPECT_EQ(number.error_name(), "");
  EXPECT_EQ(number.identity(), nullptr);
  EXPECT_EQ(order.as_number(), 0);
}

TEST(Value, TypedAccessNamesThePlaceAndWhatItFound) {
  EXPECT_EQ(*order["id"].as<int>(), 7);
  EXPECT_EQ(*order["tags"][0].as<std::string>(), "new");
  EXPECT_EQ(order["tags"][1].as<int>().error().message,
            "expected an integer from -2147483648 to 2147483647 at tags[1], found a string");
  EXPECT_EQ(
      order["ship to"]["zip"].as<std::string>().error(),
      (Error{ErrorCode::type_mismatch, "expected a string at [\"ship to\"].zip, found nothing"}));
  EXPECT_EQ(Value("x").as<bool>().error().message, "expected a boolean, found a string");
}

TEST(Value, ANumberIsAnIntegerOnlyIfItFitsExactly) {
  EXPECT_EQ(*Value(255).as<std::uint8_t>(), 255);
  EXPECT_FALSE(Value(256).as<std::uint8_t>().has_value());
  EXPECT_FALSE(Value(-1).as<unsigned>().has_value());
  EXPECT_FALSE(Value(1.5).as<int>().has_value());
  EXPECT_FALSE(Value(std::numeric_limits<double>::quiet_NaN()).as<int>().has_value());
  EXPECT_EQ(*Value(-9223372036854775808.0).as<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(Value(9223372036854775808.0).as<std::int64_t>().has_value());
  EXPECT_EQ(*Value(9223372036854775808.0).as<std::uint64_t>(), 1ull << 63);
  EXPECT_FALSE(Value(18446744073709551616.0).as<std::uint64_t>().has_value());
  EXPECT_EQ(*Value::bigint(std::numeric_limits<std::uint64_t>::max()).as<std::uint64_t>(), ~0ull);
  EXPECT_FALSE(
      Value::bigint(std::numeric_limits<std::uint64_t>::max()).as<std::int64_t>().has_value());
}

TEST(Value, OptionalTakesUndefinedAndNullForNothing) {
  EXPECT_EQ(*order["note"].as<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(*order["none"].as<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(*order["id"].as<std::optional<int>>(), 7);
  EXPECT_FALSE(order["tags"].as<std::optional<int>>().has_value());
  EXPECT_EQ(order["none"].value_or(3), 3);
  EXPECT_EQ(order["price"].value_or(3.0), 12.5);
}

TEST(Value, HoldsOnlyWellFormedText) {
  EXPECT_EQ(Value("a\xff").as_string(), "a\xef\xbf\xbd");
  EXPECT_EQ(Value("\xed\xa0\x80").as_string(), "\xed\xa0\x80");
  EXPECT_EQ(Value::object({{"\xff", 1}}).members()[0].key(), "\xef\xbf\xbd");
  EXPECT_EQ(Value("").as_string(), "");
}

TEST(Value, BigintsAreDecimalAndCanonical) {
  EXPECT_EQ(Value::bigint(-5).bigint_text(), "-5");
  EXPECT_EQ(Value::bigint(std::numeric_limits<std::int64_t>::min()).bigint_text(),
            "-9223372036854775808");
  EXPECT_EQ(Value::bigint("-000")->bigint_text(), "0");
  EXPECT_EQ(Value::bigint("0012345678901234567890123")->bigint_text(), "12345678901234567890123");
  for (const char* bad : {"", "-", "1.5", "0x1", "+1", " 1"}) {
    EXPECT_EQ(Value::bigint(bad).error().code, ErrorCode::malformed) << bad;
  }
}

TEST(Value, PartsKeepTheirMessageAlive) {
  Value city;
  {
    const Value message = Value::object({{"to", Value::object({{"city", "Bern"}})}});
    city = message.share(message["to"]["city"]);
  }
  EXPECT_EQ(city, "Bern");
}

TEST(Value, SplicingSharesInsteadOfCopying) {
  const Value part = Value::array({1, 2});
  const Value whole = Value::array({part, part});
  EXPECT_EQ(whole.at(0).identity(), part.identity());
  EXPECT_EQ(whole.at(0).identity(), whole.at(1).identity());
}

TEST(Value, WithSetsOneMemberAndLeavesTheOriginal) {
  const Value changed = order.with("id", 8).with("new", "x");
  EXPECT_EQ(changed["id"], 8);
  EXPECT_EQ(changed.members()[0].key(), "id");
  EXPECT_EQ(changed.members().back().key(), "new");
  EXPECT_EQ(changed.find("tags").identity(), order.find("tags").identity());
  EXPECT_EQ(order["id"], 7);
}

TEST(Value, MovedFromIsUndefined) {
  Value from = Value::array({1});
  const Value to = std::move(from);
  EXPECT_TRUE(from.is_undefined());  // NOLINT: the moved-from state is what is tested
  EXPECT_EQ(to.size(), 1u);
}

TEST(Value, AssignmentToItselfAndToItsPartIsSafe) {
  Value value = Value::array({Value::array({"deep"})});
  value = *&value;
  value = value.share(value.at(0));
  EXPECT_EQ(value[0], "deep");
}

TEST(Value, MayBeSharedByThreads) {
  Value shared = Value::array({"text"});
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = shared] {
      for (int round = 0; round < 10000; ++round) {
        const Value mine = copy;  // NOLINT: counting up and down is what is tested
        ASSERT_EQ(mine.at(0).as_string(), "text");
      }
    });
  }
  shared = Value();
}

TEST(Value, AMillionNestedLevelsAreBuiltComparedCopiedAndFreedWithoutStack) {
  constexpr int levels = 1'000'000;
  Value chained;  // an arena a level
  ValueBuilder builder;
  ValueView nested;
  for (int i = 0; i < levels; ++i) {
    chained = Value::array({std::move(chained)});
    nested = builder.array({&nested, 1});
  }
  const Value one_arena = builder.finish(nested);
  EXPECT_TRUE(chained == one_arena);
  EXPECT_TRUE(equal(chained, one_arena, Sharing::compared));
  EXPECT_TRUE(Value::copy_of(chained) == one_arena);
  EXPECT_FALSE(debug_text(chained).empty());
}

RC_GTEST_PROP(Value, ACopyIsEqualAndSharesAlike, ()) {
  const Value value = *testing::arbitrary_graph();
  const Value copy = Value::copy_of(value);
  RC_ASSERT(equal(value, copy, Sharing::compared));
  RC_ASSERT(value == copy);
  RC_ASSERT((copy.identity() != value.identity()));
  RC_ASSERT(!debug_text(value).empty());
}

}  // namespace
}  // namespace cordon
