#include "cordon/protocol/execbox/line_cutter.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::execbox {
namespace {

using testing::ElementsAre;

struct Lines : LineSink {
  void on_line(std::string_view line) override { all.emplace_back(line); }
  void on_oversized_line(const std::optional<Envelope>& envelope) override {
    all.push_back("<" + (envelope ? envelope->type : "nothing") + ">");
  }
  std::vector<std::string> all;
};

TEST(LineCutter, GivesTheSameLinesWhereverTheBytesAreCut) {
  const std::string text = "one\n\ntwo\r\n" + std::string(30, 'x') + "\n{\"type\":\"a\"" +
                           std::string(30, ' ') + "}\nlast";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    SCOPED_TRACE(cut);
    LineCutter cutter(20);
    Lines lines;
    cutter.feed(std::string_view(text).substr(0, cut), lines);
    cutter.feed(std::string_view(text).substr(cut), lines);
    cutter.finish(lines);
    EXPECT_THAT(lines.all, ElementsAre("one", "", "two\r", "<nothing>", "<a>", "last"));
  }
}

TEST(LineCutter, KeepsALineOfExactlyTheLimit) {
  LineCutter cutter(3);
  Lines lines;
  cutter.feed("abc\nabcd\nabc", lines);
  cutter.finish(lines);
  EXPECT_THAT(lines.all, ElementsAre("abc", "<nothing>", "abc"));
}

TEST(LineCutter, TakesANewLimitWhileItIsFed) {
  struct Raising : LineSink {
    void on_line(std::string_view line) override {
      all.emplace_back(line);
      cutter.set_limit(100);
    }
    void on_oversized_line(const std::optional<Envelope>&) override { all.emplace_back("large"); }
    LineCutter cutter{3};
    std::vector<std::string> all;
  };
  Raising lines;
  lines.cutter.feed("abcd\nabc\nabcdef\n", lines);
  EXPECT_THAT(lines.all, ElementsAre("large", "abc", "abcdef"));
}

TEST(LineCutter, GivesNoLastLineWhereThereIsNone) {
  LineCutter cutter(10);
  Lines lines;
  cutter.feed("a\n", lines);
  cutter.finish(lines);
  cutter.finish(lines);
  EXPECT_THAT(lines.all, ElementsAre("a"));
}

}  // namespace
}  // namespace cordon::execbox
