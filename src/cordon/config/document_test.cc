#include "cordon/config/document.h"

#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::config {
namespace {

TEST(Document, KnowsWhereKeysAndValuesStand) {
  const std::string_view text = "// cordon\n{ \"a\": [1, \"x\"], /* b */ \"b\": {\"c\": null} }";
  const Document document = read_document(text);
  ASSERT_TRUE(document.is_read);
  const Node& root = document.root;
  EXPECT_EQ(root.offset, text.find('{'));
  ASSERT_EQ(root.members.size(), 2u);
  EXPECT_EQ(root.members[0].key_offset, text.find("\"a\""));
  EXPECT_EQ(root.members[0].value.offset, text.find('['));
  EXPECT_EQ(root.members[0].value.items[1].offset, text.find("\"x\""));
  EXPECT_EQ(root.members[1].key_offset, text.find("\"b\""));
  EXPECT_EQ(root.members[1].value.members[0].value.offset, text.find("null"));
  EXPECT_EQ(value_of(root), from_json(R"({"a": [1, "x"], "b": {"c": null}})").value());
}

TEST(Document, TellsWhatIsWrongAndWhere) {
  const auto first = [](std::string_view text) { return read_document(text).mistakes.at(0); };
  EXPECT_EQ(first("{\"a\": 1,}").reason, "expected a key; no comma stands before '}'");
  EXPECT_EQ(first("[1,]").reason, "expected a value; no comma stands before ']'");
  EXPECT_EQ(first("{'a': 1}").reason, "expected a key or '}'; text stands in double quotes");
  EXPECT_EQ(first("{\"a\" 1}").offset, 5u);
  EXPECT_EQ(first("").reason, "expected a value");
  EXPECT_EQ(first("/* no end").reason, "comment without its end");
  EXPECT_EQ(first(std::string(200, '[')).reason, "nested too deeply");
  EXPECT_FALSE(read_document(std::string(max_document_bytes + 1, ' ')).is_read);
}

TEST(Document, TellsEveryDuplicateAndReadsOn) {
  const std::string_view text = R"({"a": 1, "b": {"c": 1, "c": 2}, "a": 3})";
  const Document document = read_document(text);
  EXPECT_TRUE(document.is_read);
  ASSERT_EQ(document.mistakes.size(), 2u);
  EXPECT_EQ(document.mistakes[0].offset, text.rfind("\"c\""));
  EXPECT_EQ(document.mistakes[1].offset, text.rfind("\"a\""));
  EXPECT_EQ(document.root.find("a")->number, 1);
}

TEST(Document, SkipsAByteOrderMark) {
  const Document document = read_document("\xef\xbb\xbf{}");
  EXPECT_TRUE(document.is_read);
  EXPECT_EQ(document.root.offset, 3u);
}

}  // namespace
}  // namespace cordon::config
