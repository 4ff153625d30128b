#include "cordon/codec/json/encode.h"

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/value/testing/arbitrary_value.h"
#include "cordon/value/value_builder.h"

namespace cordon::json {
namespace {

std::string write(const Value& value, std::size_t indent = 0) {
  const auto text = encode(value, {.indent = indent});
  EXPECT_TRUE(text.has_value()) << text.error();
  return text.value_or("failed");
}

Error error_of(const Value& value, const EncodeOptions& options = {}) {
  const auto text = encode(value, options);
  EXPECT_FALSE(text.has_value());
  return text ? Error() : text.error();
}

Value nested(std::size_t levels) {
  ValueBuilder builder;
  ValueView value = 1;
  for (std::size_t i = 0; i < levels; ++i) value = builder.array({&value, 1});
  return builder.finish(value);
}

TEST(JsonEncode, IndexKeysComeFirstWhereAskedFor) {
  const Value inner = Value::object({{"x", 1}, {"3", 2}});
  const Value value = Value::object({{"b", inner}, {"10", inner}, {"2", 3}});
  EXPECT_EQ(*encode(value, {.key_order = KeyOrder::javascript}),
            R"({"2":3,"10":{"3":2,"x":1},"b":{"3":2,"x":1}})");
  EXPECT_EQ(*encode(value), R"({"b":{"x":1,"3":2},"10":{"x":1,"3":2},"2":3})");
}

TEST(JsonEncode, WritesPlainValues) {
  const Value value = Value::object({{"a", Value::array({1, -2.5, "x", true, false, nullptr})},
                                     {"", Value::object({})},
                                     {"b", Value::array({})}});
  EXPECT_EQ(write(value), R"({"a":[1,-2.5,"x",true,false,null],"":{},"b":[]})");
}

TEST(JsonEncode, PrettyIsWhatStringifyIndents) {
  const Value value = Value::object({{"a", Value::array({1, Value::object({{"b", 2}})})},
                                     {"c", Value::object({})},
                                     {"d", Value::array({})},
                                     {"e", Value::object({{"left out", Value()}})}});
  EXPECT_EQ(write(value, 2),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": {},\n  \"d\": "
            "[],\n  \"e\": {}\n}");
}

TEST(JsonEncode, NumbersAreJavaScripts) {
  EXPECT_EQ(write(Value::array({-0.0, 1e21, 1e-7, 0.1, 123456789012345680000.0})),
            "[0,1e+21,1e-7,0.1,123456789012345680000]");
  EXPECT_EQ(write(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(write(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonEncode, EscapesAsLittleAsStringifyDoes) {
  EXPECT_EQ(write("\"\\/\b\f\n\r\t\v\x1f\x7f"), R"("\"\\/\b\f\n\r\t\u000b\u001f)"
                                                "\x7f\"");
  EXPECT_EQ(write(std::string(1, '\0')), R"("\u0000")");
  EXPECT_EQ(write("é€\xf0\x9f\x98\x80\xe2\x80\xa8"), "\"é€\xf0\x9f\x98\x80\xe2\x80\xa8\"");
}

TEST(JsonEncode, LoneSurrogatesAreLowerCaseEscapes) {
  EXPECT_EQ(write("\xed\xa0\x80"), R"("\ud800")");
  EXPECT_EQ(write("\xed\xbf\xbf"), R"("\udfff")");
  EXPECT_EQ(write("\xed\x9f\xbf"), "\"\xed\x9f\xbf\"");  // a Hangul letter, not a surrogate
}

TEST(JsonEncode, FindsEscapesAtEveryPlaceOfAString) {
  for (const auto& [raw, written] :
       std::vector<std::pair<std::string, std::string>>{{"\"", "\\\""},
                                                        {"\n", "\\n"},
                                                        {"\x01", "\\u0001"},
                                                        {"\xed\xa0\x80", "\\ud800"},
                                                        {"é", "é"}}) {
    for (std::size_t before = 0; before < 40; ++before) {
      for (const std::size_t after : {0u, 1u, 5u, 20u}) {
        const std::string front(before, 'x');
        const std::string back(after, 'y');
        EXPECT_EQ(write(front + raw + back), "\"" + front + written + back + "\"");
        EXPECT_EQ(*decode("\"" + front + written + back + "\""), front + raw + back);
      }
    }
  }
}

TEST(JsonEncode, LeavesOutWhatJsonHasNoWordFor) {
  ValueBuilder builder;
  const ValueView symbol = builder.symbol(SymbolKind::global, "s");
  const ValueView items[] = {ValueView(), symbol, ValueBuilder::hole()};
  const Member members[] = {{builder.string("u"), {}},
                            {builder.string("a"), builder.array(items)},
                            {builder.string("s"), symbol}};
  EXPECT_EQ(write(builder.finish(builder.object(members))), R"({"a":[null,null,null]})");
}

TEST(JsonEncode, OtherKindsAreWrittenAsStringifyDoes) {
  ValueBuilder builder;
  const std::uint8_t two[] = {1, 255};
  const std::uint8_t eight[] = {0, 0, 0xc0, 0x7f, 0xcd, 0xcc, 0xcc, 0x3d};  // NaN, 0.1f
  const Member fields[] = {{builder.string("code"), 7}};
  const ValueView items[] = {
      ValueBuilder::date(0),
      ValueBuilder::date(std::numeric_limits<double>::quiet_NaN()),
      builder.regexp("x", "g"),
      builder.url("http://a/b"),
      builder.url_search_params("a=1"),
      builder.bytes(Kind::array_buffer, two),
      builder.bytes(Kind::data_view, two),
      builder.bytes(Kind::buffer, two),
      builder.typed_array(ElementType::uint8, two),
      builder.typed_array(ElementType::int8, two),
      builder.typed_array(ElementType::int16, two),
      builder.typed_array(ElementType::float32, eight),
      builder.typed_array(ElementType::biguint64, {}),
      builder.map({}),
      builder.set(std::initializer_list<ValueView>{1}),
      builder.error(
          {builder.string("TypeError"), builder.string("m"), builder.string("stack"), 1, fields}),
  };
  EXPECT_EQ(
      write(builder.finish(builder.array(items))),
      R"(["1970-01-01T00:00:00.000Z",null,{},"http://a/b",{},{},{},{"type":"Buffer","data":[1,255]},)"
      R"({"0":1,"1":255},{"0":1,"1":-1},{"0":-255},{"0":null,"1":0.10000000149011612},{},{},{},{"code":7}])");
}

TEST(JsonEncode, BytesArePrettyToo) {
  const std::uint8_t two[] = {1, 255};
  EXPECT_EQ(write(Value::object({{"v", Value::bytes(two, Kind::buffer)}}), 2),
            "{\n  \"v\": {\n    \"type\": \"Buffer\",\n    \"data\": [\n      1,\n      255\n    "
            "]\n  }\n}");
  EXPECT_EQ(write(Value::bytes({}, Kind::buffer), 2),
            "{\n  \"type\": \"Buffer\",\n  \"data\": []\n}");
  EXPECT_EQ(write(Value::typed_array(ElementType::uint8, two), 2),
            "{\n  \"0\": 1,\n  \"1\": 255\n}");
}

TEST(JsonEncode, RefusesWhatStringifyRefusesAndNamesThePlace) {
  EXPECT_EQ(error_of(Value()).code, ErrorCode::serialization_error);
  EXPECT_EQ(
      error_of(Value::object({{"a", Value::array({1, Value::bigint(2)})}})),
      (Error{ErrorCode::serialization_error, "Do not know how to serialize a BigInt, at a[1]"}));
  EXPECT_EQ(error_of(Value::typed_array(ElementType::bigint64, Bytes(8))).code,
            ErrorCode::serialization_error);
}

TEST(JsonEncode, WritesAnErrorsNameWhereItIsAMember) {
  ValueBuilder builder;
  const Member fields[] = {{builder.string("x"), 1}, {builder.string("2"), true}};
  const Value error = builder.finish(builder.error({.name = builder.string("TypeError"),
                                                    .message = builder.string("m"),
                                                    .stack = {},
                                                    .fields = fields}));
  EXPECT_EQ(*encode(error), R"({"x":1,"2":true})");
  EXPECT_EQ(*encode(error, {.error_names = ErrorNames::written}),
            R"({"name":"TypeError","x":1,"2":true})");
  EXPECT_EQ(*encode(error, {.key_order = KeyOrder::javascript, .error_names = ErrorNames::written}),
            R"({"2":true,"name":"TypeError","x":1})");
}

TEST(JsonEncode, RefusesCyclesAtOnceWhereverTheyClose) {
  for (const std::size_t length : {1u, 2u, 31u, 32u, 33u, 500u}) {
    ValueBuilder builder;
    const ValueView root = builder.open(Kind::array);
    ValueView inner = root;
    for (std::size_t i = 1; i < length; ++i) inner = builder.array({&inner, 1});
    // Two ways around, so that only a prompt refusal ends before 2^1000 steps.
    const ValueView twice[] = {inner, inner};
    builder.fill(root, twice);
    EXPECT_EQ(error_of(builder.finish(root)).code, ErrorCode::cyclic) << length;
  }
}

TEST(JsonEncode, SharedNodesAreNoCycle) {
  const Value part = Value::array({1});
  EXPECT_EQ(write(Value::object({{"a", part}, {"b", part}})), R"({"a":[1],"b":[1]})");
  Value deep = Value::array({part, part});
  for (int i = 0; i < 100; ++i) deep = Value::array({deep});
  EXPECT_TRUE(encode(deep).has_value());
}

TEST(JsonEncode, LimitsDepth) {
  EXPECT_TRUE(encode(nested(1000)).has_value());
  EXPECT_EQ(error_of(nested(1001)).code, ErrorCode::too_deep);
  EXPECT_LT(error_of(nested(1001)).message.size(), 500u);
}

TEST(JsonEncode, LimitsTheTextExactly) {
  const Value value = Value::array({"abc", 1, Value::object({{"k", "\n"}})});
  const std::string text = write(value);
  EXPECT_EQ(*encode(value, {.max_bytes = text.size()}), text);
  for (std::size_t limit = 0; limit < text.size(); ++limit) {
    EXPECT_EQ(error_of(value, {.max_bytes = limit}).code, ErrorCode::too_large);
  }
  const Value long_text = std::string(100'000, '\n');
  EXPECT_EQ(error_of(long_text, {.max_bytes = 200'001}).code, ErrorCode::too_large);
  EXPECT_TRUE(encode(long_text, {.max_bytes = 200'002}).has_value());
}

TEST(JsonEncode, ExponentialSharingEndsAtTheLimit) {
  Value value = Value::array({1});
  for (int i = 0; i < 40; ++i) value = Value::array({value, value});
  EXPECT_EQ(error_of(value, {.max_bytes = 1 << 20}).code, ErrorCode::too_large);
}

TEST(JsonEncode, AppendsAndLeavesTheOldTextOnFailure) {
  std::string out = "old ";
  EXPECT_TRUE(encode_to(out, Value::array({1})).has_value());
  EXPECT_EQ(out, "old [1]");
  EXPECT_FALSE(encode_to(out, Value::array({1, Value::bigint(1)})).has_value());
  EXPECT_EQ(out, "old [1]");
  EXPECT_TRUE(encode_to(out, Value(2), {.max_bytes = 1}).has_value());
  EXPECT_EQ(out, "old [1]2");
}

RC_GTEST_PROP(JsonEncode, OfAnyGraphIsJsonOrACleanError, ()) {
  const Value value = *testing::arbitrary_graph();
  const auto text = encode(value, {.max_bytes = 1 << 16});
  if (text) {
    RC_ASSERT(validate(*text).has_value());
    RC_ASSERT(*encode(*decode(*text)) == *text);
  } else {
    RC_ASSERT(!text.error().message.empty());
  }
}

}  // namespace
}  // namespace cordon::json
