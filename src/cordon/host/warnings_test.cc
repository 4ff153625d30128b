#include "cordon/host/warnings.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/describe.h"

namespace cordon::host {
namespace {

using testing::HasSubstr;

class WarningsTest : public testing::Test {
 protected:
  static std::vector<Provider> providers() {
    Provider mail("mail");
    mail.add("send", [](Value in) -> Result<Value> { return in; });
    Provider any("any");
    any.add_any([](const std::string&, Value in, Reply reply) { reply(std::move(in)); });
    return {mail, any};
  }

  std::vector<Warning> warnings(Rest rest = Rest::done) const {
    return warnings_of(ReportKind::result, notes, rest, tools, calls);
  }
  std::string only(Rest rest = Rest::done) const {
    const std::vector<Warning> all = warnings(rest);
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? std::string() : describe(all.front());
  }

  ToolTable tools{providers(), {}};
  SourcePrep source{{}, {}};
  LogBook book{1, 1};
  GuestNotes notes{{}, tools, source, book};
  CallLedger calls;
};

TEST_F(WarningsTest, AreNoneWhereNothingIsLeftOpen) { EXPECT_TRUE(warnings().empty()); }

TEST_F(WarningsTest, DoNotMissAResultWhereThereIsAnError) {
  notes.loose_ends.no_result = js::NoResult::variable;
  notes.loose_ends.unawaited = {{.tool = 0, .count = 1}};
  const std::vector<Warning> failed =
      warnings_of(ReportKind::failure, notes, Rest::done, tools, calls);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].code, WarningCode::unawaited_call);
  EXPECT_TRUE(warnings_of(ReportKind::suspended, notes, Rest::done, tools, calls).empty());
}

TEST_F(WarningsTest, SayWhatTheResultDidNotWaitFor) {
  notes.loose_ends.left = {{.tool = 0, .count = 3}};
  EXPECT_EQ(only(),
            "the result did not wait for 3 calls of mail.send; await the function that calls it, "
            "and in place of forEach write `await Promise.all(list.map(async …))`");
}

TEST_F(WarningsTest, NameTheToolThePlaceAndWhatToWrite) {
  notes.loose_ends.unawaited = {{.tool = 0, .count = 1, .first = js::Location{"m.js", 3, 7}}};
  EXPECT_EQ(
      only(),
      "a call of mail.send was not awaited; write `await mail.send(…)`, or await the function "
      "that calls it (m.js:3:7)");
  notes.loose_ends.unawaited = {{.tool = 1, .name = "some", .count = 2}};
  EXPECT_EQ(
      only(),
      "2 calls of any.some were not awaited; write `await any.some(…)`, or await the function "
      "that calls it");
}

TEST_F(WarningsTest, CutNamesThatTheProgramChose) {
  notes.loose_ends.unawaited = {{.tool = 1, .name = std::string(5000, 'x'), .count = 1}};
  EXPECT_LT(only().size(), 400u);
  notes.loose_ends.unawaited.clear();
  notes.loose_ends.no_result = js::NoResult::variable;
  notes.loose_ends.result_name = std::string(5000, 'x');
  EXPECT_LT(only().size(), 400u);
}

TEST_F(WarningsTest, SayThatTheTimeWasOver) {
  EXPECT_THAT(only(Rest::cut_short), HasSubstr("the time was over"));
}

TEST_F(WarningsTest, CountOpenCallsByTool) {
  const Instant now{};
  calls.open(1, "mail", "send", 1, Value(1), now, now);
  calls.open(2, "any", "some", 1, Value(1), now, now);
  calls.open(3, "mail", "send", 1, Value(1), now, now);
  const std::vector<Warning> all = warnings();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].code, WarningCode::open_call);
  EXPECT_THAT(all[0].message, HasSubstr("2 calls of mail.send had no answer"));
  EXPECT_THAT(all[1].message, HasSubstr("a call of any.some had no answer"));
}

TEST_F(WarningsTest, AreLinesOfALogForThoseWhoReadNoReport) {
  Report report;
  report.warnings = {{WarningCode::no_result, "there is\nnone", SourceLocation{"m.js", 1, 2}}};
  const std::vector<LogLine> lines = lines_of_warnings(report);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].level, LogLevel::warn);
  EXPECT_THAT(lines[0].text, HasSubstr("(m.js:1:2)"));
  EXPECT_THAT(lines[0].text, testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace cordon::host
