#include "cordon/host/log_book.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/utf8.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon::host {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> texts(LogBook& book) {
  std::vector<std::string> texts;
  for (const LogLine& line : book.take()) texts.push_back(line.text);
  return texts;
}

TEST(LogBook, KeepsLinesWithTheirLevels) {
  LogBook book(10, 100);
  const LogLine* kept = book.add(LogLevel::warn, "careful");
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->level, LogLevel::warn);
  EXPECT_EQ(kept->text, "careful");
  book.add(LogLevel::log, "");
  EXPECT_THAT(texts(book), ElementsAre("careful", ""));
  EXPECT_FALSE(book.truncated());
}

TEST(LogBook, KeepsNoMoreLinesThanAllowed) {
  LogBook book(2, 100);
  book.add(LogLevel::log, "one");
  book.add(LogLevel::log, "two");
  EXPECT_FALSE(book.truncated());
  EXPECT_EQ(book.add(LogLevel::log, "three"), nullptr);
  EXPECT_TRUE(book.truncated());
  book.add(LogLevel::log, "four");
  EXPECT_EQ(book.left_out(), 2u);
  EXPECT_THAT(texts(book), ElementsAre("one", "two"));
}

TEST(LogBook, ClipsTheLineThatCrossesTheNumberOfCharactersAndKeepsNothingAfterIt) {
  LogBook book(10, 5);
  book.add(LogLevel::log, "abc");
  const LogLine* clipped = book.add(LogLevel::log, "defg");
  ASSERT_NE(clipped, nullptr);
  EXPECT_EQ(clipped->text, "de");
  EXPECT_TRUE(book.truncated());
  EXPECT_EQ(book.add(LogLevel::log, ""), nullptr) << "not even an empty line";
  EXPECT_THAT(texts(book), ElementsAre("abc", "de"));
}

TEST(LogBook, IsNotCutWhereTheTextJustFits) {
  LogBook book(10, 3);
  book.add(LogLevel::log, "abc");
  EXPECT_FALSE(book.truncated());
  EXPECT_EQ(book.add(LogLevel::log, "d"), nullptr);
  EXPECT_TRUE(book.truncated());
}

TEST(LogBook, KeepsNothingWhereNothingIsAllowed) {
  LogBook no_lines(0, 100);
  EXPECT_EQ(no_lines.add(LogLevel::log, "a"), nullptr);
  EXPECT_TRUE(no_lines.truncated());
  LogBook no_characters(100, 0);
  EXPECT_EQ(no_characters.add(LogLevel::log, "a"), nullptr);
  EXPECT_TRUE(no_characters.truncated());
}

TEST(LogBook, CountsCharactersAsJavaScriptDoes) {
  LogBook book(10, 3);
  const LogLine* line = book.add(LogLevel::log, "é😀😀");
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->text, "é😀") << "an emoji is two";
}

TEST(LogBook, CutsAPairInTwoAsSliceDoes) {
  for (const char* before : {"", "a", "€", "€€", "€€€€€€€"}) {
    LogBook book(10, utf16_length(before) + 1);
    const LogLine* line = book.add(LogLevel::log, std::string(before) + "😀");
    ASSERT_NE(line, nullptr);
    EXPECT_EQ(line->text, std::string(before) + "\xED\xA0\xBD");
  }
}

TEST(LogBook, MakesWellFormedWhatIsNot) {
  LogBook book(10, 100);
  const LogLine* line = book.add(LogLevel::log, "a\xFF\xC3z\xF0\x9F");
  ASSERT_NE(line, nullptr);
  EXPECT_TRUE(is_wtf8(line->text));
  EXPECT_EQ(line->text.front(), 'a');
}

RC_GTEST_PROP(LogBook, KeepsWhatSliceWouldKeepOfEachLine, ()) {
  const auto lines =
      *rc::gen::container<std::vector<std::string>>(cordon::testing::arbitrary_text());
  const auto max_lines = *rc::gen::inRange<std::size_t>(0, 6);
  const auto max_chars = *rc::gen::inRange<std::size_t>(0, 60);

  LogBook book(max_lines, max_chars);
  std::vector<std::string> expected;
  std::size_t left = max_chars;
  bool cut = false;
  for (const std::string& line : lines) {
    book.add(LogLevel::log, line);
    if (expected.size() == max_lines || left == 0) {
      cut = true;
      continue;
    }
    const std::size_t length = std::min(left, utf16_length(line));
    cut = cut || length < utf16_length(line);
    expected.push_back(first_utf16_units(line, length));
    left -= length;
  }
  RC_ASSERT(book.truncated() == cut);
  RC_ASSERT(texts(book) == expected);
}

TEST(LogBook, ANoteSaysWhatWasCut) {
  Report report;
  EXPECT_FALSE(note_on_cut_logs(report));
  report.logs_truncated = true;
  EXPECT_EQ(note_on_cut_logs(report)->text,
            "the last line was cut short: it logs more than its limits allow");
  report.logs_left_out = 1;
  EXPECT_EQ(note_on_cut_logs(report)->text,
            "1 line more left out: it logs more than its limits allow");
  report.logs_left_out = 23;
  EXPECT_EQ(note_on_cut_logs(report)->text,
            "23 lines more left out: it logs more than its limits allow");
  EXPECT_EQ(note_on_cut_logs(report)->level, LogLevel::warn);
}

}  // namespace
}  // namespace cordon::host
