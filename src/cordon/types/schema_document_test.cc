#include "cordon/types/schema_document.h"

#include <string_view>

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::types {
namespace {

Value parsed(std::string_view text) { return from_json(text).value(); }

// The `title` of what is meant, or "-".
std::string title(const SchemaDocument& document, const Place& at, std::string_view reference) {
  const auto target = document.resolve(at, reference);
  return target ? std::string(target->place.schema.find("title").as_string()) : "-";
}

TEST(SchemaDocument, FollowsPointersAndAnchors) {
  const Value schema = parsed(R"({
    "title": "whole",
    "$defs": {
      "a/b~c d": {"title": "odd"},
      "list": {"anyOf": [{"title": "first"}, {"title": "second", "$anchor": "here"}]}
    }})");
  const SchemaDocument document(schema);
  const auto seen = [&](std::string_view reference) {
    return title(document, document.root(), reference);
  };
  EXPECT_EQ(seen("#"), "whole");
  EXPECT_EQ(seen("#/$defs/a~1b~0c%20d"), "odd");
  EXPECT_EQ(seen("#/$defs/list/anyOf/1"), "second");
  EXPECT_EQ(seen("#here"), "second");
  EXPECT_EQ(seen("#there"), "-");
  EXPECT_EQ(seen("#/$defs/none"), "-");
  EXPECT_EQ(seen("https://example.org/other.json"), "-");
}

TEST(SchemaDocument, TellsResourcesApart) {
  const Value schema = parsed(R"({
    "title": "outer", "$id": "https://example.org/outer",
    "$defs": {
      "inner": {"title": "inner", "$id": "https://example.org/inner",
                "$defs": {"x": {"title": "inner x", "$anchor": "x"}}},
      "x": {"title": "outer x", "$anchor": "x"}
    }})");
  const SchemaDocument document(schema);
  const Place root = document.root();
  const Place inner = SchemaDocument::enter(root, schema.find("$defs").find("inner"));
  EXPECT_EQ(title(document, root, "#x"), "outer x");
  EXPECT_EQ(title(document, inner, "#x"), "inner x");
  EXPECT_EQ(title(document, inner, "#/$defs/x"), "inner x");
  EXPECT_EQ(title(document, inner, "#"), "inner");
  EXPECT_EQ(title(document, root, "https://example.org/inner#x"), "inner x");
  EXPECT_EQ(title(document, inner, "https://example.org/outer#"), "outer");
}

TEST(SchemaDocument, TakesNoWordOfAValueForAName) {
  const Value schema = parsed(R"({"const": {"$anchor": "x"}, "properties": {"$anchor": {}}})");
  const SchemaDocument document(schema);
  EXPECT_FALSE(document.resolve(document.root(), "#x"));
}

}  // namespace
}  // namespace cordon::types
