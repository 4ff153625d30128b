#include "cordon/js/source_map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/js/written_runs.h"

namespace cordon::js {
namespace {

using Runs = std::vector<WrittenRun>;

constexpr std::size_t enough = std::size_t{1} << 20;

std::string map_of(std::string_view mappings) {
  return R"({"version":3,"sources":["a"],"sourcesContent":["\"mappings\":\"!\""],"names":[],)"
         R"("mappings":")" +
         std::string(mappings) + R"(","ignoreList":[0]})";
}

Result<Runs> read(std::string_view mappings, const MappedTexts& texts,
                  std::size_t max_bytes = enough) {
  const Bytes runs = CORDON_TRY(read_source_map(map_of(mappings), texts, max_bytes));
  return read_runs(runs);
}

Result<Runs> read(std::string_view mappings, std::string_view generated, std::string_view written) {
  return read(mappings, {.generated = generated, .written = written});
}

// A number of a mapping.
std::string vlq(std::int64_t number) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  auto bits = static_cast<std::uint64_t>(number < 0 ? -number : number) << 1 | (number < 0 ? 1 : 0);
  std::string text;
  do {
    text += digits[bits % 32 + (bits >= 32 ? 32 : 0)];
    bits /= 32;
  } while (bits > 0);
  return text;
}

TEST(SourceMap, SaysHowFarBothTextsAreTheSame) {
  // "let x = f(a)" of "let x: T = f(a)"
  EXPECT_EQ(read("AAAA,IAAI,IAAO", "let x = f(a);", "let x: T = f(a)"),
            (Runs{{0, 0, 0, 0, 5}, {0, 8, 0, 11, 4}}));
}

TEST(SourceMap, JoinsSegmentsThatSayTheSame) {
  EXPECT_EQ(read("AAAA,EAAE,EAAE", "a(b(c))", "a(b(c))"), (Runs{{0, 0, 0, 0, 7}}));
}

TEST(SourceMap, KeepsAPlaceWithoutCommonText) {
  EXPECT_EQ(read("AAAA,IAAK", "var E = 1", "enum E {}"), (Runs{{0, 0, 0, 0, 0}, {0, 4, 0, 5, 2}}));
}

TEST(SourceMap, EndsARunAtTheEndOfItsLine) {
  EXPECT_EQ(read("AAAA;AACA", "a\nb", "a\nb"), (Runs{{0, 0, 0, 0, 1}, {1, 0, 1, 0, 1}}));
  // The second line has no mapping.
  EXPECT_EQ(read("AAAA;", "a\nb", "a\nb"), (Runs{{0, 0, 0, 0, 1}}));
}

TEST(SourceMap, CountsUtf16UnitsAndAllLineEnds) {
  EXPECT_EQ(read("IAAK", "'😀'+x", "'😀' + x"), (Runs{{0, 4, 0, 5, 1}}));
  EXPECT_EQ(read("AAAE", "'😀'+x", "/ '😀'+x"), (Runs{{0, 0, 0, 2, 6}}));
  EXPECT_EQ(read("AAEE", "x", "a\r\nb\rc x"), (Runs{{0, 0, 2, 2, 1}}));
}

// The middle of a character is no place.
TEST(SourceMap, LeavesOutWhatIsNoPlaceInATextOrGoesBack) {
  EXPECT_EQ(read("AAAC", "x", "😀x"), Runs());
  EXPECT_EQ(read("AAAE", "x", "😀x"), (Runs{{0, 0, 0, 2, 1}}));
  EXPECT_EQ(read("AAAE", "x", "x"), Runs());
  EXPECT_EQ(read("AACA", "x", "x"), Runs());
  EXPECT_EQ(read("AAAC", "b", "\nb"), Runs()) << "not in the next line";
  EXPECT_EQ(read("AAAD", "x", "x"), Runs());
  EXPECT_EQ(read("EAAA", "x", "x"), Runs());
  EXPECT_EQ(read(";;AAAA", "x", "x"), Runs());
  EXPECT_EQ(read("CAAA,DAAC", "ab", "ab"), (Runs{{0, 1, 0, 0, 0}}));
  EXPECT_EQ(read("A", "x", "x"), Runs()) << "that is of no source";
}

TEST(SourceMap, LeavesOutTheStartsOfTheFirstLines) {
  const MappedTexts texts{
      .generated = "f(a\nb", .written = "f(a\nb", .generated_start = 2, .written_start = 2};
  EXPECT_EQ(read("AAAA,EAAE;AACF", texts), (Runs{{1, 0, 1, 0, 1}})) << "it is one run";
  const MappedTexts other{
      .generated = "g( a\nb", .written = "f(a\nb", .generated_start = 2, .written_start = 2};
  EXPECT_EQ(read("AAAA,GAAE;AACF", other), (Runs{{0, 1, 0, 0, 1}, {1, 0, 1, 0, 1}}));
}

TEST(SourceMap, RefusesWhatIsNotWellFormed) {
  for (const char* mappings :
       {"AA", "AAA", "AAAAAA", "ACAA", "!", "AAA!", "AAAg", "gggggggggggggA", "AAAA;AAg", "é"}) {
    const Result<Runs> runs = read(mappings, "x", "x");
    ASSERT_FALSE(runs.has_value()) << mappings;
    EXPECT_EQ(runs.error().code, ErrorCode::malformed);
  }
  const MappedTexts texts{.generated = "x", .written = "x"};
  EXPECT_FALSE(read_source_map("{}", texts, enough).has_value());
  EXPECT_FALSE(read_source_map(R"({"mappings":"AAAA)", texts, enough).has_value());
}

TEST(SourceMap, TakesNoMoreMemoryThanItMay) {
  const std::string generated(1000, 'a');
  std::string mappings = "AAAA";
  for (int i = 1; i < 1000; ++i) mappings += i % 2 == 0 ? ",CAAD" : ",CAAC";
  EXPECT_EQ(read(mappings, {.generated = generated, .written = "ba"}, 1000).error().code,
            ErrorCode::memory_limit);
}

// A long line, with segments that go to and fro in it, is not walked anew for each of them.
TEST(SourceMap, TakesTimeInProportionToItsSize) {
  constexpr int count = 200'000;
  std::string written;
  std::string mappings;
  for (int i = 0; i < count; ++i) {
    written += "é0123456789";
    const std::int64_t step = i == 0 ? 0 : i % 2 == 1 ? 2'000'000 : -2'000'000;
    mappings += "CAA" + vlq(step) + ",";
  }
  const std::string generated(count + 1, 'x');
  const Result<Runs> runs =
      read(mappings, {.generated = generated, .written = written}, std::size_t{64} << 20);
  ASSERT_TRUE(runs.has_value());
  EXPECT_EQ(runs->size(), static_cast<std::size_t>(count));
}

// Segments in the order of the generated text that point anywhere in the written one.
RC_GTEST_PROP(SourceMap, ReadsWhatWasWritten, ()) {
  const std::uint32_t lines = *rc::gen::inRange<std::uint32_t>(1, 8);
  const std::uint32_t columns = *rc::gen::inRange<std::uint32_t>(1, 40);
  std::string generated;
  std::string written;
  std::string mappings;
  Runs expected;
  WrittenRun last;
  for (std::uint32_t line = 0; line < lines; ++line) {
    generated += std::string(columns, 'g') + "\n";
    written += std::string(columns, 'w') + "\r\n";
    for (std::uint32_t column = 0, before = 0; column < columns; ++column) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      const WrittenRun run{line, column, *rc::gen::inRange<std::uint32_t>(0, lines),
                           *rc::gen::inRange<std::uint32_t>(0, columns), 0};
      mappings += vlq(column - before) + "A" +
                  vlq(std::int64_t{run.written_line} - last.written_line) +
                  vlq(std::int64_t{run.written_column} - last.written_column) + ",";
      before = column;
      last = run;
      expected.push_back(run);
    }
    mappings += ";";
  }
  const Result<Runs> runs = read(mappings, generated, written);
  RC_ASSERT(runs.has_value());
  RC_ASSERT(*runs == expected);
}

RC_GTEST_PROP(SourceMap, HasRunsOfEqualText, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const std::string generated = *text;
  const std::string written = *text;
  std::string mappings;
  const int count = *rc::gen::inRange(0, 50);
  const auto step = rc::gen::inRange(-2, 4);
  for (int i = 0; i < count; ++i) {
    mappings += vlq(*step) + "A" + vlq(*step) + vlq(*step) + *rc::gen::element(",", ";");
  }
  const Result<Runs> runs = read(mappings, generated, written);
  RC_ASSERT(runs.has_value());
  const auto line_at = [](std::string_view lines, std::uint32_t line) {
    for (; line > 0; --line) lines.remove_prefix(lines.find('\n') + 1);
    return lines.substr(0, lines.find('\n'));
  };
  for (const WrittenRun& run : *runs) {
    const auto made = line_at(generated, run.line);
    const auto from = line_at(written, run.written_line);
    RC_ASSERT(run.column + run.length <= made.size());
    RC_ASSERT(run.written_column + run.length <= from.size());
    RC_ASSERT(made.substr(run.column, run.length) == from.substr(run.written_column, run.length));
  }
}

}  // namespace
}  // namespace cordon::js
