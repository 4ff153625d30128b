#include "cordon/protocol/tunnel/body.h"

#include <gtest/gtest.h>

#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::tunnel {
namespace {

const rich::StandInRegExps regexps;
const rich::Serializer serializer({}, regexps);

TEST(TunnelBody, ModesFollowTheContentType) {
  EXPECT_EQ(mode_of(""), BodyMode::json);
  EXPECT_EQ(mode_of("application/json; charset=utf-8"), BodyMode::json);
  EXPECT_EQ(mode_of("text/plain"), BodyMode::json);
  EXPECT_EQ(mode_of("Multipart/Form-Data; boundary=x"), BodyMode::multipart);
  EXPECT_EQ(mode_of("x; multipart/form-data"), BodyMode::multipart);
  EXPECT_EQ(mode_of("application/octet-stream"), BodyMode::octet_stream);
  EXPECT_EQ(mode_of("Application/Octet-Stream;x=y"), BodyMode::octet_stream);
  EXPECT_EQ(mode_of("application/octet-streams"), BodyMode::json);
  EXPECT_EQ(mode_of(" application/octet-stream"), BodyMode::json);
}

TEST(TunnelBody, TheKeyInputWinsAndAnythingElseIsTheInput) {
  EXPECT_EQ(task_input(serializer, R"({"input":{"a":1},"b":2})"), Value::object({{"a", 1}}));
  EXPECT_EQ(task_input(serializer, R"({"a":1})"), Value::object({{"a", 1}}));
  EXPECT_EQ(task_input(serializer, "[1,2]"), Value::array({1, 2}));
  EXPECT_EQ(task_input(serializer, "7"), Value(7));
  EXPECT_EQ(task_input(serializer, "null"), Value(nullptr));
  EXPECT_EQ(task_input(serializer, R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})"),
            Value::date(0));
  EXPECT_EQ(task_input(serializer, R"({"input":{"__type":"Undefined","value":null}})"), Value());
}

TEST(TunnelBody, NoBodyIsUndefinedAndBlanksAreNoJson) {
  EXPECT_EQ(task_input(serializer, ""), Value());
  for (const char* text : {" ", "\xef\xbb\xbf{}", "{", "{\"input\":{\"__type\":\"Nope\"}} x"})
    EXPECT_FALSE(task_input(serializer, text)) << text;
}

TEST(TunnelBody, EventsTakeTheirPayloadFromItsKey) {
  const auto body = event_body(serializer, R"({"payload":{"x":1},"returnPayload":1})");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->payload, Value::object({{"x", 1}}));
  EXPECT_TRUE(body->returns_payload);
  for (const char* text : {"", "3", "[1]", "{}", R"({"returnPayload":""})"}) {
    const auto other = event_body(serializer, text);
    ASSERT_TRUE(other) << text;
    EXPECT_TRUE(other->payload.is_undefined()) << text;
    EXPECT_FALSE(other->returns_payload) << text;
  }
  EXPECT_FALSE(event_body(serializer, "{"));
}

TEST(TunnelBody, TruthIsThatOfJavaScript) {
  for (const Value& value : {Value(1), Value("a"), Value(true), Value::array({}), Value::date(0)})
    EXPECT_TRUE(is_truthy(value)) << debug_text(value);
  for (const Value& value :
       {Value(), Value(nullptr), Value(false), Value(0), Value(-0.0),
        Value(std::numeric_limits<double>::quiet_NaN()), Value(""), Value::bigint(0)})
    EXPECT_FALSE(is_truthy(value)) << debug_text(value);
}

}  // namespace
}  // namespace cordon::tunnel
