#include "cordon/server/runner_execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/protocol/execbox/failure_codes.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Report failed_with(Error error, bool from_tool = false) {
  Report report;
  report.error = std::move(error);
  report.error.from_tool = from_tool;
  return report;
}

using Told = std::pair<std::string_view, std::string>;

Told end_as(Report report) {
  const execbox::End end = end_of(std::move(report));
  const auto& error = std::get<Error>(end.outcome);
  return {execbox::code_of_end(error.code), error.message};
}

TEST(EndOf, KeepsTheCodesThatTheProtocolKnows) {
  for (const ErrorCode code :
       {ErrorCode::timeout, ErrorCode::memory_limit, ErrorCode::validation_error,
        ErrorCode::tool_error, ErrorCode::runtime_error, ErrorCode::serialization_error,
        ErrorCode::internal_error}) {
    EXPECT_EQ(end_as(failed_with({code, "m"})), Told(name_of(code), "m"));
    EXPECT_EQ(end_as(failed_with({code, "m"}, true)), Told(name_of(code), "m"));
  }
}

TEST(EndOf, TellsOtherCodesAsTheNearestThatItKnows) {
  const auto told = [](ErrorCode code) { return end_as(failed_with({code, "m"})); };
  EXPECT_EQ(told(ErrorCode::syntax_error), Told("runtime_error", "m"));
  EXPECT_EQ(told(ErrorCode::stack_overflow), Told("runtime_error", "m"));
  EXPECT_EQ(told(ErrorCode::cancelled), Told("timeout", "Execution timed out"));
  EXPECT_EQ(told(ErrorCode::overloaded), Told("internal_error", "m"));
  EXPECT_EQ(told(ErrorCode::sandbox_error), Told("internal_error", "m"));
}

TEST(EndOf, TakesNoOtherCodeFromATool) {
  for (const char* code : {"cancelled", "overloaded", "syntax_error", "quota", ""})
    EXPECT_EQ(end_as(failed_with(execbox::read_error(code, "m"), true)),
              Told("runtime_error", "m"));
  EXPECT_EQ(end_as(failed_with({ErrorCode::overloaded, "m"}, true)), Told("runtime_error", "m"));
}

TEST(EndOf, CountsWholeMilliseconds) {
  Report report;
  report.kind = ReportKind::result;
  report.duration = 1999us;
  report.logs = {{LogLevel::warn, "a"}, {LogLevel::log, "b"}};
  const execbox::End end = end_of(std::move(report));
  EXPECT_EQ(end.duration, 1ms);
  EXPECT_THAT(end.logs, ElementsAre("a", "b"));
}

class RunnerExecutionTest : public testing::Test {
 protected:
  void execute(const std::string& code) {
    guest->session().on_message(
        R"({"type":"execute","id":"e","code":")" + code +
        R"(","options":{"timeoutMs":60000,"memoryLimitBytes":67108864,"maxLogLines":9,"maxLogChars":99},)"
        R"("providers":[{"name":"tools","tools":{"t":{"safeName":"t"}}}]})");
    step();
  }
  void step() {
    guest->act();
    engine.run_some(1s);
    guest->act();
  }
  std::string lines() { return std::exchange(guest->session().output(), {}); }

  Engine engine = *Engine::create({.workers = 0, .slots = 2});
  int news = 0;
  std::shared_ptr<RunnerExecution> guest =
      std::make_shared<RunnerExecution>(engine, RunnerSettings{});

  RunnerExecutionTest() {
    guest->on_news([this] { ++news; });
  }
};

TEST_F(RunnerExecutionTest, CarriesCallsAndAnswersBetweenGuestAndSession) {
  execute("(await tools.t(1)) + 1");
  EXPECT_THAT(lines(), HasSubstr("call-1"));
  EXPECT_GE(news, 1);
  guest->session().on_message(R"({"type":"tool_result","callId":"call-1","ok":true,"result":41})");
  step();
  EXPECT_THAT(lines(), HasSubstr("\"result\":42"));
  EXPECT_TRUE(guest->session().is_over());
  EXPECT_EQ(engine.figures().running, 0u);
}

TEST_F(RunnerExecutionTest, RefusesCallsWhileTheHostReadsNothing) {
  guest =
      std::make_shared<RunnerExecution>(engine, RunnerSettings{.limits = {.message_bytes = 65536}});
  execute(
      "const calls = []; for (let i = 0; i < 50; i++) calls.push(tools.t('x'.repeat(20000)));"
      "await Promise.any(calls.map((call) => call.then(null, (error) => error.message)))");
  EXPECT_LT(guest->session().output().size(), 200'000u);
  EXPECT_THAT(lines(), HasSubstr("\"result\":\"Too much data in pending tool calls\""));
}

TEST_F(RunnerExecutionTest, EndsTheGuestWithItsConnection) {
  execute("await tools.t()");
  EXPECT_EQ(engine.figures().running, 1u);
  const int before = news;
  guest->drop();
  EXPECT_EQ(engine.figures().running, 0u);
  EXPECT_EQ(news, before);
}

TEST_F(RunnerExecutionTest, IsKeptByItsExecutionUntilThatEnds) {
  const std::weak_ptr<RunnerExecution> weak = guest;
  execute("await tools.t()");
  guest->drop();
  guest.reset();
  EXPECT_TRUE(weak.expired());
}

// Messages of a host at random, against a real guest that makes calls one after the other and at
// once: whatever the order, one `started`, each call once, one `done`, and the sandbox is free.
RC_GTEST_PROP(RunnerExecutionProperty, KeepsTheProtocolWithARealGuest, ()) {
  static Engine engine = *Engine::create({.workers = 0, .slots = 2});
  auto guest = std::make_shared<RunnerExecution>(engine, RunnerSettings{});
  execbox::RunnerSession& session = guest->session();
  session.on_message(
      R"({"type":"execute","id":"e","code":"let n = 0; for (let i = 0; i < 3; i++) { const r = await )"
      R"(Promise.allSettled([tools.t(i), tools.t(i)]); n += r.filter(x => x.status === 'fulfilled').length } n",)"
      R"("options":{"timeoutMs":60000,"memoryLimitBytes":67108864,"maxLogLines":9,"maxLogChars":99},)"
      R"("providers":[{"name":"tools","tools":{"t":{"safeName":"t"}}}]})");
  for (const int step : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40))) {
    const std::string call = std::to_string(1 + step % 8);
    if (step < 16) {
      session.on_message(R"({"type":"tool_result","callId":"call-)" + call +
                         R"(","ok":true,"result":1})");
    } else if (step < 24) {
      session.on_message(R"({"type":"tool_result","callId":"call-)" + call +
                         R"(","ok":false,"error":{"code":"tool_error","message":"m"}})");
    } else if (step == 24) {
      session.on_message(R"({"type":"cancel","id":"e"})");
    } else if (step == 25) {
      session.on_end_of_input();
    } else if (step < 30) {
      session.on_message(R"({"type":"cancel","id":"other"})");
    } else {
      engine.run_some(100ms);
    }
    guest->act();
  }
  engine.run_some(100ms);
  guest->act();
  if (!session.is_over()) session.on_message(R"({"type":"cancel","id":"e"})");
  guest->act();
  RC_ASSERT(session.is_over());
  RC_ASSERT(engine.figures().running == 0u);

  const std::string& output = session.output();
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = output.find(part); at != std::string::npos;
         at = output.find(part, at + 1))
      ++found;
    return found;
  };
  RC_ASSERT(count("\"type\":\"started\"") == 1u);
  RC_ASSERT(count("\"type\":\"done\"") == 1u);
  for (int call = 1; call <= 6; ++call)
    RC_ASSERT(count("\"call-" + std::to_string(call) + "\"") <= 1u);
  RC_ASSERT(output.rfind("\"type\":\"done\"") > output.rfind("\n", output.size() - 2) ||
            count("\n") == 1u);
}

}  // namespace
}  // namespace cordon::server
