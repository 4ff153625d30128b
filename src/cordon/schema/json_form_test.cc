#include "cordon/schema/json_form.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/codec/json/encode.h"
#include "cordon/value/testing/arbitrary_value.h"
#include "cordon/value/value_builder.h"

namespace cordon::schema {
namespace {

constexpr std::size_t depth = 1000;

RC_GTEST_PROP(JsonFormProperty, SaysWhatTheWriterSays, ()) {
  const Value value = *rc::gen::oneOf(testing::arbitrary_json(), testing::arbitrary_graph());
  const Result<> form = check_json_form(value, depth);
  if (value.is_undefined() || value.is_symbol()) {
    RC_ASSERT(form.has_value());  // null, to a schema
    return;
  }
  const Result<std::string> text = json::encode(value, {.max_depth = depth});
  RC_ASSERT(form.has_value() == text.has_value());
  if (!text) RC_ASSERT(form.error().code == text.error().code);
}

TEST(JsonForm, CountsLevelsAsTheWriterDoes) {
  for (const Value& inner :
       {Value(1), Value::array({}), Value::array({1}), Value::bytes(Bytes{1}, Kind::buffer),
        Value::typed_array(ElementType::uint8, Bytes{1}),
        Value::typed_array(ElementType::uint8, Bytes{}), Value::error("E", "message")}) {
    for (std::size_t levels = 5; levels < 12; ++levels) {
      SCOPED_TRACE(levels);
      Value nested = inner;
      for (std::size_t i = 0; i < levels; ++i) nested = Value::object({{"in", nested}});
      const Result<> form = check_json_form(nested, 9);
      const Result<std::string> text = json::encode(nested, {.max_depth = 9});
      EXPECT_EQ(form.has_value(), text.has_value());
      if (!form) {
        EXPECT_EQ(form.error().code, ErrorCode::too_deep);
      }
    }
  }
}

TEST(JsonForm, CountsTheLevelsOfSharedNodesWhereverTheyAre) {
  Value deep = Value::array({1});
  for (int i = 0; i < 5; ++i) deep = Value::array({deep});  // six levels
  EXPECT_TRUE(check_json_form(Value::array({deep, Value::array({Value::array({deep})})}), 9));
  EXPECT_EQ(
      check_json_form(Value::array({deep, Value::array({Value::array({deep})})}), 8).error().code,
      ErrorCode::too_deep);
}

TEST(JsonForm, LooksAtASharedNodeOnce) {
  Value doubled = Value::array({1});
  for (int i = 0; i < 900; ++i) doubled = Value::object({{"a", doubled}, {"b", doubled}});
  EXPECT_TRUE(check_json_form(doubled, depth));
}

TEST(JsonForm, NamesThePlace) {
  const Value value = Value::object({{"a", Value::array({1, Value::bigint(2)})}});
  EXPECT_EQ(check_json_form(value, depth).error().message,
            "Do not know how to serialize a BigInt, at a[1]");
}

}  // namespace
}  // namespace cordon::schema
