#include "cordon/runners/json_texts.h"

#include <limits>

#include <gtest/gtest.h>

#include "cordon/serializer.h"

namespace cordon::runners {
namespace {

TEST(JsonTexts, AreWrittenForDatesAndUrls) {
  EXPECT_EQ(with_json_texts(Value::date(5)), Value("1970-01-01T00:00:00.005Z"));
  EXPECT_EQ(
      with_json_texts(Value::object({{"at", Value::array({1, Value::date(0)})}, {"b", true}})),
      Value::object({{"at", Value::array({1, "1970-01-01T00:00:00.000Z"})}, {"b", true}}));
  EXPECT_EQ(with_json_texts(Value::date(std::numeric_limits<double>::quiet_NaN())), Value(nullptr));
  const Serializer serializer;
  const Result<Value> url = serializer.parse(R"({"__type":"URL","value":"http://a/b"})");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(with_json_texts(*url), Value("http://a/b"));
}

TEST(JsonTexts, LeaveOtherKindsAlone) {
  const Value kept = Value::object({{"big", Value::bigint(7)}, {"at", Value::date(0)}});
  EXPECT_EQ(with_json_texts(kept),
            Value::object({{"big", Value::bigint(7)}, {"at", "1970-01-01T00:00:00.000Z"}}));
  EXPECT_EQ(with_json_texts(Value::array({1, "x", nullptr})), Value::array({1, "x", nullptr}));
}

TEST(JsonTexts, AreNotWrittenWithoutEnd) {
  const Serializer serializer;
  const Result<Value> cycle = serializer.parse(
      R"({"__graph":true,"version":1,"root":{"__ref":"a"},"nodes":{"a":{"kind":"object","value":)"
      R"({"self":{"__ref":"a"},"at":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}}}}})");
  ASSERT_TRUE(cycle.has_value()) << cycle.error().message;
  EXPECT_EQ(with_json_texts(*cycle).find("at").kind(), Kind::date);
  // Forty levels, each twice in the next.
  Value shared = Value::date(0);
  for (int i = 0; i < 40; ++i) shared = Value::array({shared, shared});
  EXPECT_TRUE(with_json_texts(shared).is_array());
}

}  // namespace
}  // namespace cordon::runners
