#include "cordon/types/declare.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::types {
namespace {

std::string declared(std::string_view input) {
  return declare({"n", {{.name = "f", .input = from_json(input).value()}}});
}

// The type of an input; what stands before the function is left out.
std::string type_of(std::string_view input) {
  const std::string text = declared(input);
  const std::string_view begin = "function f(input: ";
  const std::size_t start = text.find(begin) + begin.size();
  return text.substr(start, text.rfind("): Promise<unknown>;") - start);
}

TEST(Declare, WritesANamespaceOfFunctions) {
  EXPECT_EQ(declare({"shop", {}}), "declare namespace shop {\n}\n");
  EXPECT_EQ(declare({"shop",
                     {{.name = "price",
                       .description = "The price of an amount.",
                       .input = from_json(R"({"type": "object",
                          "properties": {"amount": {"type": "number", "description": "How many."},
                                         "in-currency": {"enum": ["EUR", "USD", null]}},
                          "required": ["amount"], "additionalProperties": false})")
                                    .value(),
                       .output = from_json(R"({"type": "number"})").value()},
                      {.name = "stock"}}}),
            "declare namespace shop {\n"
            "  /** The price of an amount. */\n"
            "  function price(input: {\n"
            "    /** How many. */\n"
            "    amount: number;\n"
            "    \"in-currency\"?: \"EUR\" | \"USD\" | null;\n"
            "  }): Promise<number>;\n"
            "  function stock(input?: unknown): Promise<unknown>;\n"
            "}\n");
}

TEST(Declare, KnowsTheSimpleTypes) {
  EXPECT_EQ(type_of("true"), "unknown");
  EXPECT_EQ(type_of("false"), "never");
  EXPECT_EQ(type_of("{}"), "unknown");
  EXPECT_EQ(type_of(R"({"type": "string", "minLength": 3})"), "string");
  EXPECT_EQ(type_of(R"({"type": ["integer", "null", "boolean"]})"), "number | null | boolean");
  EXPECT_EQ(type_of(R"({"type": "object"})"), "{ [key: string]: unknown }");
  EXPECT_EQ(type_of(R"({"type": "array"})"), "unknown[]");
  EXPECT_EQ(type_of(R"({"minLength": 3})"), "unknown");
}

TEST(Declare, WritesLiterals) {
  EXPECT_EQ(type_of(R"({"const": -1})"), "-1");
  EXPECT_EQ(type_of(R"({"enum": ["a\"b", 1, true, null, {"k": [1]}, [], {}, "a\"b"]})"),
            R"("a\"b" | 1 | true | null | { k: [1] } | [] | { [key: string]: never })");
  EXPECT_EQ(type_of(R"({"enum": ["a", 1], "type": "string"})"), R"("a")");
  EXPECT_EQ(type_of(R"({"const": 1, "type": "string"})"), "never");
}

TEST(Declare, ClosesObjectsWhereTheSchemaDoes) {
  EXPECT_EQ(type_of(R"({"type": "object", "properties": {"a": {"type": "string"}}})"),
            "{ a?: string; [key: string]: unknown }");
  EXPECT_EQ(type_of(R"({"type": "object", "additionalProperties": false})"),
            "{ [key: string]: never }");
  EXPECT_EQ(type_of(R"({"type": "object", "additionalProperties": {"type": "number"}})"),
            "{ [key: string]: number }");
  EXPECT_EQ(type_of(R"({"type": "object", "properties": {"a": {"enum": ["a|b | c", "d | c"]}},
                        "additionalProperties": {"type": "null"}})"),
            "{\n"
            "    a?: \"a|b | c\" | \"d | c\";\n"
            "    [key: string]: null | \"a|b | c\" | \"d | c\" | undefined;\n"
            "  }");
  EXPECT_EQ(type_of(R"({"type": "object", "patternProperties": {"^x": {"type": "number"}},
                        "additionalProperties": false})"),
            "{ [key: string]: number }");
  EXPECT_EQ(type_of(R"({"type": "object", "required": ["a"]})"),
            "{ a: unknown; [key: string]: unknown }");
}

TEST(Declare, KnowsWhatEveryObjectHas) {
  EXPECT_EQ(type_of(R"({"type": "object", "properties": {"toString": {"type": "string"}}})"),
            "{ toString?: unknown; [key: string]: unknown }");
  EXPECT_EQ(type_of(R"({"type": "object", "properties": {"toString": {"type": "string"}},
                        "required": ["toString"]})"),
            "{ toString: string; [key: string]: unknown }");
}

TEST(Declare, WritesTuples) {
  EXPECT_EQ(type_of(R"({"type": "array", "items": {"type": "string"}})"), "string[]");
  EXPECT_EQ(type_of(R"({"type": "array", "items": {"enum": [1, 2]}})"), "Array<1 | 2>");
  EXPECT_EQ(type_of(R"({"type": "array", "prefixItems": [{"type": "string"}, {"enum": [1, 2]}],
                        "minItems": 1})"),
            "[string, (1 | 2)?, ...unknown[]]");
  EXPECT_EQ(type_of(R"({"type": "array", "prefixItems": [{"type": "string"}], "items": false,
                        "minItems": 1})"),
            "[string]");
  EXPECT_EQ(type_of(R"({"type": "array", "prefixItems": [{"type": "string"}],
                        "items": {"type": "number"}})"),
            "[string?, ...number[]]");
  EXPECT_EQ(type_of(R"({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array",
                        "items": [{"type": "string"}], "additionalItems": false})"),
            "[string?]");
}

TEST(Declare, UnitesAndIntersects) {
  EXPECT_EQ(type_of(R"({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "string"}]})"),
            "string | number");
  EXPECT_EQ(type_of(R"({"oneOf": [{"type": "string"}, {}]})"), "unknown");
  EXPECT_EQ(type_of(R"({"type": "object", "properties": {"a": {"type": "string"}},
                        "additionalProperties": false,
                        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})"),
            "{ a?: string } & ({ a: unknown; [key: string]: unknown } | "
            "{ b: unknown; [key: string]: unknown })");
  EXPECT_EQ(type_of(R"({"type": "object", "allOf": [{"type": "object",
                        "required": ["a"]}]})"),
            "{ a: unknown; [key: string]: unknown }");
  EXPECT_EQ(
      type_of(R"({"type": "array", "items": {"allOf": [{"required": ["a"], "type": "object"},
                        {"required": ["b"], "type": "object"}]}})"),
      "Array<{ a: unknown; [key: string]: unknown } & { b: unknown; [key: string]: unknown }>");
}

// Without a type, `properties` says nothing of other values.
TEST(Declare, LetsValuesOfOtherKindsThroughWhereThereIsNoType) {
  EXPECT_EQ(type_of(R"({"items": {"type": "string"}})"),
            "{ [key: string]: unknown } | string[] | string | number | boolean | null");
}

TEST(Declare, NamesWhatIsReferredTo) {
  EXPECT_EQ(declared(R"({"type": "array", "items": {"$ref": "#/$defs/item"},
      "$defs": {"item": {"type": "object", "properties":
          {"next": {"$ref": "#/$defs/item"}, "all": {"$ref": "#"}}}}})"),
            "declare namespace n {\n"
            "  type Item = { next?: Item; all?: FInput; [key: string]: unknown };\n"
            "  type FInput = Item[];\n"
            "  function f(input: FInput): Promise<unknown>;\n"
            "}\n");
  const Value same = from_json(R"({"$ref": "#here", "$defs": {"x": {"$anchor": "here",
      "type": "string"}}})")
                         .value();
  EXPECT_EQ(declare({"n", {{.name = "f", .input = same}, {.name = "g", .output = same}}}),
            "declare namespace n {\n"
            "  type Here = string;\n"
            "  function f(input: Here): Promise<unknown>;\n"
            "  type Here__2 = string;\n"
            "  function g(input?: unknown): Promise<Here__2>;\n"
            "}\n");
}

TEST(Declare, NamesNoAliasLikeATypeThatItUses) {
  const std::string text = declared(R"({"type": "array", "items": {"anyOf": [
      {"$ref": "#/$defs/Promise"}, {"$ref": "#/$defs/array"}, {"$ref": "#/$defs/string"}]},
      "$defs": {"Promise": {"type": "string"}, "array": {"type": "null"},
                "string": {"type": "number"}}})");
  EXPECT_TRUE(text.contains("type Promise__2 = string;")) << text;
  EXPECT_TRUE(text.contains("type Array__2 = null;")) << text;
  EXPECT_TRUE(text.contains("type String = number;")) << text;
}

// TypeScript refuses `type A = A | null`.
TEST(Declare, BreaksCirclesThatHaveNoObjectInThem) {
  EXPECT_EQ(type_of(R"({"$ref": "#"})"), "unknown");
  EXPECT_EQ(type_of(R"({"anyOf": [{"$ref": "#"}, {"type": "null"}]})"), "unknown");
  EXPECT_EQ(declared(R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]},
      "b": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/c"}]},
      "c": {"oneOf": [{"type": "number"}, {"$ref": "#/$defs/a"}]}}})"),
            "declare namespace n {\n"
            "  type C = unknown;\n"
            "  type B = string | C;\n"
            "  type A = B;\n"
            "  function f(input: A): Promise<unknown>;\n"
            "}\n");
}

TEST(Declare, KeepsLargeAndHostileSchemasSmall) {
  // Each definition refers to the next one twice.
  std::string defs;
  for (int i = 0; i < 2000; ++i) {
    const std::string next = R"({"$ref": "#/$defs/d)" + std::to_string(i + 1) + R"("})";
    defs += R"("d)" + std::to_string(i) + R"(": {"anyOf": [)" + next + R"(, {"type": "array",
        "items": )" +
            next + "}]},";
  }
  EXPECT_LT(declared(R"({"$ref": "#/$defs/d0", "$defs": {)" + defs + R"("d2000": {}}})").size(),
            200'000U);

  std::string deep = R"({"type": "string"})";
  for (int i = 0; i < 300; ++i)
    deep = R"({"type": "object", "properties": {"a": )" + deep +
           R"(}, "additionalProperties": {"type": "number"}})";
  EXPECT_LT(declared(deep).size(), 50'000U);

  std::string literals = "0";
  for (int i = 1; i < 20'000; ++i) literals += "," + std::to_string(i);
  EXPECT_EQ(type_of("{\"enum\": [" + literals + "]}"), "number");
}

// The compiler multiplies unions that are intersected, and gives up at 100,000 members.
TEST(Declare, DoesNotMultiplyLargeUnions) {
  std::string all;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    all += (i > 0 ? "," : "") + std::string(R"({"anyOf": [{"required": ["a)") + name +
           R"("]}, {"required": ["b)" + name + R"("]}]})";
  }
  const std::string type = type_of(R"({"type": "object", "allOf": [)" + all + "]}");
  EXPECT_TRUE(type.contains("b11")) << type;
  EXPECT_FALSE(type.contains("b12")) << type;
}

TEST(Declare, IsTextWhateverTheSchemaSays) {
  const std::string text = declare(
      {"n",
       {{.name = "f",
         .description = "*/ } declare function evil(): void; /*",
         .input = from_json(R"({"type": "object", "properties": {"\"; evil(): void; \ud800": {
             "description": "*/ evil: never; /*", "const": "\" | \u2028*/"}}})")
                      .value()}}});
  EXPECT_FALSE(text.contains("*/ }")) << text;
  EXPECT_FALSE(text.contains("*/ evil")) << text;
  EXPECT_TRUE(text.contains(R"("\"; evil(): void; \ud800"?: "\" | )")) << text;
}

}  // namespace
}  // namespace cordon::types
