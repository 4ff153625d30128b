#include "cordon/providers/error_lines.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

using ::testing::ElementsAre;

class ErrorLinesTest : public testing::Test {
 protected:
  std::vector<std::string> told;
  std::optional<ErrorLines> lines{std::in_place,
                                  [this](std::string_view line) { told.emplace_back(line); }};
  const Instant start = Instant() + std::chrono::hours(1);
};

TEST_F(ErrorLinesTest, AreCutAtTheirEndsWhereverTheTextIs) {
  lines->add("one\ntw", start);
  EXPECT_THAT(told, ElementsAre("one"));
  lines->add("o\n\nth", start);
  EXPECT_THAT(told, ElementsAre("one", "two", ""));
  lines->add("ree", start);
  lines.reset();
  EXPECT_THAT(told, ElementsAre("one", "two", "", "three"));
}

TEST_F(ErrorLinesTest, AreCutShortWhereTheyAreLong) {
  const std::string text(ErrorLines::max_line_bytes, 'x');
  lines->add(text + "\n", start);
  lines->add(text, start);
  for (int i = 0; i < 1000; ++i) lines->add(text, start);
  lines->add("\nend\n", start);
  EXPECT_THAT(told, ElementsAre(text, text + " …", "end"));
}

TEST_F(ErrorLinesTest, AreSoManyASecondAndTheRestIsCounted) {
  for (std::size_t i = 0; i < ErrorLines::max_lines_a_second + 7; ++i) lines->add("a\n", start);
  EXPECT_EQ(told.size(), ErrorLines::max_lines_a_second);
  told.clear();
  lines->add("b\n", start + std::chrono::milliseconds(999));
  EXPECT_THAT(told, ElementsAre());
  lines->add("c\n", start + std::chrono::milliseconds(1000));
  EXPECT_THAT(told, ElementsAre("8 lines left out", "c"));
}

}  // namespace
}  // namespace cordon::providers
