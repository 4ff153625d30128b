#include "cordon/host/markdown_fences.h"

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

TEST(MarkdownFences, AreFoundWithTheirLinesAndLanguages) {
  constexpr std::string_view text =
      "First:\n\n```js\n1\n```\n\nthen\n~~~ Python {x}\nprint()\n```\n~~~\n````\n```\n````\n";
  const std::vector<MarkdownFence> fences = fences_in(text, 10);
  ASSERT_EQ(fences.size(), 3u);
  EXPECT_EQ(fences[0].language, "js");
  EXPECT_EQ(fences[0].text, "1\n");
  EXPECT_EQ(fences[0].line, 3u);
  EXPECT_EQ(fences[0].begin, 8u);
  EXPECT_TRUE(fences[0].is_closed);
  EXPECT_EQ(fences[1].language, "Python");
  EXPECT_EQ(fences[1].text, "print()\n```\n");
  EXPECT_EQ(fences[1].mark, '~');
  EXPECT_EQ(fences[2].text, "```\n");
  EXPECT_EQ(fences[2].line, 12u);
  EXPECT_EQ(fences_in(text, 2).size(), 2u);
}

TEST(MarkdownFences, MayLieInLists) {
  const std::vector<MarkdownFence> fences =
      fences_in("1. run\n   ```js\n   a\n   ```\n- ```ts\n  b\n  ```\n", 10);
  ASSERT_EQ(fences.size(), 2u);
  EXPECT_EQ(fences[0].indent, 3u);
  EXPECT_EQ(fences[0].text, "   a\n");
  EXPECT_EQ(fences[1].indent, 2u);
  EXPECT_EQ(fences[1].language, "ts");
}

TEST(MarkdownFences, EndWhereTheTextEnds) {
  const std::vector<MarkdownFence> fences = fences_in("```js\r\n1\r\n", 10);
  ASSERT_EQ(fences.size(), 1u);
  EXPECT_EQ(fences[0].language, "js");
  EXPECT_FALSE(fences[0].is_closed);
  EXPECT_EQ(fences[0].text, "1\r\n");
  EXPECT_EQ(fences_in("```", 10).size(), 1u);
}

TEST(MarkdownFences, AreNotCodeWithinALine) {
  for (const std::string_view text :
       {"", "1", "`a`", "``\n1\n``", "``` js ```", "const a = ```", "\\`\\`\\`js\n1\n\\`\\`\\`"})
    EXPECT_TRUE(fences_in(text, 10).empty()) << text;
}

}  // namespace
}  // namespace cordon::host
