#include "cordon/host/foreign_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::host {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string_view advice(std::string_view text, std::string_view before = "",
                        std::string_view rest = "") {
  const std::string line = std::string(before) + std::string(rest);
  return advice_on_foreign_text(text, {text, line, before.size()});
}

TEST(ForeignText, KnowsPython) {
  for (const std::string_view text :
       {"def main():\n    print(1)", "x = None\nif x is None:\n    print(x)",
        "import json\nprint(1)", "from datetime import date\n",
        "try:\n  a()\nexcept Exception as e:\n  pass", "for x in rows:\n  f(x)", "class A:\n  pass",
        "async def f():\n  pass"})
    EXPECT_THAT(advice(text), HasSubstr("Python")) << text;
}

TEST(ForeignText, KnowsJson) {
  EXPECT_THAT(advice("{\"tool\": \"x\"}"), HasSubstr("({…})"));
  EXPECT_THAT(advice(" {\n  \"a\" : [1]\n}"), HasSubstr("JSON"));
}

TEST(ForeignText, KnowsMarkup) {
  EXPECT_THAT(advice("", "<html><body>hi</body></html>", ""), HasSubstr("HTML"));
  EXPECT_THAT(advice("", "", "<!DOCTYPE html>"), HasSubstr("HTML"));
  EXPECT_THAT(advice("", "const a = <div className=\"a\"/>", ""), HasSubstr("JSX"));
  EXPECT_THAT(advice("", "return <p>x</p>", ";"), HasSubstr("JSX"));
}

TEST(ForeignText, KnowsWordsAtTheError) {
  EXPECT_EQ(advice("", "a ", "and b"), "write && for and");
  EXPECT_EQ(advice("", "a ", "or b"), "write || for or");
  EXPECT_EQ(advice("", "if (a ", "is b)"), "write === for is");
  EXPECT_EQ(advice("", "if (not ", "b)"), "write ! for not");
  EXPECT_EQ(advice("", "if (a) { 1 } elif (b) ", "{"), "write else if for elif");
  EXPECT_EQ(advice("", "try { 1 } ", "except { 2 }"), "write catch (error) for except");
  EXPECT_EQ(advice("", "try { 1 } except ", "{ 2 }"), "write catch (error) for except");
  EXPECT_THAT(advice("", "[x * 2 ", "for x in xs]"), HasSubstr("list.map"));
  EXPECT_THAT(advice("", "print(f", "\"{x}\")"), HasSubstr("${value}"));
}

TEST(ForeignText, IsSilentAboutJavaScript) {
  for (const std::string_view text :
       {"let a = ;", "switch (a) {\n case 1:\n f(", "import x from 'y'; (", "{ f() ",
        "{ \"use strict\"; (", "const a = {\n  if: 1,\n  from: 2,\n", "if (a ? b :\n c",
        "outer:\nfor (;;) {"})
    EXPECT_THAT(advice(text), IsEmpty()) << text;
  EXPECT_THAT(advice("", "if (a < b && c </x/.y", ")"), IsEmpty());
  EXPECT_THAT(advice("", "const half = ", ";"), IsEmpty());
  EXPECT_THAT(advice_on_foreign_text("const prompt = `\nwith these words:\n`;\nlet a = ;", {}),
              IsEmpty());
}

}  // namespace
}  // namespace cordon::host
