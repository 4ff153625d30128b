#include "cordon/server/service_log.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using Level = ServiceLog::Level;

// What goes to standard error meanwhile.
std::string errors_of(const ServiceLogOptions& options,
                      const std::function<void(ServiceLog&)>& act) {
  const auto log = ServiceLog::create(options);
  testing::internal::CaptureStderr();
  act(**log);
  return testing::internal::GetCapturedStderr();
}

void say_all(ServiceLog& log) {
  for (const Level level : {Level::debug, Level::info, Level::warn, Level::error})
    log.say(level, "said");
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::log, LogLevel::info, LogLevel::warn, LogLevel::error})
    log.script("task", {}, {.level = level, .text = "line"});
  log.plugin("rank", "plugin's");
}

TEST(ServiceLog, WritesLinesOfItsLevelAndAbove) {
  const std::string all = errors_of({.level = Level::debug}, say_all);
  EXPECT_EQ(std::ranges::count(all, '\n'), 10);
  const std::string info = errors_of({.level = Level::info}, say_all);
  EXPECT_EQ(std::ranges::count(info, '\n'), 8);
  EXPECT_THAT(info, AllOf(Not(HasSubstr(" debug ")), HasSubstr(" log task: line"),
                          HasSubstr(" info rank: plugin's")));
  const std::string warn = errors_of({.level = Level::warn}, say_all);
  EXPECT_EQ(std::ranges::count(warn, '\n'), 4);
  EXPECT_THAT(
      warn, AllOf(HasSubstr(" warn said"), HasSubstr(" error task: line"), Not(HasSubstr("rank"))));
  EXPECT_EQ(std::ranges::count(errors_of({.level = Level::error}, say_all), '\n'), 2);
}

TEST(ServiceLog, TakesAnotherLevelWhileItIsUsed) {
  EXPECT_THAT(errors_of({.level = Level::error},
                        [](ServiceLog& log) {
                          log.say(Level::info, "first");
                          log.set_level(Level::info);
                          log.say(Level::info, "second");
                        }),
              AllOf(Not(HasSubstr("first")), HasSubstr("second")));
}

const StartRecord record{.version = "1.2.3",
                         .addresses = {"http://127.0.0.1:1/x", "unix:/s"},
                         .tasks = 3,
                         .events = 1,
                         .threads = 2,
                         .auth = "token"};

TEST(ServiceLog, BeginsWithWhatIsServedAndHow) {
  EXPECT_EQ(summary_of(record), "3 tasks and 1 event on http://127.0.0.1:1/x, unix:/s");
  const auto start = [](ServiceLog& log) { log.started(record); };
  EXPECT_THAT(errors_of({}, start),
              HasSubstr(" info cordon 1.2.3 serves 3 tasks and 1 event on http://127.0.0.1:1/x, "
                        "unix:/s; 2 threads, auth: token\n"));
  const std::string line = errors_of({.is_json = true}, start);
  const Value value = *from_json(line);
  EXPECT_EQ(value["level"], "info");
  EXPECT_EQ(value["event"], "start");
  EXPECT_EQ(value["version"], "1.2.3");
  EXPECT_EQ(value["addresses"][1], "unix:/s");
  EXPECT_EQ(value["tasks"], ValueView(3));
  EXPECT_EQ(value["events"], ValueView(1));
  EXPECT_EQ(value["threads"], ValueView(2));
  EXPECT_EQ(value["auth"], "token");
  EXPECT_EQ(errors_of({.level = Level::warn}, start), "");
  EXPECT_EQ(errors_of({.level = Level::warn, .is_json = true}, start), "");
}

TEST(ServiceLog, KeepsTextFromOutsideToItsLine) {
  EXPECT_THAT(errors_of({}, [](ServiceLog& log) { log.say(Level::warn, "a\nb\x1b[1m"); }),
              HasSubstr(" warn a\\nb\\x1b[1m\n"));
}

TEST(ServiceLog, SaysWhyAnAccessLogCannotBeOpened) {
  const auto log = ServiceLog::create({.access = "/no/such/folder/access.log"});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message,
            "/no/such/folder/access.log: the access log cannot be opened: No such file or "
            "directory");
}

TEST(ServiceLog, WritesRequestsWhateverItsLevel) {
  std::string folder = testing::TempDir() + "service_log_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/access.log";
  transport::http::RequestHead head;
  head.method = "POST";
  head.target = "/x/task/a?secret=1";
  head.peer = "10.0.0.1";
  const RequestRecord request{.head = head,
                              .request_id = "r1",
                              .traceparent = "",
                              .task = "a",
                              .status = 200,
                              .code = "",
                              .duration = std::chrono::milliseconds(5),
                              .failure = "",
                              .stack = ""};
  const std::string errors = errors_of({.level = Level::error, .access = file},
                                       [&](ServiceLog& log) { log.request(request); });
  EXPECT_EQ(errors, "");
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  EXPECT_THAT(line, AllOf(HasSubstr("10.0.0.1 \"POST /x/task/a\" 200 5.000ms request=r1"),
                          Not(HasSubstr("secret"))));
  std::filesystem::remove_all(folder);
}

// What it writes of a task that failed.
std::string failure_lines(ServiceLogOptions options, const ExecutionError* error) {
  const transport::http::RequestHead head;
  const RequestRecord request{.head = head,
                              .request_id = "r1",
                              .traceparent = "",
                              .task = "a.pay",
                              .status = 500,
                              .code = "INTERNAL_ERROR",
                              .duration = {},
                              .failure = "frozen\nnow",
                              .stack = "",
                              .error = error};
  return errors_of(std::move(options), [&](ServiceLog& log) { log.request(request); });
}

TEST(ServiceLog, SaysWhereATaskFailedAndWhichTool) {
  ExecutionError error = Error{ErrorCode::tool_error, "frozen", "account\nfrozen"};
  error.location = SourceLocation{"pay\n.ts", 3, 14};
  error.call = FailedCall{"bank", "pay", "{\"secret\": 1}"};
  error.hint = "it is the failure of bank.pay({\"secret\": 1})";
  EXPECT_THAT(failure_lines({}, &error),
              testing::EndsWith(" error a.pay: frozen\\nnow error=account\\nfrozen "
                                "at=pay\\n.ts:3:14 tool=bank.pay request=r1\n"));
  const std::string json = failure_lines({.is_json = true}, &error);
  EXPECT_THAT(json, HasSubstr(R"("message":"frozen\nnow","error":"account\nfrozen",)"
                              R"("location":{"file":"pay\n.ts","line":3,"column":14},)"
                              R"("tool":"bank.pay","requestId":"r1")"));
  EXPECT_THAT(json, Not(HasSubstr("secret"))) << "no line has an input";
}

TEST(ServiceLog, WritesAHintCutShort) {
  ExecutionError error = Error{ErrorCode::runtime_error, "x is not defined"};
  error.hint = "did you mean y?";
  EXPECT_THAT(failure_lines({}, &error),
              HasSubstr(" error=runtime_error hint=\"did you mean y?\" request=r1\n"));
  for (int i = 0; i < 1000; ++i) error.hint += "é";
  EXPECT_LT(failure_lines({}, &error).size(), 600u);
  EXPECT_THAT(failure_lines({.is_json = true}, &error), HasSubstr("é…\""));
}

TEST(ServiceLog, WritesNoDetailsOfWhatIsNoTasksFailure) {
  EXPECT_THAT(failure_lines({}, nullptr),
              testing::EndsWith(" error a.pay: frozen\\nnow request=r1\n"));
  EXPECT_THAT(failure_lines({.is_json = true}, nullptr),
              testing::AllOf(Not(HasSubstr("\"error\":")), Not(HasSubstr("location"))));
}

}  // namespace
}  // namespace cordon::server
