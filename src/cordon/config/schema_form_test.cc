#include "cordon/config/schema_form.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/config/testing/imagined.h"

namespace cordon::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> schema_mistakes(const std::string& schema) {
  return mistakes(
      R"({"server": {"auth": {"token": "x"}, "expose": {"tasks": ["t"]}}, "tasks": {"t": )"
      R"({"script": "add.js", "input": )" +
      schema + "}}}");
}

TEST(SchemaForm, NamesTheTypeItsPlaceAndTheTypesThatThereAre) {
  EXPECT_THAT(
      schema_mistakes(R"({"properties": {"a": {"type": "int"}}})"),
      ElementsAre(HasSubstr(
          "tasks.t.input.properties.a.type: \"int\" is no type of JSON Schema; did you mean "
          "\"integer\"? The types are array, boolean, integer, null, number, object and "
          "string")));
}

TEST(SchemaForm, KnowsWhatOtherLanguagesCallATypeAndWhatWasMisspelled) {
  for (const auto& [written, meant] : {std::pair("bool", "boolean"),
                                       {"float", "number"},
                                       {"dict", "object"},
                                       {"list", "array"},
                                       {"strng", "string"},
                                       {"String", "string"},
                                       {"Object", "object"}}) {
    EXPECT_THAT(schema_mistakes(R"({"type": ")" + std::string(written) + "\"}"),
                ElementsAre(HasSubstr("did you mean \"" + std::string(meant) + "\"?")));
  }
  EXPECT_THAT(schema_mistakes(R"({"type": "any"})"),
              ElementsAre(HasSubstr("leave the type out where any will do")));
  EXPECT_THAT(schema_mistakes(R"({"type": "gizmo"})"),
              ElementsAre(AllOf(HasSubstr("; the types are array"), Not(HasSubstr("did you")))));
}

TEST(SchemaForm, FindsTheWordInAListAndInListsOfSchemas) {
  EXPECT_THAT(schema_mistakes(R"({"type": ["string", "nul"]})"),
              ElementsAre(AllOf(HasSubstr("\"nul\" is no type"), HasSubstr("mean \"null\"?"))));
  EXPECT_THAT(schema_mistakes(R"({"anyOf": [{}, {"items": {"type": "strin"}}]})"),
              ElementsAre(HasSubstr("tasks.t.input.anyOf[1].items.type: \"strin\" is no type")));
}

TEST(SchemaForm, TakesAPropertyOfThatNameForAProperty) {
  EXPECT_THAT(schema_mistakes(R"({"properties": {"type": "strin"}})"),
              ElementsAre(AllOf(HasSubstr("is no JSON Schema: at properties.type"),
                                Not(HasSubstr("is no type of")))));
  EXPECT_THAT(schema_mistakes(R"({"properties": {"properties": {"type": "strin"}}})"),
              ElementsAre(HasSubstr("properties.properties.type: \"strin\" is no type")));
}

TEST(SchemaForm, TellsOtherMistakesWithTheirPlace) {
  EXPECT_THAT(schema_mistakes(R"({"minLength": "5"})"),
              ElementsAre(HasSubstr("is no JSON Schema: at minLength")));
  EXPECT_THAT(schema_mistakes(R"({"type": 7})"),
              ElementsAre(HasSubstr("is no JSON Schema: at type")));
}

}  // namespace
}  // namespace cordon::config
