#include "cordon/host/source_text.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

struct Case {
  std::string_view text;
  std::string_view inner;
  std::uint32_t first_line;
};

TEST(SourceText, IsWithoutItsByteOrderMark) {
  EXPECT_EQ(without_fence("\xEF\xBB\xBF"
                          "1 + 1")
                .text,
            "1 + 1");
  EXPECT_EQ(without_fence("\xEF\xBB\xBF").text, "");
}

TEST(SourceText, IsWithoutTheFenceAroundIt) {
  for (const Case& each : {
           Case{"```\n1\n```", "1\n", 2},
           Case{"```js\n1\n```", "1\n", 2},
           Case{"```javascript title=\"a b\"\n1\n```", "1\n", 2},
           Case{"```ts\nconst a = 1;\na\n```\n", "const a = 1;\na\n", 2},
           Case{"\n\n  ```js\n1\n  ```  \n\n", "1\n", 4},
           Case{"````js\n`a`\n```\n````", "`a`\n```\n", 2},
           Case{"```js\n1\n`````", "1\n", 2},
           Case{"```js\r\n1\r\n```\r\n", "1\r\n", 2},
           Case{"```js\n```", "", 2},
           Case{"```js\n\n```", "\n", 2},
           Case{"```js\n  indented\n```", "  indented\n", 2},
           Case{"\xEF\xBB\xBF```js\n1\n```", "1\n", 2},
       }) {
    const SourceText source = without_fence(each.text);
    EXPECT_EQ(source.text, each.inner) << each.text;
    EXPECT_EQ(source.first_line, each.first_line) << each.text;
  }
}

TEST(SourceText, IsLeftAloneWhereNoFenceIsAroundIt) {
  for (const std::string_view text : {
           "",
           " \n ",
           "1 + 1",
           "``` js ```",
           "```js\n1",
           "1\n```",
           "``\n1\n``",
           "```js\n1\n```\nand more",
           "see:\n```js\n1\n```",
           "```js\n1\n``",
           "````js\n1\n```",
           "```a`b\n1\n```",
           "```\n1```",
           "```",
           "``````",
           "`template\nliteral`",
           "~~~\n1\n~~~",
       }) {
    const SourceText source = without_fence(text);
    EXPECT_EQ(source.text, text);
    EXPECT_EQ(source.first_line, 1u) << text;
  }
}

TEST(SourceText, LosesOneFenceAlone) {
  const SourceText source = without_fence("````\n```js\n1\n```\n````");
  EXPECT_EQ(source.text, "```js\n1\n```\n");
}

}  // namespace
}  // namespace cordon::host
