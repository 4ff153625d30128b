#include "cordon/schema/schema.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/builder.h"
#include "cordon/json.h"

namespace cordon::schema {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Value parsed(std::string_view text) { return from_json(text).value(); }

Schema compiled(std::string_view text) {
  Result<Schema> schema = Schema::compile(parsed(text));
  EXPECT_TRUE(schema) << schema.error();
  return *std::move(schema);
}

constexpr std::string_view addition = R"({
  "type": "object",
  "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
  "required": ["a", "b"],
  "additionalProperties": false
})";

TEST(Schema, LetsARightValuePass) {
  EXPECT_THAT(compiled(addition).check(parsed(R"({"a": 1, "b": 2.5})")), IsEmpty());
}

TEST(Schema, NamesThePlaceOfEachMistakeAndNotTheValue) {
  const Schema schema = compiled(R"({"properties": {"list": {"items": {"type": "string"}}}})");
  const auto mistakes = schema.check(parsed(R"({"list": ["a", 4711, "b", {"0": 1}]})"));
  ASSERT_THAT(mistakes, SizeIs(2));
  EXPECT_EQ(mistakes[0].place, "list[1]");
  EXPECT_EQ(mistakes[1].place, "list[3]");
  EXPECT_THAT(mistakes[0].message, HasSubstr("string"));
  EXPECT_THAT(mistakes[0].message, Not(HasSubstr("4711")));
}

TEST(Schema, TellsMissingAndUnknownMembers) {
  EXPECT_THAT(to_text(compiled(addition).check(parsed(R"({"a": 1})"))), HasSubstr("\"b\""));
  EXPECT_THAT(to_text(compiled(addition).check(parsed(R"({"a": 1, "b": 2, "c": 3})"))),
              HasSubstr("'c'"));
}

TEST(Schema, TellsTheFirstFewMistakesAlone) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += i == 0 ? "1" : ",1";
  const Schema schema = compiled(R"({"items": {"type": "string"}})");
  EXPECT_THAT(schema.check(parsed(text + "]")), SizeIs(5));
}

TEST(Schema, ChecksWhatJsonMakesOfAValue) {
  const Schema text =
      compiled(R"({"properties": {"when": {"type": "string"}}, "required": ["when"]})");
  EXPECT_THAT(text.check(Value::object({{"when", Value::date(0)}})), IsEmpty());
  EXPECT_THAT(text.check(Value::object({{"when", Value()}})), SizeIs(1));  // undefined: missing
  EXPECT_THAT(compiled(R"({"type": "null"})").check(Value()), IsEmpty());
  EXPECT_THAT(compiled(R"({"type": "object"})").check(Value()), SizeIs(1));
  EXPECT_THAT(compiled("{}").check(Value::bigint(1)), SizeIs(1));
  EXPECT_THAT(compiled(R"({"type": "string"})").check(Value("a\xed\xa0\x80z\\\\ud")), IsEmpty());

  Builder builder;
  const ValueView self = builder.open(Kind::array);
  ASSERT_TRUE(builder.fill(self, {self}));
  EXPECT_THAT(compiled("{}").check(builder.finish(self)), SizeIs(1));
}

TEST(Schema, KnowsDraft202012) {
  const Schema pair = compiled(R"({"prefixItems": [{"type": "string"}], "items": false})");
  EXPECT_THAT(pair.check(parsed(R"(["a"])")), IsEmpty());
  EXPECT_THAT(pair.check(parsed(R"(["a", 1])")), SizeIs(1));
  const Schema rest =
      compiled(R"({"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": false})");
  EXPECT_THAT(rest.check(parsed(R"({"a": 1})")), IsEmpty());
  EXPECT_THAT(rest.check(parsed(R"({"b": 1})")), SizeIs(1));
  const Schema tree = compiled(R"({"$defs": {"t": {"$dynamicAnchor": "t", "type": "array",
      "items": {"$dynamicRef": "#t"}}}, "$ref": "#/$defs/t"})");
  EXPECT_THAT(tree.check(parsed("[[], [[]]]")), IsEmpty());
  EXPECT_THAT(tree.check(parsed("[[], [[1]]]")), SizeIs(1));
  EXPECT_THAT(compiled("true").check(1), IsEmpty());
  EXPECT_THAT(compiled("false").check(1), SizeIs(1));
}

TEST(Schema, RefusesWhatIsNoSchemaWithItsPlace) {
  std::string pointer;
  const Result<Schema> wrong =
      Schema::compile(parsed(R"({"properties": {"a/b": {"type": "strin"}}})"), &pointer);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(pointer, "/properties/a~1b/type");
  EXPECT_THAT(wrong.error().detail, HasSubstr(R"(properties["a/b"].type)"));
  EXPECT_FALSE(Schema::compile(parsed("7")));
  EXPECT_FALSE(Schema::compile(parsed(R"({"pattern": "("})")));
}

TEST(Schema, FetchesNothing) {
  for (const char* uri :
       {"http://127.0.0.1:9/s.json", "https://example.org/s", "file:///etc/passwd", "other.json"}) {
    SCOPED_TRACE(uri);
    const Result<Schema> remote = Schema::compile(Value::object({{"$ref", uri}}));
    ASSERT_FALSE(remote);
    EXPECT_THAT(remote.error().detail, HasSubstr(uri));
  }
  // A draft's own schema is built in.
  EXPECT_TRUE(
      Schema::compile(parsed(R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})")));
}

TEST(Schema, StandsDeepValuesAndSchemasThatNameThemselves) {
  std::string deep;
  for (int i = 0; i < 900; ++i) deep += '[';
  for (int i = 0; i < 900; ++i) deep += ']';
  const Schema nested = compiled(R"({"type": "array", "items": {"$ref": "#"}})");
  EXPECT_THAT(nested.check(parsed(deep)), IsEmpty());

  // Schemas that lead back to themselves without a step into the value.
  for (
      const char* loop :
      {R"({"$ref": "#"})", R"({"allOf": [{"$ref": "#"}]})", R"({"not": {"$ref": "#"}})",
       R"({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"})",
       R"({"$dynamicRef": "#x", "$dynamicAnchor": "x"})"}) {
    SCOPED_TRACE(loop);
    const Result<Schema> schema = Schema::compile(parsed(loop));
    if (schema) schema->check(parsed("[1]"));
  }

  std::string deep_schema;
  for (int i = 0; i < 200; ++i) deep_schema += R"({"not":)";
  deep_schema += "true";
  for (int i = 0; i < 200; ++i) deep_schema += '}';
  EXPECT_FALSE(Schema::compile(parsed(deep_schema)));
}

TEST(Schema, BoundsWhatAPatternTries) {
  const Schema hard = compiled(R"({"pattern": "^(?=(a+)+$)(a+)+\\1$"})");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(hard.check(Value(std::string(5000, 'a') + "b")), Not(IsEmpty()));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

}  // namespace
}  // namespace cordon::schema
