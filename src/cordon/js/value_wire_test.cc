#include "cordon/js/value_wire.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "guest/abi.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/value/testing/arbitrary_value.h"
#include "cordon/value/value_builder.h"

namespace cordon::js {
namespace {

using cordon::testing::arbitrary_graph;
using cordon::testing::arbitrary_json;
using ::testing::HasSubstr;

Result<Bytes> written(ValueView value, const WireLimits& limits = {}) {
  Bytes bytes;
  Writer out(bytes);
  CORDON_TRY(write_value(out, value, limits));
  return bytes;
}

Result<Value> read(const Bytes& bytes, const WireLimits& limits = {}) {
  Reader in(bytes);
  Value value = CORDON_TRY(read_value(in, limits));
  CORDON_TRY(in.end());
  return value;
}

Value nested(std::size_t levels) {
  Value value = Value(1);
  for (std::size_t i = 0; i < levels; ++i) value = Value::array({value});
  return value;
}

// u8 tag and u32 count or size.
Bytes head(std::uint8_t tag, std::uint32_t count) {
  Bytes bytes;
  Writer out(bytes);
  out.u8(tag);
  out.u32(count);
  return bytes;
}

TEST(ValueWire, HasTheBytesThatTheGuestReads) {
  EXPECT_EQ(written(Value()).value(), Bytes({TAG_UNDEFINED}));
  EXPECT_EQ(written(nullptr).value(), Bytes({TAG_NULL}));
  EXPECT_EQ(written(false).value(), Bytes({TAG_FALSE}));
  EXPECT_EQ(written(true).value(), Bytes({TAG_TRUE}));
  EXPECT_EQ(written(-2).value(), Bytes({TAG_INT32, 0xFE, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(written(0.5).value(), Bytes({TAG_DOUBLE, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F}));
  EXPECT_EQ(written(Value("hé")).value(), Bytes({TAG_STRING, 3, 0, 0, 0, 'h', 0xC3, 0xA9}));
  EXPECT_EQ(written(Value::array({1})).value(),
            Bytes({TAG_ARRAY, 1, 0, 0, 0, TAG_INT32, 1, 0, 0, 0}));
  EXPECT_EQ(written(Value::object({{"a", nullptr}})).value(),
            Bytes({TAG_OBJECT, 1, 0, 0, 0, 1, 0, 0, 0, 'a', TAG_NULL}));
}

TEST(ValueWire, SendsNumbersAsIntegersWhereThatLosesNothing) {
  for (const double number : {0.0, 1.0, -1.0, 2147483647.0, -2147483648.0}) {
    EXPECT_EQ(written(number)->front(), TAG_INT32) << number;
  }
  for (const double number : {-0.0, 2147483648.0, -2147483649.0, 0.1, 1e300, 5e-324}) {
    EXPECT_EQ(written(number)->front(), TAG_DOUBLE) << number;
    EXPECT_EQ(read(written(number).value()).value(), Value(number));
  }
}

TEST(ValueWire, RefusesWhatAGuestMayNotBeGiven) {
  const Value refused[] = {
      Value::bigint(1),
      Value::date(0),
      Value::bytes(Bytes{1, 2}),
      Value::error("Error", "x"),
      Value(std::numeric_limits<double>::quiet_NaN()),
      Value(std::numeric_limits<double>::infinity()),
      Value(-std::numeric_limits<double>::infinity()),
  };
  for (const Value& value : refused) {
    EXPECT_EQ(written(value).error().code, ErrorCode::serialization_error) << debug_text(value);
    EXPECT_EQ(written(Value::array({value})).error().code, ErrorCode::serialization_error);
    EXPECT_EQ(written(Value::object({{"a", value}})).error().code, ErrorCode::serialization_error);
  }
}

TEST(ValueWire, RefusesACycle) {
  ValueBuilder builder;
  const ValueView array = builder.open(Kind::array);
  const std::size_t mark = builder.mark();
  builder.push(array);
  builder.fill_since(array, mark);
  const Value cyclic = builder.finish(array);
  EXPECT_EQ(written(cyclic).error().code, ErrorCode::serialization_error);
}

TEST(ValueWire, LeavesOutUndefinedMembersAndMakesElementsNull) {
  const Value value = Value::object(
      {{"a", Value()}, {"b", Value::array({Value(), 1})}, {"c", Value::object({{"d", Value()}})}});
  EXPECT_EQ(read(written(value).value()).value(),
            Value::object({{"b", Value::array({nullptr, 1})}, {"c", Value::object({})}}));
}

TEST(ValueWire, HoldsItsLimitsBothWays) {
  const WireLimits limits{.depth = 3, .elements = 4};
  EXPECT_TRUE(written(nested(3), limits).has_value());
  EXPECT_EQ(written(nested(4), limits).error().code, ErrorCode::serialization_error);
  EXPECT_TRUE(read(written(nested(3)).value(), limits).has_value());
  EXPECT_EQ(read(written(nested(4)).value(), limits).error().code, ErrorCode::too_deep);

  const Value four = Value::array({1, 2, 3, 4});
  const Value five = Value::array({1, Value::object({{"a", 1}}), 2, Value::array({})});
  EXPECT_EQ(read(written(four, limits).value(), limits).value(), four);
  EXPECT_EQ(written(five, limits).error().code, ErrorCode::serialization_error);
  EXPECT_EQ(read(written(five).value(), limits).error().code, ErrorCode::too_large);
}

TEST(ValueWire, ReadsAThousandLevelsWithoutRecursion) {
  const Bytes bytes = written(nested(1000)).value();
  EXPECT_EQ(read(bytes).value(), nested(1000));
  Bytes deeper;
  for (int i = 0; i < 1'000'000; ++i) {
    const Bytes more = head(TAG_ARRAY, 1);
    deeper.insert(deeper.end(), more.begin(), more.end());
  }
  EXPECT_EQ(read(deeper).error().code, ErrorCode::too_deep);
}

TEST(ValueWire, DoesNotBelieveACount) {
  for (const std::uint8_t tag : {TAG_ARRAY, TAG_OBJECT, TAG_STRING}) {
    for (const std::uint32_t count : {1u, 1000u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      EXPECT_EQ(read(head(tag, count)).error().code, ErrorCode::truncated)
          << int{tag} << " " << count;
    }
  }
}

TEST(ValueWire, RefusesUnknownTagsAndTextThatIsNotWellFormed) {
  for (int tag = TAG_OBJECT + 1; tag < 256; ++tag) {
    EXPECT_EQ(read({static_cast<std::uint8_t>(tag)}).error().code, ErrorCode::protocol_violation);
  }
  EXPECT_FALSE(read({}).has_value());
  EXPECT_FALSE(read({TAG_STRING, 1, 0, 0, 0, 0xFF}).has_value());
  EXPECT_FALSE(read({TAG_STRING, 6, 0, 0, 0, 0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80}).has_value())
      << "a pair in two pieces";
  EXPECT_FALSE(read({TAG_OBJECT, 1, 0, 0, 0, 1, 0, 0, 0, 0xC0, TAG_NULL}).has_value());
  EXPECT_TRUE(read({TAG_STRING, 3, 0, 0, 0, 0xED, 0xA0, 0x80}).has_value()) << "a lone surrogate";
}

TEST(ValueWire, TakesTheLastOfDuplicateKeysAsJavaScriptDoes) {
  const Bytes twice = {TAG_OBJECT, 2,        0, 0, 0, 1, 0,   0,       0,
                       'a',        TAG_TRUE, 1, 0, 0, 0, 'a', TAG_NULL};
  EXPECT_EQ(read(twice).value(), Value::object({{"a", nullptr}}));
}

TEST(ValueWire, LeavesWhatFollowsToTheCaller) {
  const Bytes bytes = {TAG_TRUE, 42};
  Reader in(bytes);
  EXPECT_EQ(read_value(in, {}).value(), Value(true));
  EXPECT_EQ(in.u8().value(), 42);
}

RC_GTEST_PROP(ValueWire, ReadsBackWhatItWrote, ()) {
  const Value value = *arbitrary_json();
  RC_ASSERT(read(written(value).value()).value() == value);
}

RC_GTEST_PROP(ValueWire, IsTheSameBytesTheSecondTime, ()) {
  const Bytes bytes = written(*arbitrary_json()).value();
  RC_ASSERT(written(read(bytes).value()).value() == bytes);
}

RC_GTEST_PROP(ValueWire, RefusesEveryCutAndNeverReadsPastIt, ()) {
  const Bytes bytes = written(*arbitrary_json(2)).value();
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  // An allocation of its own, so that a sanitizer sees the first byte past the end.
  const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
  RC_ASSERT(!read(part).has_value());
}

RC_GTEST_PROP(ValueWire, GivesAnAnswerForEveryByteThatIsChanged, ()) {
  Bytes bytes = written(*arbitrary_json(3)).value();
  const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[place] = *rc::gen::arbitrary<std::uint8_t>();
  const Result<Value> value = read(bytes, {.depth = 10, .elements = 100});
  if (value) RC_ASSERT(debug_text(*value).size() < 10'000u);
}

// Values of any kind, shared and cyclic: what is written reads back, the rest is refused in words.
const WireLimits rich{.kinds = WireKinds::rich};

TEST(ValueWire, LetsNoRichTagInWhereKindsArePlain) {
  for (std::uint8_t tag = TAG_OBJECT + 1; tag < 40; ++tag) {
    Bytes bytes(32, 0);
    bytes[0] = tag;
    const auto value = read(bytes);
    ASSERT_FALSE(value) << int{tag};
    EXPECT_EQ(value.error().code, ErrorCode::protocol_violation);
  }
}

TEST(ValueWire, KeepsSharedNodesAndCycles) {
  ValueBuilder builder;
  const ValueView list = builder.open(Kind::array);
  const ValueView map = builder.open(Kind::map);
  const Entry entries[] = {{list, map}};
  builder.fill(map, entries);
  const ValueView items[] = {list, map, map};
  builder.fill(list, items);
  const Value value = builder.finish(list);

  const auto again = read(written(value, rich).value(), rich);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(equal(*again, value, Sharing::compared));
  EXPECT_EQ(again->at(0).identity(), again->identity());
}

TEST(ValueWire, RefusesRichValuesThatCannotBe) {
  const auto refused = [](const Bytes& bytes) {
    const auto value = read(bytes, rich);
    return !value && value.error().code == ErrorCode::protocol_violation;
  };
  EXPECT_TRUE(refused({TAG_SAME, 0, 0, 0, 0})) << "nothing is numbered";
  EXPECT_TRUE(refused({TAG_ARRAY, 1, 0, 0, 0, TAG_SAME, 1, 0, 0, 0})) << "not yet";
  EXPECT_TRUE(refused({TAG_BYTES, BYTES_INT16, 1, 0, 0, 0, 7})) << "half an element";
  EXPECT_TRUE(refused({TAG_BYTES, BYTES_BIGUINT64 + 1, 0, 0, 0, 0})) << "no such bytes";
  EXPECT_TRUE(refused({TAG_SYMBOL, SYMBOL_WELL_KNOWN, 1, 0, 0, 0, '!'})) << "no such name";
  EXPECT_TRUE(refused({TAG_SYMBOL, SYMBOL_WELL_KNOWN + 1, 1, 0, 0, 0, 'a'})) << "no such symbol";
  EXPECT_TRUE(refused({TAG_REGEXP, 1, 0, 0, 0, 'a', 1, 0, 0, 0, 'x'})) << "no such flag";
  EXPECT_TRUE(refused({TAG_ERROR, 0, 0, 0, 0, 0, 0, 0, 0, TAG_ARRAY, 0, 0, 0, 0})) << "no stack";
  EXPECT_FALSE(read({TAG_BIGINT, 1, 0, 0, 0, 'x'}, rich));
}

TEST(ValueWire, MakesADateThatCannotBeAnInvalidOne) {
  Bytes bytes{TAG_DATE};
  Writer out(bytes);
  out.f64(1e300);
  EXPECT_TRUE(std::isnan(read(bytes, rich).value().date_ms()));
}

RC_GTEST_PROP(ValueWire, KeepsEveryKindAndItsSharing, ()) {
  const Value value = *arbitrary_graph();
  const auto bytes = written(value, rich);
  RC_ASSERT(bytes.has_value());
  const auto again = read(*bytes, rich);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == value);
  // That sharing is kept shows in the bytes. (Empty bytes have no identity that could be compared.)
  RC_ASSERT(written(*again, rich).value() == *bytes);
}

RC_GTEST_PROP(ValueWire, RefusesEveryCutOfARichValue, ()) {
  Bytes bytes = written(*arbitrary_graph(), rich).value();
  bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  RC_ASSERT(!read(bytes, rich));
}

RC_GTEST_PROP(ValueWire, WritesOrRefusesWhateverItIsGiven, ()) {
  const Value value = *arbitrary_graph();
  const Result<Bytes> bytes = written(value, {.depth = 8, .elements = 1000});
  if (bytes) {
    RC_ASSERT(read(*bytes).has_value());
  } else {
    RC_ASSERT(bytes.error().code == ErrorCode::serialization_error);
    RC_ASSERT(!bytes.error().message.empty());
  }
}

Value array_of_nulls(std::size_t count) {
  ValueBuilder builder;
  const std::span<ValueView> parts = builder.room_for(count);
  std::ranges::fill(parts, ValueView(nullptr));
  const ValueView array = builder.open(Kind::array);
  builder.fill_in(array, parts);
  return builder.finish(array);
}

TEST(ValueWire, ReadsNoMoreThanTheBudgetHasAndCountsItWhileItIsKept) {
  const Bytes bytes = *written(array_of_nulls(100'000));
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 4 << 20});
  WireLimits limits;
  limits.budget = budget;
  {
    const Result<Value> first = read(bytes, limits);
    ASSERT_TRUE(first.has_value());
    EXPECT_GE(budget->used(), 1'600'000u);
    const Result<Value> second = read(bytes, limits);
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(read(bytes, limits).error().code, ErrorCode::memory_limit);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(ValueWire, RefusesAValueLargerThanAMessage) {
  const Bytes bytes = *written(array_of_nulls(1000));
  WireLimits limits;
  limits.bytes = 500;
  EXPECT_EQ(read(bytes, limits).error().code, ErrorCode::protocol_violation);
  EXPECT_EQ(written(array_of_nulls(1000), limits).error().code, ErrorCode::serialization_error);
}

// Plain kinds write a shared node each time.
TEST(ValueWire, StopsWritingSharedNodesAtTheLimit) {
  ValueBuilder builder;
  const Member members[] = {{builder.string("text"), builder.string(std::string(1 << 20, 'x'))}};
  const ValueView large = builder.object(members);
  const std::vector<ValueView> items(10'000, large);
  const Value value = builder.finish(builder.array(items));
  Bytes bytes;
  Writer out(bytes);
  WireLimits limits;
  limits.bytes = 4 << 20;
  EXPECT_EQ(write_value(out, value, limits).error().code, ErrorCode::serialization_error);
  EXPECT_LT(bytes.size(), std::size_t{6} << 20);
}

TEST(ValueWire, RefusesNestedCountsThatTogetherAreMoreThanTheMessage) {
  Bytes bytes;
  Writer out(bytes);
  for (int i = 0; i < 500; ++i) {
    out.u8(TAG_ARRAY);
    out.u32(90'000);
  }
  bytes.insert(bytes.end(), 100'000, TAG_NULL);
  WireLimits limits;
  limits.budget = std::make_shared<Budget>(Budget::Limits{});
  EXPECT_EQ(read(bytes, limits).error().code, ErrorCode::truncated);
  EXPECT_LE(limits.budget->peak(), 16 * bytes.size() + 65'536);
}

}  // namespace
}  // namespace cordon::js
