#include "cordon/cli/report_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/describe.h"

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Terminal plain(false);

std::vector<std::string> keys(ValueView object) {
  std::vector<std::string> all;
  for (const auto [key, value] : object.members()) all.emplace_back(key);
  return all;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    all.push_back(text.substr(start, end - start));
    start = end == std::string::npos ? text.size() : end + 1;
  }
  return all;
}

Report failed() {
  Report report;
  report.error = Error{ErrorCode::runtime_error, "no"};
  return report;
}

TEST(ReportAsValue, OfASuccessHasTheResultAndNoError) {
  Report report;
  report.kind = ReportKind::result;
  report.result = Value::array({1, nullptr});
  report.logs = {{LogLevel::warn, "careful"}};
  report.calls = {
      {.provider = "shop", .tool = "price", .took = 1500us, .answered = true, .ok = true},
      {.provider = "shop", .tool = "stock"}};
  report.call_count = 2;
  report.duration = 2500us;
  const Value value = report_as_value(report);
  EXPECT_EQ(value["ok"], Value(true));
  EXPECT_EQ(value["result"], Value::array({1, nullptr}));
  EXPECT_EQ(value["logs"], Value::array({Value::object({{"level", "warn"}, {"text", "careful"}})}));
  EXPECT_EQ(
      value["calls"],
      Value::array(
          {Value::object({{"provider", "shop"}, {"tool", "price"}, {"ms", 1.5}, {"ok", true}}),
           Value::object({{"provider", "shop"}, {"tool", "stock"}, {"ms", 0}, {"ok", false}})}));
  EXPECT_EQ(value["durationMs"], Value(2.5));
  EXPECT_FALSE(value.contains("error"));
  EXPECT_FALSE(value.contains("logsTruncated"));
  EXPECT_FALSE(value.contains("callCount"));
}

TEST(ReportAsValue, HasNoResultWhereThereIsNone) {
  Report report;
  report.kind = ReportKind::result;
  EXPECT_FALSE(report_as_value(report).contains("result"));
  report.result = nullptr;
  EXPECT_EQ(report_as_value(report)["result"], Value(nullptr));
}

TEST(ReportAsValue, OfAFailureHasTheErrorAndNoResult) {
  Report report = failed();
  report.result = Value(1);
  const Value value = report_as_value(report);
  EXPECT_EQ(value["ok"], Value(false));
  EXPECT_FALSE(value.contains("result"));
  EXPECT_THAT(keys(value["error"]), testing::ElementsAre("code", "message"));
  EXPECT_TRUE(value["logs"].is_array());
  EXPECT_TRUE(value["calls"].is_array());
  EXPECT_TRUE(value["durationMs"].is_number());
}

TEST(ReportAsValue, NestsTheCausesAndHasThePlaceInTheText) {
  Report report = failed();
  report.error.name = "TypeError";
  report.error.stack = "    at f (main.js:3:9)\n";
  report.error.causes = {{"Error", "first", "s"}, {"", "second", ""}};
  report.error.location = SourceLocation{"main.js", 3, 9};
  const Value value = report_as_value(report);
  const ValueView error = value.find("error");
  EXPECT_EQ(error["name"], Value("TypeError"));
  EXPECT_EQ(error["cause"]["message"], Value("first"));
  EXPECT_EQ(error["cause"]["cause"]["message"], Value("second"));
  EXPECT_FALSE(error["cause"]["cause"].contains("name"));
  EXPECT_EQ(Value::copy_of(error["location"]),
            Value::object({{"file", "main.js"}, {"line", 3}, {"column", 9}}));
}

TEST(ReportAsValue, NamesThePlaceOfWhatCannotLeave) {
  Report report = failed();
  report.error = Error{ErrorCode::serialization_error, "refused"};
  report.error.reason = "a function";
  report.error.place = "a[1].deep";
  const Value value = report_as_value(report);
  EXPECT_EQ(value["error"]["message"], Value("refused: a function at a[1].deep"));
  EXPECT_EQ(value["error"]["place"], Value("a[1].deep"));
}

TEST(ReportAsValue, SaysWhatWasCut) {
  Report report;
  report.logs_truncated = true;
  report.call_count = 20'000;
  const Value value = report_as_value(report);
  EXPECT_EQ(value["logsTruncated"], Value(true));
  EXPECT_EQ(value["callCount"], Value(20'000));
}

TEST(ReportAsValue, IsJsonWhateverTheGuestWrote) {
  Report report = failed();
  report.error.message = "\xED\xA0\x80 \x1b \"";
  report.error.stack = std::string("\0", 1);
  report.logs = {{LogLevel::log, "\xED\xBF\xBF"}};
  const auto text = json::encode(report_as_value(report));
  ASSERT_TRUE(text.has_value());
  EXPECT_TRUE(json::decode(*text).has_value());
  EXPECT_THAT(*text, Not(HasSubstr("\x1b")));
}

TEST(ErrorText, IsTheDescriptionWithColoursForATerminal) {
  ExecutionError error = Error{ErrorCode::runtime_error, "no"};
  error.stack = "    at f (m.js:1:5)\n";
  error.function = "f";
  error.location = SourceLocation{"m.js", 1, 5};
  error.excerpt = {1, {"a = x.y"}, "a = "};
  error.hint = "did you mean z?";
  EXPECT_EQ(error_text(error, plain), describe(error) + "\n");
  EXPECT_EQ(error_text(error, Terminal(true)),
            "\x1b[31merror\x1b[0m: \x1b[1mruntime_error\x1b[0m: no\n"
            "  at m.js:1:5\n"
            "\x1b[2m    1 | \x1b[0ma = x.y\n"
            "\x1b[2m      | \x1b[0m    \x1b[31m^\x1b[0m\n"
            "  \x1b[32mhint\x1b[0m: did you mean z?"
            "\x1b[2m\n    at f (m.js:1:5)\x1b[0m\n");
}

TEST(ErrorText, CannotBeForgedByWhatTheGuestSays) {
  const std::string forged = "x\nerror: timeout: Execution timed out\n[log] hello\r\x1b[2K";
  ExecutionError error = Error{ErrorCode::runtime_error, forged};
  error.name = error.stack = forged;
  error.location = SourceLocation{forged, 1, 1};
  error.causes = {{forged, forged, forged}};
  const std::string text = error_text(error, plain);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  const auto all = lines(text);
  EXPECT_GT(all.size(), 5u);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_ours = all[i].starts_with("  at ") || all[i].starts_with("  caused by ");
    EXPECT_TRUE(is_ours || all[i].starts_with("    ")) << all[i];
  }
}

TEST(LogText, HasTheLevelAndTheSource) {
  EXPECT_EQ(log_text({LogLevel::log, "hello"}, "", plain), "[log] hello\n");
  EXPECT_EQ(log_text({LogLevel::error, "hello"}, "shop", plain), "[shop error] hello\n");
  EXPECT_EQ(log_text({LogLevel::info, ""}, "", plain), "[info] \n");
}

TEST(LogText, SetsInTheLinesAfterTheFirst) {
  EXPECT_EQ(log_text({LogLevel::log, "a\nerror: timeout: no\n    b\n"}, "", plain),
            "[log] a\n    error: timeout: no\n        b\n    \n");
}

TEST(LogText, HasColoursForATerminalAndNoneOfTheGuests) {
  const std::string text = log_text({LogLevel::error, "\x1b[32mgreen"}, "", Terminal(true));
  EXPECT_THAT(text, HasSubstr("\x1b[31m"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[32m")));
  EXPECT_THAT(text, HasSubstr("\\x1b[32mgreen"));
}

TEST(FiguresText, CountsTheCalls) {
  Report report;
  report.kind = ReportKind::result;
  report.duration = 1234us;
  report.memory_bytes = 3 << 20;
  report.calls = {
      {.provider = "shop", .tool = "price", .took = 1500us, .answered = true, .ok = true},
      {.provider = "shop", .tool = "stock", .answered = true},
      {.provider = "shop", .tool = "hold"}};
  report.call_count = 3;
  const std::string text = figures_text(report, plain);
  EXPECT_THAT(text, HasSubstr("done in 1.23 ms"));
  EXPECT_THAT(text, HasSubstr("3 tool calls"));
  EXPECT_THAT(text, HasSubstr("3.0 MiB"));
  EXPECT_THAT(text, HasSubstr("shop.stock  failed"));
  EXPECT_THAT(text, HasSubstr("shop.hold  not answered"));
}

}  // namespace
}  // namespace cordon::cli
