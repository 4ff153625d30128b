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
  std::vector<std::string> told_;
  std::optional<ErrorLines> lines_{std::in_place,
                                   [this](std::string_view line) { told_.emplace_back(line); }};
  const Instant start_ = Instant() + std::chrono::hours(1);
};

TEST_F(ErrorLinesTest, AreCutAtTheirEndsWhereverTheTextIs) {
  lines_->add("one\ntw", start_);
  EXPECT_THAT(told_, ElementsAre("one"));
  lines_->add("o\n\nth", start_);
  EXPECT_THAT(told_, ElementsAre("one", "two", ""));
  lines_->add("ree", start_);
  lines_.reset();
  EXPECT_THAT(told_, ElementsAre("one", "two", "", "three"));
}

TEST_F(ErrorLinesTest, AreCutShortWhereTheyAreLong) {
  const std::string text(ErrorLines::most_line_bytes, 'x');
  lines_->add(text + "\n", start_);
  lines_->add(text, start_);
  for (int i = 0; i < 1000; ++i) lines_->add(text, start_);
  lines_->add("\nend\n", start_);
  EXPECT_THAT(told_, ElementsAre(text, text + " …", "end"));
}

TEST_F(ErrorLinesTest, AreSoManyASecondAndTheRestIsCounted) {
  for (std::size_t i = 0; i < ErrorLines::most_lines_a_second + 7; ++i) lines_->add("a\n", start_);
  EXPECT_EQ(told_.size(), ErrorLines::most_lines_a_second);
  told_.clear();
  lines_->add("b\n", start_ + std::chrono::milliseconds(999));
  EXPECT_THAT(told_, ElementsAre());
  lines_->add("c\n", start_ + std::chrono::milliseconds(1000));
  EXPECT_THAT(told_, ElementsAre("8 lines left out", "c"));
}

}  // namespace
}  // namespace cordon::providers
