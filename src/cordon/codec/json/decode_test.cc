#include "cordon/codec/json/decode.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/codec/json/encode.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon::json {
namespace {

Value read(std::string_view text) {
  auto value = decode(text);
  EXPECT_TRUE(value.has_value()) << text << ": " << value.error();
  EXPECT_TRUE(validate(text).has_value()) << text;
  return value.value_or(Value("failed"));
}

Error error_of(std::string_view text, const DecodeOptions& options = {}) {
  const auto value = decode(text, options);
  EXPECT_FALSE(value.has_value()) << text;
  const auto valid = validate(text, options);
  EXPECT_FALSE(valid.has_value()) << text;
  if (value || valid) return {};
  EXPECT_EQ(valid.error(), value.error());
  return value.error();
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(JsonDecode, ReadsEveryKind) {
  EXPECT_EQ(read("null"), nullptr);
  EXPECT_EQ(read(" true "), true);
  EXPECT_EQ(read("false"), false);
  EXPECT_EQ(read("\t\r\n12"), 12);
  EXPECT_EQ(read("\"\""), "");
  EXPECT_EQ(read("[]"), Value::array({}));
  EXPECT_EQ(read("{ }"), Value::object({}));
  EXPECT_EQ(read(R"( [ 1 , "two" , { "three" : [ ] } , null ] )"),
            Value::array({1, "two", Value::object({{"three", Value::array({})}}), nullptr}));
}

TEST(JsonDecode, UnescapesStrings) {
  EXPECT_EQ(read(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(read(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), "Aé€\xf0\x9f\x98\x80");
  EXPECT_EQ(read(R"("\u0000x")").as_string(), std::string_view("\0x", 2));
  EXPECT_EQ(read("\"" + std::string(100, 'a') + "\\n" + std::string(100, 'b') + "\"").as_string(),
            std::string(100, 'a') + "\n" + std::string(100, 'b'));
}

TEST(JsonDecode, KeepsLoneSurrogatesAsWtf8) {
  EXPECT_EQ(read(R"("\ud800")"), "\xed\xa0\x80");
  EXPECT_EQ(read(R"("\udc00\ud800")"), "\xed\xb0\x80\xed\xa0\x80");
  EXPECT_EQ(read(R"("\ud83d\ud83d\ude00")"), "\xed\xa0\xbd\xf0\x9f\x98\x80");
  EXPECT_EQ(read(R"("\ud800\n")"), "\xed\xa0\x80\n");
}

TEST(JsonDecode, RefusesRawBytesThatAreNotUtf8) {
  for (const char* bad : {"\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(error_of("\"" + std::string(bad) + "\"").code, ErrorCode::invalid_utf8);
    EXPECT_EQ(
        error_of("[\"long enough for a block\\n" + std::string(bad) + " and more after it\"]").code,
        ErrorCode::invalid_utf8);
    EXPECT_EQ(error_of("{\"" + std::string(bad) + "\":1}").code, ErrorCode::invalid_utf8);
  }
  EXPECT_EQ(read("\"é€\xf0\x9f\x98\x80\""), "é€\xf0\x9f\x98\x80");
}

TEST(JsonDecode, OfDuplicateKeysKeepsTheFirstPlaceAndTheLastValue) {
  EXPECT_EQ(read(R"({"a":1,"b":2,"a":3})"), Value::object({{"a", 3}, {"b", 2}}));
  EXPECT_EQ(read(R"([{"a":1,"b":2},{"a":1,"a":2},{"a":1,"b":2,"b":3}])"),
            Value::array({Value::object({{"a", 1}, {"b", 2}}), Value::object({{"a", 2}}),
                          Value::object({{"a", 1}, {"b", 3}})}));
  EXPECT_EQ(read(R"({"a":1,"\u0061":2})"), Value::object({{"a", 2}}));
}

TEST(JsonDecode, ObjectsThatAreAlmostAlikeAreNotMixedUp) {
  EXPECT_EQ(read(R"([{"a":1,"b":2},{"a":3},{"a":4,"b":5,"c":6},{"b":7,"a":8},{"ab":9}])"),
            Value::array({Value::object({{"a", 1}, {"b", 2}}), Value::object({{"a", 3}}),
                          Value::object({{"a", 4}, {"b", 5}, {"c", 6}}),
                          Value::object({{"b", 7}, {"a", 8}}), Value::object({{"ab", 9}})}));
  // A key whose content looks like the text of another.
  EXPECT_EQ(read(R"([{"a\":1":1},{"a":1}])"),
            Value::array({Value::object({{"a\":1", 1}}), Value::object({{"a", 1}})}));
  EXPECT_EQ(error_of("[{\"\\n\":1},{\"\n\":1}]").code, ErrorCode::malformed);
}

TEST(JsonDecode, IndexKeysComeFirstWhereAskedFor) {
  const std::string_view text = R"([{"b":1,"10":2,"2":3,"10":4},{"b":1,"10":2},{"2":1,"b":0}])";
  const DecodeOptions javascript{.key_order = KeyOrder::javascript};
  EXPECT_EQ(*decode(text, javascript), Value::array({Value::object({{"2", 3}, {"10", 4}, {"b", 1}}),
                                                     Value::object({{"10", 2}, {"b", 1}}),
                                                     Value::object({{"2", 1}, {"b", 0}})}));
  EXPECT_EQ(read(text).at(0).members()[0].key(), "b");
  EXPECT_EQ(decode(text, javascript)->at(0).find("10"), 4);
}

TEST(JsonDecode, ProtoIsAKeyLikeAnyOther) {
  EXPECT_EQ(read(R"({"__proto__":{"x":1}})"),
            Value::object({{"__proto__", Value::object({{"x", 1}})}}));
}

TEST(JsonDecode, EqualObjectsAreNotOneObject) {
  const Value value = read("[[],[],{},{}]");
  EXPECT_NE(value.at(0).identity(), value.at(1).identity());
  EXPECT_NE(value.at(2).identity(), value.at(3).identity());
}

TEST(JsonDecode, RefusesWhatIsNotJson) {
  for (const char* text : {
           "[1,]",
           "{\"a\":1,}",
           "[,1]",
           "{,}",
           "{a:1}",
           "{'a':1}",
           "[1 2]",
           "{\"a\" 1}",
           "{\"a\":1 \"b\":2}",
           "01",
           "-01",
           "1.",
           "1.e5",
           ".5",
           "+1",
           "1e",
           "1e+",
           "0x10",
           "1_000",
           "NaN",
           "Infinity",
           "-Infinity",
           "undefined",
           "nul",
           "nulll",
           "True",
           "tru",
           "\"\\x41\"",
           "\"\\u12g4\"",
           "\"\t\"",
           "\"\x1f\"",
           "\"a",
           "\"\\",
           "\"\\u12",
           "[",
           "[1",
           "[1,",
           "{",
           "{\"a\"",
           "{\"a\":",
           "{\"a\":1",
           "{\"a\":1,",
           "]",
           "}",
           "1]",
           "[]]",
           "[}",
           "{]",
           "[] []",
           "1 2",
           "",
           " ",
           "// c",
           "/* c */ 1",
           "\xef\xbb\xbf{}",
           "\v1",
           "\f1",
           "\xc2\xa0 1",
           "-",
           "--1",
           "'a'",
           "[1:2]",
           "{1:2}",
           "\"\\ud800\\u12\"",
           "\"\\U0041\"",
       }) {
    EXPECT_NE(error_of(text).message, "") << text;
  }
  EXPECT_NE(error_of(std::string_view("\0", 1)).message, "");
}

TEST(JsonDecode, TellsWhereAndWhy) {
  const std::string_view text = "{\n  \"é\": [1,\n\t2 x]\n}";
  Position at;
  const auto result = decode(text, {}, &at);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(),
            (Error{ErrorCode::malformed, "expected ',' or ']' at line 3, column 4 (byte 17)"}));
  EXPECT_EQ(at, (Position{3, 4, 17}));
  EXPECT_EQ(error_of("{\"é\" 1}").message, "expected ':' after a key at line 1, column 6 (byte 6)");
  EXPECT_EQ(error_of("\"a\\qb\"").message,
            "unknown escape in a string at line 1, column 3 (byte 2)");
}

TEST(JsonDecode, EveryCutOfATextIsTruncated) {
  const std::string_view text = R"([{"a":"x\u12fe\n","b":[true,null]},-1.5e+3,"é"])";
  ASSERT_TRUE(decode(text).has_value());
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    SCOPED_TRACE(text.substr(0, cut));
    const ErrorCode code = error_of(text.substr(0, cut)).code;
    const bool inside_character = static_cast<unsigned char>(text[cut]) == 0xa9;
    EXPECT_EQ(code, inside_character ? ErrorCode::invalid_utf8 : ErrorCode::truncated);
  }
}

TEST(JsonDecode, LimitsDepthAndSize) {
  EXPECT_TRUE(decode(repeated("[", 1000) + repeated("]", 1000)).has_value());
  EXPECT_EQ(error_of(repeated("[", 1001) + repeated("]", 1001)).code, ErrorCode::too_deep);
  EXPECT_EQ(error_of(repeated("{\"a\":", 1001)).code, ErrorCode::too_deep);
  EXPECT_TRUE(decode("[1,2]", {.max_bytes = 5}).has_value());
  EXPECT_EQ(error_of("[1,2] ", {.max_bytes = 5}).code, ErrorCode::too_large);
  EXPECT_EQ(error_of("[]", {.max_depth = 0}).code, ErrorCode::too_deep);
}

TEST(JsonDecode, AMillionLevelsTakeNoStack) {
  const auto plenty = std::make_shared<Budget>(Budget::Limits{});
  const DecodeOptions deep{.max_depth = 1'000'000, .budget = plenty};
  const std::string text = repeated("[", 1'000'000) + repeated("]", 1'000'000);
  const auto value = decode(text, deep);
  ASSERT_TRUE(value.has_value());
  EXPECT_TRUE(validate(text, deep).has_value());
  EXPECT_EQ(encode(*value, {.max_depth = 1'000'000}), text);
}

// What is open counts too, not only what is built.
TEST(JsonDecode, LevelsAreTakenFromTheBudget) {
  const std::string text = repeated("[", 1'000'000) + repeated("]", 1'000'000);
  const auto small = std::make_shared<Budget>(Budget::Limits{.bytes = std::size_t{8} << 20});
  const auto value = decode(text, {.max_depth = 1'000'000, .budget = small});
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code, ErrorCode::too_large);
  EXPECT_LE(small->peak(), std::size_t{8} << 20);
  EXPECT_EQ(small->used(), 0u);
}

TEST(JsonDecode, CommentsAreAllowedOnlyWhereAskedFor) {
  const DecodeOptions with_comments{.comments = Comments::allowed};
  const std::string_view text =
      "// first\n{ /* key */ \"a\" /**/ : // value\n 1, \"b\":/***/2 }//end";
  EXPECT_EQ(*decode(text, with_comments), Value::object({{"a", 1}, {"b", 2}}));
  EXPECT_EQ(error_of(text).code, ErrorCode::malformed);
  for (const char* bad : {"/", "/ 1", "1 /", "/* 1", "1 /*/", "// \xff\n1", "1 /* \xff */"}) {
    EXPECT_FALSE(decode(bad, with_comments).has_value()) << bad;
  }
  EXPECT_EQ(*decode("\"// no comment\"", with_comments), "// no comment");
}

TEST(JsonDecode, ManyKeysAreFoundAndTakenOnce) {
  std::string text = "{";
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100'000; ++i) {
      text += "\"k" + std::to_string(i) + "\":" + std::to_string(i + round) + ",";
    }
  }
  text.back() = '}';
  const Value value = read(text);
  EXPECT_EQ(value.size(), 100'000u);
  EXPECT_EQ(value.find("k99999"), 100'000);
}

RC_GTEST_PROP(JsonDecode, ReadsBackWhatWasWritten, ()) {
  const Value value = *testing::arbitrary_json();
  for (const std::size_t indent : {0u, 2u}) {
    const std::string text = *encode(value, {.indent = indent});
    const auto back = decode(text);
    RC_ASSERT(back.has_value());
    RC_ASSERT(equal(*back, value, Sharing::ignored));
    RC_ASSERT(validate(text).has_value());
  }
}

RC_GTEST_PROP(JsonDecode, AgreesWithValidateOnBrokenText, ()) {
  std::string text = *encode(*testing::arbitrary_json());
  const auto position = *rc::gen::inRange<std::size_t>(0, text.size());
  text[position] = *rc::gen::arbitrary<char>();
  const auto value = decode(text);
  const auto valid = validate(text);
  RC_ASSERT(value.has_value() == valid.has_value());
  if (!value) RC_ASSERT((value.error() == valid.error()));
}

TEST(JsonDecode, TakesNoMoreMemoryThanItsBudgetHas) {
  const auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 1 << 20});
  std::string text = "[0";
  for (int i = 0; i < 100'000; ++i) text += ",0";
  text += "]";
  Position at{.line = 7, .column = 7, .offset = 7};
  const Result<Value> refused = decode(text, {.budget = budget}, &at);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(at, Position());
  EXPECT_EQ(budget->used(), 0u);
  EXPECT_TRUE(decode("[1,2]", {.budget = budget}).has_value());
}

TEST(JsonDecode, CostsLessThanTheBoundForEachByteWhateverItHolds) {
  const auto repeated = [](std::string_view before, std::string_view part, std::string_view after) {
    std::string text(before);
    while (text.size() < std::size_t{8} << 20) text += part;
    return text.append(after);
  };
  std::string keys = "{\"a\":0";
  for (int i = 0; keys.size() < std::size_t{8} << 20; ++i)
    keys += ",\"" + std::to_string(i) + "\":0";
  keys += "}";
  const std::string texts[] = {repeated("[0", ",0", "]"),       repeated("[[]", ",[]", "]"),
                               repeated("[{}", ",{}", "]"),     repeated("{\"\":0", ",\"\":0", "}"),
                               repeated("[\"\"", ",\"\"", "]"), keys};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text.substr(0, 12));
    const auto budget = std::make_shared<Budget>(Budget::Limits{});
    ASSERT_TRUE(decode(text, {.budget = budget}).has_value());
    EXPECT_LE(budget->peak(), Budget::max_bytes_per_byte * text.size());
  }
}

}  // namespace
}  // namespace cordon::json
