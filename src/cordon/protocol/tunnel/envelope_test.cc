#include "cordon/protocol/tunnel/envelope.h"

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
