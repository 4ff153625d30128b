#include "cordon/runners/written_places.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cordon/base/writer.h"
#include "cordon/js/written_runs.h"

namespace cordon::runners {
namespace {

ExecutionError error_at(std::uint32_t line, std::uint32_t column, std::string stack = {}) {
  ExecutionError error;
  error.location = SourceLocation{"program.js", line, column};
  error.stack = std::move(stack);
  return error;
}

TEST(WrittenPlaces, CountsWithoutWhatTheHostPutBefore) {
  const WrittenPlaces places{.file = "p.js", .written = "a;\nb;", .units_before = 10, .lines = 2};
  ExecutionError error = error_at(1, 11, "    at f (program.js:1:11)\n    at program.js:2:1\n");
  places.put_right(error);
  EXPECT_EQ(error.location, (SourceLocation{"p.js", 1, 1}));
  EXPECT_EQ(error.stack, "    at f (p.js:1:1)\n    at p.js:2:1\n");
  EXPECT_EQ(error.excerpt.lines.back(), "a;");
  EXPECT_EQ(error.function, "f");
}

TEST(WrittenPlaces, LeavesOutWhatIsTheHosts) {
  const WrittenPlaces places{.file = "p.js", .written = "a;\nb;", .units_before = 10, .lines = 2};
  ExecutionError error =
      error_at(1, 10, "    at g (native)\n    at f (program.js:1:10)\n    at program.js:2:2\n");
  places.put_right(error);
  EXPECT_EQ(error.location, std::nullopt);
  EXPECT_EQ(error.stack, "    at g (native)\n    at p.js:2:2\n");
}

TEST(WrittenPlaces, LeavesOutWhatFollowsTheProgram) {
  const WrittenPlaces places{.file = "p.js", .written = "a", .lines = 1};
  ExecutionError error = error_at(2, 1, "    at async g (program.js:1:1)\n    at program.js:2:1\n");
  places.put_right(error);
  EXPECT_EQ(error.location, std::nullopt);
  EXPECT_EQ(error.stack, "    at async g (p.js:1:1)\n");
  EXPECT_EQ(error.function, "g");
}

TEST(WrittenPlaces, TakesAnythingForAStack) {
  const WrittenPlaces places{.file = "p.js", .written = "a", .lines = 9};
  for (const char* stack :
       {"\n", "program.js:\n", "program.js:1\n", "program.js:1:\n", "program.js:0:0\n",
        "program.js:99999999999:1\n", "program.js:x:y\n", "program.js:1:1:1\n"}) {
    ExecutionError error = error_at(7, 7, stack);
    places.put_right(error);
    EXPECT_EQ(error.location, (SourceLocation{"p.js", 7, 7}));
    EXPECT_TRUE(error.excerpt.lines.empty()) << "the program has no such line";
  }
}

TEST(WrittenPlaces, FollowsWhatTheStripperMoved) {
  Bytes runs;
  Writer out(runs);
  js::put_run(out, {.line = 0, .column = 2, .written_line = 3, .written_column = 20, .length = 5});
  const WrittenPlaces places{.file = "p.ts", .written = "", .runs = runs, .lines = 1};
  for (const auto& [column, written] : {std::pair(3U, 21U), std::pair(8U, 26U)}) {
    ExecutionError error = error_at(1, column);
    places.put_right(error);
    EXPECT_EQ(error.location, (SourceLocation{"p.ts", 4, written}));
  }
  for (const std::uint32_t column : {1U, 2U, 9U}) {
    ExecutionError error = error_at(1, column);
    places.put_right(error);
    EXPECT_EQ(error.location, std::nullopt) << column;
  }
}

}  // namespace
}  // namespace cordon::runners
