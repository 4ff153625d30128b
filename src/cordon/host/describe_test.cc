#include "cordon/describe.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/utf8.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ExecutionError error_of(std::string message) {
  ExecutionError error = Error{ErrorCode::runtime_error, std::move(message)};
  error.name = "TypeError";
  return error;
}

// Every part as long as it can be.
ExecutionError overlong(std::string_view unit) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += unit;
  ExecutionError error = Error{ErrorCode::tool_error, "first " + text + " last", text};
  error.name = error.stack = error.function = error.hint = error.reason = error.place = text;
  for (int i = 0; i < 8; ++i) error.causes.push_back({text, text, text});
  error.location = SourceLocation{"begin" + text + ".js", 4'000'000'000, 4'000'000'000};
  error.excerpt = {3'999'999'998, {text, text, text}, text};
  return error;
}

bool sets_in_every_line_but_the_first(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (!text.substr(at + 1).starts_with("  ")) return false;
  return true;
}

TEST(Describe, HasMessagePlaceLinesHintCausesAndStack) {
  ExecutionError error = error_of("no");
  error.stack = "    at f (m.js:10:5)\n    at <eval> (m.js:12:1)\n";
  error.function = "f";
  error.location = SourceLocation{"m.js", 10, 5};
  error.excerpt = {9, {"é \x1b[2J", "\té = x.y"}, "\té = "};
  error.hint = "there is no y; did you mean z?";
  error.causes = {{"Error", "because", ""}, {"", "why not", ""}};
  EXPECT_EQ(describe(error),
            "error: runtime_error: TypeError: no\n"
            "  at m.js:10:5\n"
            "     9 | é \\x1b[2J\n"
            "    10 | \té = x.y\n"
            "       | \t    ^\n"
            "  hint: there is no y; did you mean z?\n"
            "  caused by Error: because\n"
            "  caused by why not\n"
            "    at f (m.js:10:5)\n"
            "    at <eval> (m.js:12:1)");
}

// Control characters take several places each, so even a line that was cut may be too long.
TEST(Describe, CutsALineAroundTheCaret) {
  ExecutionError error = error_of("no");
  error.location = SourceLocation{"m.js", 1, 100};
  const std::string before(80, '\x1b');
  error.excerpt = {1, {before + "here" + std::string(300, 'x')}, before};
  const std::string text = describe(error);
  const std::size_t line = text.find("1 | ");
  const std::size_t caret = text.find('^');
  ASSERT_NE(caret, std::string::npos) << text;
  const std::string shown = text.substr(line, text.find('\n', line) - line);
  const std::size_t column = caret - (text.rfind('\n', caret) + 1) - 4;
  EXPECT_EQ(column + 2, shown.find("here")) << text;  // the mark takes three bytes and one place
  EXPECT_THAT(shown, StartsWith("1 | …"));
  EXPECT_THAT(shown, EndsWith("x…"));
}

TEST(Describe, HasThePlaceOfARefusedValue) {
  ExecutionError error = Error{ErrorCode::serialization_error, "Guest code returned it"};
  error.reason = "an object of class Date";
  error.place = "rows[1].when";
  EXPECT_EQ(describe(error),
            "error: serialization_error: Guest code returned it: an object of class Date at "
            "rows[1].when");
}

TEST(Describe, HasNoNameWhereTheCodeIsTheHosts) {
  ExecutionError error = Error{ErrorCode::timeout, "Execution timed out"};
  error.name = "Error";
  EXPECT_EQ(describe(error), "error: timeout: Execution timed out");
}

TEST(Describe, ShowsTheHeadOfAStackOnce) {
  ExecutionError error = error_of("no\nand no");
  error.stack = "TypeError: no\nand no\n    at f (m.js:1:1)\n    at m.js:2:1";
  EXPECT_EQ(
      describe(error),
      "error: runtime_error: TypeError: no\n    and no\n    at f (m.js:1:1)\n    at m.js:2:1");
  error.message.clear();
  error.stack = "TypeError\n    at f (m.js:1:1)\n";
  EXPECT_EQ(describe(error), "error: runtime_error: TypeError: \n    at f (m.js:1:1)");
}

TEST(Describe, LeavesOutTheStackBeforeAnythingElse) {
  ExecutionError error = error_of(std::string(1700, 'm'));
  error.hint = "the hint";
  for (int i = 0; i < 50; ++i) error.stack += "    at f (m.js:" + std::to_string(i) + ":1)\n";
  const std::string text = describe(error);
  EXPECT_THAT(text, HasSubstr(std::string(1700, 'm')));
  EXPECT_THAT(text, HasSubstr("hint: the hint"));
  EXPECT_THAT(text, HasSubstr("at f (m.js:0:1)"));
  EXPECT_THAT(text, EndsWith(":1)\n    …"));
  error.message = std::string(5000, 'm');
  EXPECT_THAT(describe(error), Not(HasSubstr("at f")));
}

TEST(Describe, TakesTheMiddleOutOfALongMessage) {
  const std::string text = describe(error_of("first" + std::string(100'000, 'm') + "last"));
  EXPECT_THAT(text, StartsWith("error: runtime_error: TypeError: firstmm"));
  EXPECT_THAT(text, HasSubstr("mm…mm"));
  EXPECT_THAT(text, EndsWith("mmlast"));
  EXPECT_EQ(utf16_length(text), max_description_units);
}

TEST(Describe, KeepsItsLimitWhateverTheTexts) {
  for (const char* unit : {"x", "\n", "é", "€", "😀", "\x1b", "\xED\xA0\x80", "\xff", "a\n b", "\t",
                           "\n    ", "    at f (m.js:1:1)\n"}) {
    const ExecutionError error = overlong(unit);
    const std::string text = describe(error);
    SCOPED_TRACE(text);
    EXPECT_TRUE(is_utf8(text));
    EXPECT_LE(utf16_length(text), max_description_units);
    EXPECT_GT(utf16_length(text), max_description_units / 2);
    EXPECT_THAT(text, HasSubstr("first"));
    EXPECT_THAT(text, HasSubstr("begin"));
    EXPECT_THAT(text, HasSubstr(".js:4000000000:4000000000"));
    EXPECT_TRUE(sets_in_every_line_but_the_first(text));
  }
}

TEST(Describe, StylesPartsBeyondItsLimit) {
  ExecutionError error = overlong("x");
  error.own_code.clear();
  const std::string text = describe(error, [](TextPart part, std::string_view part_text) {
    return part == TextPart::code ? "<" + std::string(part_text) + ">" : std::string(part_text);
  });
  EXPECT_THAT(text, StartsWith("error: <tool_error>: first"));
  EXPECT_EQ(utf16_length(text), utf16_length(describe(error)) + 2);
}

RC_GTEST_PROP(Describe, IsShortAndUtf8AndHasTheMessage, ()) {
  const auto any = [] { return *cordon::testing::arbitrary_text(); };
  ExecutionError error = Error{ErrorCode::runtime_error, any()};
  error.name = any();
  error.stack = any() + "\n" + any();
  error.hint = any();
  error.causes = {{any(), any(), any()}};
  error.location = SourceLocation{any(), 1, 2};
  error.excerpt = {1, {any(), any()}, any()};
  const std::string text = describe(error);
  RC_ASSERT(is_utf8(text));
  RC_ASSERT(utf16_length(text) <= max_description_units);
  RC_ASSERT(sets_in_every_line_but_the_first(text));
  RC_ASSERT(text.contains("runtime_error"));
  RC_ASSERT(text.contains(":1:2"));
}

}  // namespace
}  // namespace cordon
