#include "cordon/schema/schema.h"

#include <chrono>
#include <pthread.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/builder.h"
#include "cordon/json.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon::schema {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

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

TEST(Schema, TellsNoNameThatAPropertyMayNotHave) {
  const auto text = [](std::string_view names) {
    const std::string schema =
        R"({"properties": {"in": {"propertyNames": )" + std::string(names) + "}}}";
    return to_text(compiled(schema).check(parsed(R"({"in": {"s3cret \"}\" x": 1}})")));
  };
  EXPECT_EQ(text(R"({"pattern": "^a"})"), R"(in: the name of a property does not match "^a")");
  EXPECT_EQ(text(R"({"maxLength": 3})"), "in: the name of a property is longer than 3 characters");
  EXPECT_EQ(text("false"), "in: False schema does not allow the value");
  EXPECT_EQ(text(R"({"const": "a"})"), R"(in: "a" was expected)");
  for (const char* names :
       {R"({"enum": ["a", "b"]})", R"({"not": {"minLength": 1}})", R"({"type": "number"})",
        R"({"anyOf": [{"const": "a"}, {"const": "b"}]})", R"({"oneOf": [true, true]})",
        R"({"allOf": [{"pattern": "^a"}, {"maxLength": 1}]})",
        R"({"not": {"const": "a"}, "minLength": 99})"}) {
    EXPECT_THAT(text(names), HasSubstr("the name of a property")) << names;
    EXPECT_THAT(text(names), Not(HasSubstr("s3cret"))) << names;
  }
  EXPECT_EQ(to_text(compiled(R"({"required": ["a\"b"]})").check(parsed("{}"))),
            R"("a\"b" is a required property)");
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
  EXPECT_THAT(wrong.error().message, HasSubstr(R"(properties["a/b"].type)"));
  EXPECT_FALSE(Schema::compile(parsed("7")));
  EXPECT_FALSE(Schema::compile(parsed(R"({"pattern": "("})")));
}

TEST(Schema, FetchesNothing) {
  for (const char* uri :
       {"http://127.0.0.1:9/s.json", "https://example.org/s", "file:///etc/passwd", "other.json"}) {
    SCOPED_TRACE(uri);
    const Result<Schema> remote = Schema::compile(Value::object({{"$ref", uri}}));
    ASSERT_FALSE(remote);
    EXPECT_THAT(remote.error().message, HasSubstr(uri));
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
  EXPECT_TRUE(hard.backtracks());
  EXPECT_FALSE(compiled(R"({"pattern": "^(a+)+$"})").backtracks());
  EXPECT_THAT(hard.check(Value(std::string(5000, 'a') + "b")), Not(IsEmpty()));
}

TEST(Schema, BoundsTheTimeOfAllPatternsTogether) {
  // Each takes thousands of tries and finishes.
  const Schema hard = compiled(R"x({"items": {"not": {"pattern": "^(?=(a+)+$)"}}})x");
  const Value all =
      Value::array_from(std::vector<Value>(100'000, Value(std::string(12, 'a') + "b")));
  EXPECT_FALSE(hard.try_check(all, {.max_time = std::chrono::milliseconds(20)}));
}

// A few nodes that hold the next one twice: written out, more than any memory holds.
Value doubled(int levels, const Value& end) {
  Value value = end;
  for (int i = 0; i < levels; ++i) value = Value::object({{"a", value}, {"b", value}});
  return value;
}

TEST(Schema, LooksAtSharedNodesWhereTheyAre) {
  const Value value = doubled(60, Value::object({{"a", 1}}));
  constexpr CheckOptions few = {.max_steps = 10'000};
  EXPECT_EQ(compiled(R"({"type": "object"})").try_check(value, few)->size(), 0);
  EXPECT_EQ(compiled(R"({"type": "array"})").try_check(value, few)->size(), 1);
  const Schema deep = compiled(R"({"type": ["object", "number"],
      "additionalProperties": {"$ref": "#"}})");
  EXPECT_EQ(deep.try_check(value, few)->size(), 0);
}

TEST(Schema, GivesUpPastItsSteps) {
  // Each level is looked at by both branches, and so twice as often as the one above it.
  const Schema schema = compiled(R"({"anyOf": [
      {"type": "object", "properties": {"in": {"$ref": "#"}}, "required": ["x"]},
      {"type": "object", "properties": {"in": {"$ref": "#"}}, "required": ["y"]}]})");
  Value nested = Value::object({});
  for (int i = 0; i < 40; ++i) nested = Value::object({{"in", nested}});
  const auto mistakes = schema.try_check(nested, {.max_steps = 1'000'000});
  if (mistakes) {
    EXPECT_THAT(*mistakes, Not(IsEmpty()));
  }

  const Schema unique = compiled(R"({"uniqueItems": true})");
  const Value twice = Value::array({doubled(40, 1), doubled(40, 1)});
  EXPECT_FALSE(unique.try_check(twice, {.max_steps = 1'000'000}));
  EXPECT_EQ(to_text(unique.check(twice, {.max_steps = 1'000'000})), "takes too much to check");
  EXPECT_FALSE(
      compiled(R"({"items": {"type": "number"}})")
          .try_check(Value::array_from(std::vector<Value>(1000, Value(1))), {.max_steps = 500}));
}

TEST(Schema, GivesUpBeforeItsStackDoes) {
  std::string text = R"({"type": "array", "items": {"$ref": "#"}})";
  for (int i = 0; i < 20; ++i)
    text = R"({"allOf": [{"minLength": 1}, {"anyOf": [{"type": "null"}, )" + text + "]}]}";
  const Schema nested = compiled(text);
  Value deep = Value::array({1});
  for (int i = 0; i < 990; ++i) deep = Value::array({deep});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 20);
  struct Question {
    const Schema& schema;
    const Value& value;
    std::vector<SchemaMistake> mistakes = {};
  } question{nested, deep};
  pthread_t thread;
  const auto ask = [](void* data) -> void* {
    auto& asked = *static_cast<Question*>(data);
    asked.mistakes = asked.schema.check(asked.value);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, ask, &question), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(to_text(question.mistakes), "takes too much to check");
}

TEST(Schema, TellsTheFirstMistakesOfVeryMany) {
  const Value texts = Value::array_from(std::vector<Value>(300'000, Value("")));
  const auto mistakes = compiled(R"({"items": {"type": "number"}})").check(texts);
  ASSERT_THAT(mistakes, SizeIs(5));
  EXPECT_EQ(mistakes[4].place, "[4]");
  // If every branch has a mistake of its own, it is enough to know that no branch is right.
  const auto none =
      compiled(R"({"anyOf": [{"items": {"type": "number"}}, {"type": "null"}]})").check(texts);
  ASSERT_THAT(none, SizeIs(1));
}

TEST(Schema, ComparesByWhatJsonMakesOfValues) {
  const Schema constant = compiled(R"({"const": {"a": [1, 2.5, "t", null, true], "b": {}}})");
  EXPECT_THAT(constant.check(parsed(R"({"b": {}, "a": [1, 2.5, "t", null, true]})")), IsEmpty());
  EXPECT_THAT(constant.check(parsed(R"({"b": {}, "a": [1, 2.5, "t", null, false]})")), SizeIs(1));
  EXPECT_THAT(constant.check(parsed(R"({"b": {}, "a": [1, 2.5, "t", null]})")), SizeIs(1));
  EXPECT_THAT(constant.check(parsed(R"({"b": {"c": 1}, "a": [1, 2.5, "t", null, true]})")),
              SizeIs(1));
  EXPECT_THAT(compiled(R"({"const": [null, 0]})").check(Value::array({Value(), -0.0})), IsEmpty());
  EXPECT_THAT(compiled(R"({"const": {"when": "1970-01-01T00:00:00.000Z"}})")
                  .check(Value::object({{"when", Value::date(0)}, {"not", Value()}})),
              IsEmpty());
  EXPECT_THAT(compiled(R"({"enum": ["a", {"0": 7, "1": 200}]})")
                  .check(Value::typed_array(ElementType::uint8, Bytes{7, 200})),
              IsEmpty());
  EXPECT_THAT(compiled(R"({"const": {"type": "Buffer", "data": [7, 200]}})")
                  .check(Value::bytes(Bytes{7, 200}, Kind::buffer)),
              IsEmpty());
}

TEST(Schema, KnowsWhetherItemsAreUnique) {
  const Schema unique = compiled(R"({"uniqueItems": true})");
  const auto is_unique = [&](std::string_view text) { return unique.check(parsed(text)).empty(); };
  EXPECT_TRUE(is_unique("[]"));
  EXPECT_TRUE(is_unique(R"([1, "1", [1], {"a": 1}, true, null, false, 0, ""])"));
  EXPECT_FALSE(is_unique(R"([{"a": 1, "b": 2}, 7, {"b": 2, "a": 1}])"));
  EXPECT_FALSE(is_unique("[0, -0]"));
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "{\"n\":[" + std::to_string(i) + "]},";
  EXPECT_TRUE(is_unique(many + "1]"));
  EXPECT_FALSE(is_unique(many + R"({"n":[500]}])"));
}

TEST(Schema, LeadsNobodyInCirclesWhateverTheValueIs) {
  for (const char* loop : {R"({"$ref": "#"})", R"({"items": {"$ref": "#"}, "allOf": [{"$ref": "#"}],
       "additionalProperties": {"$ref": "#"}, "propertyNames": {"$ref": "#"}})"}) {
    const Result<Schema> schema = Schema::compile(parsed(loop));
    if (!schema) continue;
    for (const Value& value :
         {Value(1), Value::typed_array(ElementType::float64, Bytes(16)),
          Value::bytes(Bytes{1, 2}, Kind::buffer), Value::date(0), Value("text"), Value(),
          Value::object({{"a", Value::typed_array(ElementType::int8, Bytes{1})}})}) {
      schema->check(value);
    }
  }
}

// A value and what is read of its JSON are the same to every schema.
RC_GTEST_PROP(SchemaProperty, ChecksAValueAsItsJson, ()) {
  static const std::vector<Schema> schemas = [] {
    std::vector<Schema> all;
    for (const char* text :
         {R"({"type": "object"})", R"({"type": "array"})", R"({"type": "string"})",
          R"({"type": "integer"})", R"({"type": ["null", "boolean"]})", R"({"minProperties": 2})",
          R"({"maxItems": 1})", R"({"uniqueItems": true})", R"({"maxLength": 3})",
          R"({"additionalProperties": {"type": ["string", "number"]}})",
          R"({"items": {"type": ["string", "null", "object"]}})", R"({"minimum": 0, "maximum": 9})",
          R"({"multipleOf": 0.5})", R"({"required": ["0"]})", R"({"required": ["type", "data"]})",
          R"({"propertyNames": {"pattern": "^[a-z]*$"}})", R"({"const": {}})", R"({"const": null})",
          R"({"anyOf": [{"items": {"$ref": "#"}, "type": "array"}, {"type": "number"},
              {"additionalProperties": {"$ref": "#"}, "type": "object"}]})"})
      all.push_back(compiled(text));
    return all;
  }();
  const Value value = *testing::arbitrary_graph();
  const Result<std::string> text = to_json(value);
  if (!text) return;
  const Value plain = parsed(*text);
  for (const Schema& schema : schemas)
    RC_ASSERT(schema.check(value).empty() == schema.check(plain).empty());
}

}  // namespace
}  // namespace cordon::schema
