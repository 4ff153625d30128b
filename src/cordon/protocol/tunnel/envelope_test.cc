#include "cordon/protocol/tunnel/envelope.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/builder.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::tunnel {
namespace {

const rich::StandInRegExps regexps;
const rich::Serializer serializer({}, regexps);

TEST(TunnelEnvelope, ResultsAreWrittenWithTheSerializer) {
  EXPECT_EQ(result_text(serializer, 3), R"({"ok":true,"result":3})");
  EXPECT_EQ(result_text(serializer, Value()),
            R"({"ok":true,"result":{"__type":"Undefined","value":null}})");
  EXPECT_EQ(result_text(serializer, Value::date(0)),
            R"({"ok":true,"result":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}})");
}

TEST(TunnelEnvelope, AResultThatContainsItselfIsAGraph) {
  Builder builder;
  const ValueView node = builder.open(Kind::object);
  ASSERT_TRUE(builder.fill(node, {Builder::Field{"self", node}}));
  const auto text = result_text(serializer, builder.finish(node));
  ASSERT_TRUE(text) << text.error();
  EXPECT_TRUE(text->starts_with(R"({"__graph":true)")) << *text;
  const auto read = serializer.parse(*text);
  ASSERT_TRUE(read) << read.error();
  EXPECT_TRUE(read->find("ok").as_bool());
  const ValueView result = read->find("result");
  EXPECT_EQ(result.find("self").identity(), result.identity());
}

Value doubled(int levels) {
  Value value = Value::object({{"end", 1}});
  for (int i = 0; i < levels; ++i) value = Value::object({{"a", value}, {"b", value}});
  return value;
}

TEST(TunnelEnvelope, ResultsHaveALimitOfTheirText) {
  const Value text(std::string(1000, 'x'));
  EXPECT_TRUE(result_text(serializer, text, 1002));
  EXPECT_EQ(result_text(serializer, text, 1001).error().code, ErrorCode::too_large);
  EXPECT_EQ(large_result_text(serializer, text, 1001).error().code, ErrorCode::too_large);
  EXPECT_EQ(result_text(serializer, doubled(60)).error().code, ErrorCode::too_large);
  EXPECT_EQ(typed_error_text(serializer, "x", "m", text, 1001).error().code, ErrorCode::too_large);
  EXPECT_EQ(typed_error_text(serializer, "x", std::string(1000, 'm'), Value(), 1001).error().code,
            ErrorCode::too_large);
}

TEST(TunnelEnvelope, ALargeResultIsAGraphWhereTheTreeWouldBeMuchLarger) {
  constexpr std::size_t max_bytes = 1 << 20;
  const auto is_graph = [&](const Value& result) {
    const Result<std::string> text = large_result_text(serializer, result, max_bytes);
    EXPECT_TRUE(text) << text.error();
    EXPECT_TRUE(equal(serializer.parse(*text)->find("result"), result, Sharing::ignored));
    return text->starts_with(R"({"__graph":true)");
  };
  EXPECT_TRUE(is_graph(doubled(12)));
  EXPECT_FALSE(is_graph(doubled(2)));
  EXPECT_FALSE(is_graph(Value::array_from(std::vector<Value>(1000, Value::array({})))));
  const Value one = Value::object({{"text", std::string(500, 'x')}});
  EXPECT_TRUE(is_graph(Value::array_from(std::vector<Value>(20, one))));
  EXPECT_FALSE(is_graph(Value::array({one, one})));
  // As a tree it is past the limit, and as a graph it is not.
  const Value large = Value::array({Value(std::string(400'000, 'x'))});
  EXPECT_TRUE(is_graph(Value::array({large, large, large})));
}

TEST(TunnelEnvelope, ErrorsHaveTheirMessageBeforeTheirCode) {
  EXPECT_EQ(refusal_text(task_not_exposed("a\"b")),
            R"({"ok":false,"error":{"message":"Task a\"b not exposed","code":"FORBIDDEN"}})");
  EXPECT_EQ(refusal_text(internal_error()),
            R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}})");
}

TEST(TunnelEnvelope, TypedErrorsKeepMessageIdAndData) {
  EXPECT_EQ(
      typed_error_text(serializer, "app.errors.x", "too few", Value::object({{"left", 1}})),
      R"({"ok":false,"error":{"message":"too few","code":"INTERNAL_ERROR","id":"app.errors.x","data":{"left":1}}})");
  EXPECT_EQ(typed_error_text(serializer, "x", "m", Value()),
            R"({"ok":false,"error":{"message":"m","code":"INTERNAL_ERROR","id":"x"}})");
}

TEST(TunnelEnvelope, DiscoveryListsWhatIsExposed) {
  const std::vector<std::string> tasks = {"a", "b"};
  const std::vector<std::string> events = {"e"};
  EXPECT_EQ(
      discovery_text(true, tasks, events),
      R"({"ok":true,"result":{"allowList":{"enabled":true,"tasks":["a","b"],"events":["e"]}}})");
  EXPECT_EQ(discovery_text(false, {}, {}),
            R"({"ok":true,"result":{"allowList":{"enabled":false,"tasks":[],"events":[]}}})");
}

}  // namespace
}  // namespace cordon::tunnel
