#include "cordon/cli/input_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const rich::Serializer& serializer() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer made({}, regexps);
  return made;
}

// The input with "1", "2" and so on at the places, as text, or what is wrong.
std::string placed(std::string_view input, const std::vector<std::string>& places) {
  std::vector<PlacedValue> values;
  for (const std::string& place : places) {
    const Result<InputPlace> read = parse_input_place(place);
    if (!read) return read.error().message;
    values.push_back({*read, Value::array({static_cast<int>(values.size() + 1)})});
  }
  Result<Value> value = input.empty() ? Value() : serializer().parse(input);
  const Result<Value> result = with_values_at(*std::move(value), values);
  if (!result) return result.error().message;
  Result<std::string> text = serializer().stringify(*result);
  if (!text) text = serializer().serialize(*result);
  return text.value_or("?");
}

std::vector<std::string> keys(std::string_view text) {
  return parse_input_place(text).value().keys;
}

TEST(InputPlace, IsAPathOfKeys) {
  EXPECT_THAT(keys("."), IsEmpty());
  EXPECT_THAT(keys("a"), ElementsAre("a"));
  EXPECT_THAT(keys("a.0.b c"), ElementsAre("a", "0", "b c"));
  EXPECT_THAT(keys(R"(a\.b.c)"), ElementsAre("a.b", "c"));
  EXPECT_THAT(keys(R"(a\\.b)"), ElementsAre(R"(a\)", "b"));
  EXPECT_THAT(keys(R"(a\=b)"), ElementsAre("a=b"));
  EXPECT_THAT(keys(R"(a\b\)"), ElementsAre(R"(a\b\)")) << "nothing that it escapes";
  EXPECT_THAT(keys(R"(\.)"), ElementsAre("."));
  for (const char* text : {".", "a", "a.0.b c", R"(a\.b.c)", R"(a\\.b)", R"(a\=b)"})
    EXPECT_EQ(parse_input_place(text)->text(), text);
}

TEST(InputPlace, HasNoEmptyKeysAndNoneThatAreLost) {
  for (const char* text : {"", "a.", ".a", "a..b", "..", "__proto__", "a.constructor.b"})
    EXPECT_FALSE(parse_input_place(text)) << text;
}

TEST(InputPlace, ComesBeforeAFile) {
  const auto halves = [](std::string_view text) {
    const Result<FileAtPlace> both = parse_file_at_place(text);
    return both ? both->place.text() + " " + both->file : both.error().message;
  };
  EXPECT_EQ(halves("a.b=c=d"), "a.b c=d");
  EXPECT_EQ(halves(".=x"), ". x");
  EXPECT_EQ(halves(R"(a\=b=c)"), R"(a\=b c)");
  EXPECT_THAT(halves("a"), HasSubstr("'a' is no PLACE=FILE"));
  EXPECT_THAT(halves(R"(a\=b)"), HasSubstr("is no PLACE=FILE"));
  EXPECT_THAT(halves("a="), HasSubstr("names no file"));
  EXPECT_THAT(halves("=a"), HasSubstr("a key is missing"));
}

TEST(WithValuesAt, MakesWhatIsMissing) {
  EXPECT_EQ(placed("", {"."}), "[1]");
  EXPECT_EQ(placed("", {"a"}), R"({"a":[1]})");
  EXPECT_EQ(placed("", {"0"}), "[[1]]");
  EXPECT_EQ(placed("", {"a.0.b"}), R"({"a":[{"b":[1]}]})");
  EXPECT_EQ(placed(R"({"a":{}})", {"a.b.c", "a.b.d"}), R"({"a":{"b":{"c":[1],"d":[2]}}})");
  EXPECT_EQ(placed("[]", {"0", "1"}), "[[1],[2]]");
  EXPECT_EQ(placed("[7]", {"1"}), "[7,[1]]");
  EXPECT_EQ(placed("", {"a.1", "a.0"}), R"({"a":[[2],[1]]})");
  // What lies between is undefined, as in JavaScript.
  EXPECT_EQ(placed("", {"1"}), R"([{"__type":"Undefined","value":null},[1]])");
}

TEST(WithValuesAt, KeepsTheRestAsItIs) {
  EXPECT_EQ(
      placed(R"({"b":1,"a":[1,{"c":2}],"d":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}})",
             {"a.1.f"}),
      R"({"b":1,"a":[1,{"c":2,"f":[1]}],"d":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}})");
  EXPECT_EQ(placed(R"({"a":1})", {"a"}), R"({"a":[1]})") << "what is at the place is replaced";
  EXPECT_EQ(placed(R"({"a":{"b":1}})", {"a"}), R"({"a":[1]})");
  EXPECT_EQ(placed("null", {"."}), "[1]");
  // In an object that is there, digits are a key.
  EXPECT_EQ(placed(R"({"a":{}})", {"a.0"}), R"({"a":{"0":[1]}})");
  EXPECT_EQ(placed(R"({"a":{}})", {"a.00"}), R"({"a":{"00":[1]}})");
  // Elsewhere they are an index, with zeros before them too.
  EXPECT_EQ(placed("", {"a.00", "a.01"}), R"({"a":[[1],[2]]})");
  EXPECT_EQ(placed("[7,8]", {"001"}), "[7,[1]]");
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  EXPECT_THAT(
      placed(many + R"("last":{}})", {"last.f", "new", "k50"}),
      testing::AllOf(HasSubstr(R"("last":{"f":[1]},"new":[2])"), HasSubstr(R"("k50":[3],)")));
}

TEST(WithValuesAt, LeadsThroughNoScalar) {
  EXPECT_EQ(placed(R"({"a":1})", {"a.b"}), "the way to a.b leads through a number, before 'b'");
  EXPECT_EQ(placed(R"({"a":null})", {"a.b"}), "the way to a.b leads through null, before 'b'");
  EXPECT_EQ(placed(R"("text")", {"0"}), "the way to 0 leads through a string, before '0'");
  EXPECT_EQ(placed(R"({"a":true})", {"a.b.c"}),
            "the way to a.b.c leads through a boolean, before 'b'");
  EXPECT_THAT(placed(R"({"a":{"__type":"Map","value":[]}})", {"a.b"}),
              HasSubstr("leads through neither an array nor an object"));
  EXPECT_EQ(placed("[]", {"a"}), "'a' is no index of an array");
  EXPECT_EQ(placed("[]", {"1x"}), "'1x' is no index of an array");
  EXPECT_EQ(placed("", {"100000"}), "the index 100000 is more than 99999");
  EXPECT_THAT(placed("", {"99999999999999999999999"}), HasSubstr("is more than"));
}

TEST(WithValuesAt, HasOnePlaceForEach) {
  EXPECT_EQ(placed("", {"a", "b", "a"}), "two files go to a");
  EXPECT_EQ(placed("", {".", "."}), "two files go to .");
  EXPECT_EQ(placed("", {"a.b", "c", "a"}), "a file goes to a, so none can go to a.b inside it");
  EXPECT_EQ(placed("", {"a", "."}), "a file goes to ., so none can go to a inside it");
  EXPECT_EQ(placed("", {"a.1", "a.01"}), "two files go to a.1");
  EXPECT_EQ(placed("", {"a.01.x", "a.1"}), "a file goes to a.1, so none can go to a.1.x inside it");
  EXPECT_EQ(placed("", {"a", "ab", "a\\.b"}), R"({"a":[1],"ab":[2],"a.b":[3]})");
  const char* shared = R"({"__graph":true,"version":1,"root":{"__ref":"1"},"nodes":{)"
                       R"("1":{"kind":"object","value":{"a":{"__ref":"2"},"b":{"__ref":"2"}}},)"
                       R"("2":{"kind":"object","value":{}}}})";
  EXPECT_EQ(placed(shared, {"a.f", "b.f"}), "another file is at b.f already");
  EXPECT_EQ(placed(shared, {"a.f"}), R"({"a":{"f":[1]},"b":{"f":[1]}})");
}

}  // namespace
}  // namespace cordon::cli
