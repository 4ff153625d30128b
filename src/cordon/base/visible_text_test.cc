#include "cordon/base/visible_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace cordon {
namespace {

TEST(Visible, LeavesPlainTextAlone) {
  for (const char* text : {"", "plain text", "tab\there", "é € 😀 \u00a0", "\\x1b", "ends in é"}) {
    EXPECT_EQ(visible(text, Lines::kept), text);
    EXPECT_EQ(visible(text, Lines::escaped), text);
  }
}

TEST(Visible, ShowsEveryControlCharacter) {
  for (int byte = 0; byte < 0x20; ++byte) {
    if (byte == '\t' || byte == '\n') continue;
    const std::string shown = visible(std::string(1, static_cast<char>(byte)), Lines::kept);
    EXPECT_EQ(shown.size(), 4u) << byte;
    EXPECT_TRUE(shown.starts_with("\\x")) << shown;
  }
  EXPECT_EQ(visible("\x1b[2J", Lines::kept), "\\x1b[2J");
  EXPECT_EQ(visible("a\rb", Lines::kept), "a\\x0db");
  EXPECT_EQ(visible("\x7f", Lines::kept), "\\x7f");
  EXPECT_EQ(visible(std::string_view("a\0b", 3), Lines::kept), "a\\x00b");
  EXPECT_EQ(visible("\u0080\u009b2J\u009f", Lines::kept), "\\x80\\x9b2J\\x9f");
}

TEST(Visible, ShowsWhatTurnsTheDirectionOfText) {
  EXPECT_EQ(visible("a\u202eb\u2066c\u200fd\u061ce", Lines::kept),
            "a\\u202eb\\u2066c\\u200fd\\u061ce");
  EXPECT_EQ(visible("a\u2028b\u2029c", Lines::kept), "a\\u2028b\\u2029c");
  for (const char* text : {"\u2010", "\u2027", "\u202f", "\u2065", "\u206a", "\u20ac", "\u200d"}) {
    EXPECT_EQ(visible(text, Lines::kept), text) << "its neighbours stay";
  }
}

TEST(Visible, KeepsLineBreaksWhereAsked) {
  EXPECT_EQ(visible("a\nb", Lines::kept), "a\nb");
  EXPECT_EQ(visible("a\nb", Lines::escaped), "a\\x0ab");
}

TEST(Visible, GivesUtf8WhateverTheBytes) {
  EXPECT_EQ(visible("\xff", Lines::kept), "\ufffd");
  EXPECT_EQ(visible("\xc2", Lines::kept), "\ufffd");
  EXPECT_EQ(visible("\xe2\x80", Lines::kept), "\ufffd");
}

TEST(Visible, ShowsHalfOfASurrogatePairAsAnEscape) {
  EXPECT_EQ(visible("a\xed\xa0\xbd"
                    "b\xed\xbf\xbf",
                    Lines::kept),
            "a\\ud83db\\udfff");
  EXPECT_EQ(visible("\ud7ff\ue000", Lines::kept), "\ud7ff\ue000") << "its neighbours stay";
  EXPECT_EQ(visible("\xed\xa0", Lines::kept), "\ufffd") << "and a part of it is no text";
}

TEST(VisibleBlock, SetsInTheLinesAfterTheFirst) {
  EXPECT_EQ(visible_block("a\nerror: b\n    c\n", Margin::ensured), "a\n    error: b\n    c\n    ");
  EXPECT_EQ(visible_block("a\nb\n    c\n", Margin::added), "a\n    b\n        c\n    ");
  EXPECT_EQ(visible_block("", Margin::added), "");
  EXPECT_EQ(visible_block("\x1b\n\r", Margin::added), "\\x1b\n    \\x0d");
}

TEST(VisibleJson, SaysTheSameWithEscapes) {
  EXPECT_EQ(visible_json(R"({"ok":true,"text":"ü\u001b 日本"})"),
            R"({"ok":true,"text":"ü\u001b 日本"})");
  EXPECT_EQ(visible_json("\"a\x7f\u009b\u202e\u061c\u2028b\""),
            R"("a\u007f\u009b\u202e\u061c\u2028b")");
}

}  // namespace
}  // namespace cordon
