#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/value.h"
#include "cordon/value/value_builder.h"

namespace cordon {
namespace {

// A ring of arrays, each of which holds the next.
Value ring(std::size_t length, ValueView payload = {}) {
  ValueBuilder builder;
  std::vector<ValueView> nodes;
  nodes.reserve(length);
  for (std::size_t i = 0; i < length; ++i) nodes.push_back(builder.open(Kind::array));
  for (std::size_t i = 0; i < length; ++i) {
    const ValueView content[] = {i == 0 ? payload : ValueView(), nodes[(i + 1) % length]};
    builder.fill(nodes[i], content);
  }
  return builder.finish(nodes[0]);
}

// Level n holds level n-1 twice: 2^levels paths through as many nodes as levels.
Value doubling(int levels) {
  Value value = Value::array({1});
  for (int i = 0; i < levels; ++i) value = Value::array({value, value});
  return value;
}

TEST(Equality, DiffersByKindAndContent) {
  const Value values[] = {
      Value(),
      nullptr,
      false,
      true,
      0,
      1,
      "",
      "0",
      Value::bigint(0),
      Value::bigint(1),
      Value::date(0),
      Value::array({}),
      Value::array({0}),
      Value::array({Value()}),
      Value::object({}),
      Value::object({{"a", 1}}),
      Value::object({{"b", 1}}),
      Value::object({{"a", 2}}),
      Value::bytes({}),
      Value::bytes({}, Kind::buffer),
      Value::typed_array(ElementType::int8, {}),
      Value::typed_array(ElementType::uint8, {}),
      Value::error("Error", "a"),
      Value::error("Error", "b"),
  };
  for (const Value& a : values) {
    for (const Value& b : values)
      EXPECT_EQ(a == b, &a == &b) << debug_text(a) << " " << debug_text(b);
    EXPECT_TRUE(a == Value::copy_of(a));
  }
}

TEST(Equality, NanEqualsNanAndZeroDiffersFromMinusZero) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Value(nan) == Value(-nan));
  EXPECT_FALSE(Value(0.0) == Value(-0.0));
  EXPECT_TRUE(Value::date(nan) == Value::date(nan));
}

TEST(Equality, SeesOrderAndHoles) {
  EXPECT_FALSE(Value::object({{"a", 1}, {"b", 2}}) == Value::object({{"b", 2}, {"a", 1}}));
  ValueBuilder builder;
  const ValueView hole[] = {ValueBuilder::hole()};
  EXPECT_FALSE(builder.finish(builder.array(hole)) == Value::array({Value()}));
}

TEST(Equality, ComparesCyclesByWhatCanBeReached) {
  EXPECT_TRUE(ring(3) == ring(3));
  EXPECT_TRUE(ring(1) == ring(7));  // unrolled, both are the same endless list
  EXPECT_FALSE(ring(3, 1) == ring(3, 2));
  EXPECT_FALSE(ring(2000, 1) == ring(2001, 1));
}

TEST(Equality, OfLongRingsIsNotTheProductOfTheirLengths) {
  EXPECT_TRUE(ring(100'003) == ring(99'991));
}

TEST(Equality, OfExponentialSharingIsLinear) {
  EXPECT_TRUE(doubling(60) == doubling(60));
  EXPECT_TRUE(equal(doubling(60), doubling(60), Sharing::compared));
  EXPECT_FALSE(doubling(60) == doubling(61));
}

TEST(Equality, CanAskForTheSameSharing) {
  const Value part = Value::array({});
  const Value shared = Value::array({part, part});
  const Value apart = Value::array({Value::array({}), Value::array({})});
  EXPECT_TRUE(shared == apart);
  EXPECT_FALSE(equal(shared, apart, Sharing::compared));
  EXPECT_FALSE(equal(apart, shared, Sharing::compared));
  EXPECT_TRUE(equal(shared, Value::copy_of(shared), Sharing::compared));
  EXPECT_FALSE(equal(ring(1), ring(2), Sharing::compared));
}

}  // namespace
}  // namespace cordon
