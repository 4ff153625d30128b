#include "front_matter.h"
#include "known_failures.h"
#include "suite.h"
#include <gmock/gmock.h>

namespace cordon::test262 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(FrontMatter, ReadsListsInBothForms) {
  const FrontMatter matter = parse_front_matter(R"(// Copyright
/*---
description: |
  flags: [none of these]
flags: [onlyStrict, async]
includes:
  - compareArray.js
  - propertyHelper.js
features: [Symbol.iterator,
  let]
info: no
---*/
flags: [raw])");
  EXPECT_THAT(matter.flags, ElementsAre("onlyStrict", "async"));
  EXPECT_THAT(matter.includes, ElementsAre("compareArray.js", "propertyHelper.js"));
  EXPECT_THAT(matter.features, ElementsAre("Symbol.iterator", "let"));
  EXPECT_FALSE(matter.is_negative());
  EXPECT_TRUE(matter.has_flag("async"));
  EXPECT_FALSE(matter.has_flag("raw"));
}

TEST(FrontMatter, ReadsWhatMustFail) {
  const FrontMatter matter =
      parse_front_matter("/*---\r\nnegative:\r\n  phase: parse\r\n  type: SyntaxError\r\n---*/");
  EXPECT_EQ(matter.negative_phase, "parse");
  EXPECT_EQ(matter.negative_type, "SyntaxError");
}

TEST(FrontMatter, IsEmptyWhereThereIsNone) {
  EXPECT_THAT(parse_front_matter("throw 1").flags, IsEmpty());
  EXPECT_THAT(parse_front_matter("/*--- flags: [raw]").flags, IsEmpty());
}

TEST(KnownFailures, AreListedUnderTheirReasons) {
  EXPECT_THAT(parse_list("# One\n# reason.\na.js\n\n# Another.\nb.js\nc.js # its own\n"),
              UnorderedElementsAre(Pair("a.js", "One reason."), Pair("b.js", "Another."),
                                   Pair("c.js", "its own")));
}

TEST(KnownFailures, MayOnlyBecomeFewer) {
  const std::map<std::string, std::string> known = {
      {"a.js", ""}, {"b.js", ""}, {"elsewhere.js", ""}};
  const Comparison comparison = compare({"a.js", "b.js", "c.js", "d.js"}, {"a.js", "c.js"}, known);
  EXPECT_THAT(comparison.new_failures, ElementsAre("c.js"));
  EXPECT_THAT(comparison.to_remove, ElementsAre("b.js"));
  EXPECT_FALSE(comparison.good());
  EXPECT_TRUE(compare({"a.js", "b.js"}, {"a.js", "b.js"}, known).good());
}

TEST(KnownFailures, OfTheTreeHaveReasons) {
  // The files that ./dev test262 reads are checked where there is no suite, too.
  for (const char* path : {"tests/test262/known_failures.txt", "tests/test262/left_out.txt"}) {
    for (const auto& [name, reason] : parse_list(read_file(path).value_or("")))
      EXPECT_FALSE(reason.empty()) << path << ": " << name;
  }
}

TEST(Suite, RunsTestsAsTheSuiteAsks) {
  const Result<SuiteResult> result =
      run_suite({.folder = "tests/test262/sample",
                 .left_out = {{"Temporal", "an issue of its own"}, {"left-out/", "not wanted"}}});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->ran.size(), 13);
  EXPECT_THAT(result->failed,
              UnorderedElementsAre(
                  Pair("language/fails-in-strict-mode.js", testing::HasSubstr("no this")),
                  Pair("language/parses.js", testing::HasSubstr("failed differently")),
                  Pair("language/other-error.js", "failed differently: TypeError: another"),
                  Pair("language/async-without-end.js", "$DONE was not called")));
  EXPECT_THAT(result->left_out, UnorderedElementsAre(Pair("Temporal", 1), Pair("left-out/", 1)));
}

TEST(Suite, RunsThoseThatAreNamed) {
  const Result<SuiteResult> result =
      run_suite({.folder = "tests/test262/sample", .filters = {"module", "raw"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ran.size(), 3);
  EXPECT_THAT(result->failed, IsEmpty());
}

}  // namespace
}  // namespace cordon::test262
