// Runners that behave in every way but the right one, as shell scripts.

#include "cordon/runners/remote_execution.h"

#include <chrono>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/runners/remote_run.h"
#include "cordon/runners/target.h"

namespace cordon::runners {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* done =
    R"(echo '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":["l"],"result":7}';)";

// What is to be run, and where.
struct Prepared {
  Target target;
  LinkOptions link = {};
  RemoteOptions remote = {};
  std::shared_ptr<Waker> waker = std::make_shared<Waker>();
};

Result<std::unique_ptr<RemoteExecution>> start(Prepared& prepared) {
  prepared.remote.wake = [waker = prepared.waker] { waker->wake(); };
  auto execution = CORDON_TRY(RemoteExecution::create(std::move(prepared.remote)));
  execution->use(CORDON_TRY(open_link(prepared.target, std::move(prepared.link))));
  return execution;
}

Result<Report> run(Prepared prepared) {
  const auto execution = CORDON_TRY(start(prepared));
  return run_to_end(*execution, *prepared.waker);
}

class RemoteExecutionTest : public ::testing::Test {
 protected:
  Prepared prepare(std::string script) {
    Prepared prepared{.target = ChildTarget{{"sh", "-c", std::move(script)}}};
    prepared.link.on_errors = [this](std::string_view text) { errors_ += text; };
    RemoteOptions& made = prepared.remote;
    made.execute.id = "x";
    made.execute.code = code_;
    made.execute.providers = {
        execbox::HostManifest{"shop", {{"price", "price"}, {"hang", "hang"}}, ""}};
    made.limits.time.total = timeout_;
    Provider shop("shop");
    shop.add("price", [](Value input) -> Result<Value> {
      if (input.is_string()) return fail(Error{ErrorCode::tool_error, "no text", "own"});
      return Value(input["amount"].value_or(1) * 250);
    });
    shop.add("hang", [this](const Value&, Reply reply) {
      kept_.push_back(std::move(reply));
      asked_.release();
    });
    made.providers = {shop};
    return prepared;
  }
  Report run(std::string script) {
    const auto start = std::chrono::steady_clock::now();
    Report report = runners::run(prepare(std::move(script))).value();
    took_ = std::chrono::steady_clock::now() - start;
    return report;
  }
  // The result, or "code: message".
  std::string end(std::string script) {
    const Report report = run(std::move(script));
    return report.ok() ? to_json(report.result).value_or("undefined") : to_string(report.error);
  }

  std::string code_ = "1 + 1";
  milliseconds timeout_{10'000};
  std::string errors_;
  std::vector<Reply> kept_;
  std::counting_semaphore<> asked_{0};
  Duration took_{};
};

std::string call(std::string_view id, std::string_view tool, std::string_view input) {
  return R"(echo '{"type":"tool_call","callId":")" + std::string(id) +
         R"(","providerName":"shop","safeToolName":")" + std::string(tool) + R"(","input":)" +
         std::string(input) + "}';";
}

TEST_F(RemoteExecutionTest, HasTheResultAndTheLogs) {
  const Report report = run(std::string("read execute;") + done);
  EXPECT_EQ(report.result.as_number(), 7);
  ASSERT_EQ(report.logs.size(), 1U);
  EXPECT_EQ(report.logs[0].text, "l");
  EXPECT_EQ(report.logs[0].level, LogLevel::log);
  EXPECT_GT(report.duration.count(), 0);
}

TEST_F(RemoteExecutionTest, SaysWhatIsToRun) {
  EXPECT_THAT(
      end(R"(read -r e; printf '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[],"result":%s}\n' "$e")"),
      HasSubstr(R"("code":"1 + 1")"));
}

TEST_F(RemoteExecutionTest, CallsToolsAndAnswers) {
  const Report report = run(
      "read e;" + call("a", "price", R"({"amount":2})") + "read -r r1;" +
      call("b", "price", R"("text")") + "read -r r2;" +
      R"(printf '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[],"result":[%s,%s]}\n' "$r1" "$r2")");
  EXPECT_EQ(to_json(report.result),
            R"([{"type":"tool_result","callId":"a","ok":true,"result":500},)"
            R"({"type":"tool_result","callId":"b","ok":false,"error":)"
            R"({"code":"tool_error","message":"no text"}}])");
  ASSERT_EQ(report.calls.size(), 2U);
  EXPECT_TRUE(report.calls[0].ok);
  EXPECT_FALSE(report.calls[1].ok);
}

TEST_F(RemoteExecutionTest, EndsAtOnceWhereTheProcessEnds) {
  EXPECT_EQ(end("exit 3"), "runner_error: the runner exited with code 3");
  EXPECT_EQ(end("kill -SEGV $$"),
            "runner_error: the runner was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(end("sleep 100 & exit 4"), "runner_error: the runner exited with code 4");
  EXPECT_LT(took_, std::chrono::seconds(2));
  EXPECT_EQ(end("exec >&-; sleep 100"), "runner_error: the runner closed its output");
  EXPECT_LT(took_, std::chrono::seconds(2));
}

TEST_F(RemoteExecutionTest, CountsWhatWasSaidBeforeTheEnd) {
  EXPECT_EQ(end(std::string(done) + "exit 9"), "7");
  EXPECT_EQ(end(R"(printf '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[]}'; exit 1)"),
            "undefined");
  EXPECT_EQ(end(std::string(done) + "sleep 100"), "7");
  EXPECT_LT(took_, std::chrono::seconds(2));
  EXPECT_EQ(end(std::string(done) + R"(echo '{"type":"done","id":"x"}'; sleep 100)"), "7");
}

TEST_F(RemoteExecutionTest, EndsAHangByItsOwnTime) {
  timeout_ = milliseconds(100);
  for (const char* script :
       {"sleep 100", "trap '' TERM INT HUP; while :; do sleep 1; done", "yes",
        R"(yes '{"type":"started","id":"x"}')", R"(yes '{"type":"done","id":"y"}')",
        "kill -STOP $$", "exec <&-; sleep 100"}) {
    EXPECT_EQ(end(script), "timeout: Execution timed out") << script;
    EXPECT_GE(took_, milliseconds(200)) << script;
    EXPECT_LT(took_, milliseconds(1100)) << script;
  }
}

TEST_F(RemoteExecutionTest, EndsAFloodOfCallsThatReadsNoAnswers) {
  timeout_ = milliseconds(300);
  const std::string error = end(
      R"(i=0; while :; do i=$((i+1)); echo "{\"type\":\"tool_call\",\"callId\":\"$i\"}"; done)");
  EXPECT_TRUE(error.starts_with("timeout") || error.starts_with("runner_error")) << error;
  EXPECT_LT(took_, milliseconds(1300));
}

TEST_F(RemoteExecutionTest, BreaksOffAtALineWithoutEnd) {
  EXPECT_EQ(end("cat /dev/zero"),
            "runner_error: the runner sent a line of more than 67108864 bytes");
}

TEST_F(RemoteExecutionTest, AddsTheLogsOfADoneAfterItsCancel) {
  timeout_ = milliseconds(50);
  const Report report = run(R"(read e; read -r c; case "$c" in *cancel*) )" + std::string(done) +
                            " ;; esac; sleep 100");
  EXPECT_EQ(report.error.message, "Execution timed out");
  ASSERT_EQ(report.logs.size(), 1U);
}

TEST_F(RemoteExecutionTest, EndsWithItsCaller) {
  Prepared made = prepare("read e;" + call("a", "hang", "1") + "sleep 100");
  made.remote.origin.request_id = "r-1";
  const auto execution = start(made).value();
  std::thread other([&] {
    EXPECT_TRUE(asked_.try_acquire_for(std::chrono::seconds(10)));
    execution->cancel();
  });
  const Report report = run_to_end(*execution, *made.waker);
  other.join();
  EXPECT_TRUE(report.error.is(ErrorCode::cancelled));
  ASSERT_EQ(report.calls.size(), 1U);
  EXPECT_FALSE(report.calls[0].ok);
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_EQ(kept_[0].origin().request_id, "r-1");
  EXPECT_TRUE(kept_[0].stop_token().stop_requested());
  kept_[0](Value(1));  // too late, and harmless
}

TEST_F(RemoteExecutionTest, CutsLogsPastTheLimits) {
  Prepared made = prepare(
      R"(echo '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":["ab","cd","ef"]}')");
  made.remote.limits.log_lines = 2;
  made.remote.limits.log_chars = 3;
  const Report report = runners::run(std::move(made)).value();
  ASSERT_EQ(report.logs.size(), 2U);
  EXPECT_EQ(report.logs[1].text, "c");
  EXPECT_TRUE(report.logs_truncated);
}

TEST_F(RemoteExecutionTest, ShowsWhatTheProcessWritesToItsStandardError) {
  EXPECT_EQ(end(std::string("echo problem >&2; sleep 0.05;") + done), "7");
  EXPECT_EQ(errors_, "problem\n");
  errors_.clear();
  EXPECT_EQ(end("echo last words >&2; exit 1"), "runner_error: the runner exited with code 1");
  EXPECT_EQ(errors_, "last words\n");
}

TEST_F(RemoteExecutionTest, NeedsNobodyToReadALargeProgram) {
  code_.assign(4 << 20, ' ');
  EXPECT_EQ(end(std::string("sleep 0.1;") + done), "7");
  EXPECT_EQ(end(std::string("exec <&-;") + done), "7");
}

TEST_F(RemoteExecutionTest, ShowsTheTokenFirst) {
  Prepared made = prepare(
      R"(read -r a; read e; printf '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[],"result":%s}\n' "$a")");
  made.link.token = "s3\"cret";
  EXPECT_EQ(to_json(runners::run(std::move(made))->result),
            R"({"type":"auth","token":"s3\"cret"})");
}

TEST_F(RemoteExecutionTest, ShowsWhatTheRunnerKnowsOfAnError) {
  Prepared made = prepare(
      R"(printf '%s\n' '{"type":"done","id":"x","ok":false,"durationMs":1,"logs":[],"error":{"code":"runtime_error",)"
      R"("message":"m","name":"TypeError","hint":"h","reason":"no","place":"p","stack":"    at f (r.js:1:6)\n    at r.js:2:1\n",)"
      R"("location":{"file":"r.js","line":1,"column":6}}}')");
  made.remote.places = {.file = "mine.js", .written = "a.b", .units_before = 3, .lines = 1};
  const Report report = runners::run(std::move(made)).value();
  EXPECT_EQ(report.error.name, "TypeError");
  EXPECT_EQ(report.error.hint, "h");
  EXPECT_EQ(report.error.reason, "") << "it would be part of the message";
  EXPECT_EQ(report.error.location, (SourceLocation{"mine.js", 1, 3}));
  EXPECT_EQ(report.error.stack, "    at f (mine.js:1:3)\n");
  EXPECT_EQ(report.error.function, "f");
  EXPECT_EQ(report.error.excerpt.before, "a.");
}

TEST_F(RemoteExecutionTest, KnowsWhichCallsFailureWasNotCaught) {
  const auto ending = [&](const std::string& code, const std::string& message) {
    return run("read e;" + call("a", "price", R"("text")") + "read -r r; echo '" +
               R"({"type":"done","id":"x","ok":false,"durationMs":1,"logs":[],"error":{"code":")" +
               code + R"(","message":")" + message + "\"}}'")
        .error.call;
  };
  const auto known = ending("tool_error", "no text");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->provider + "." + known->tool + known->input, "shop.price\"text\"");
  EXPECT_FALSE(ending("tool_error", "other"));
  EXPECT_FALSE(ending("runtime_error", "no text")) << "the program said so";
}

TEST_F(RemoteExecutionTest, FailsWhereTheProgramCannotStart) {
  Prepared made = prepare("");
  made.target = ChildTarget{{"/no/such/program"}};
  const auto report = runners::run(std::move(made));
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().is(ErrorCode::unavailable));
}

TEST_F(RemoteExecutionTest, SaysAtOnceThatNobodyIsThere) {
  for (const char* target : {"unix:/tmp/no-such-socket", "tcp:127.0.0.1:1", "ws://127.0.0.1:1/"}) {
    Prepared made = prepare("");
    made.target = parse_target(target).value();
    const auto start = std::chrono::steady_clock::now();
    const Report report = runners::run(std::move(made)).value();
    EXPECT_THAT(to_string(report.error), StartsWith("runner_error: cannot connect to ")) << target;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1)) << target;
  }
  Prepared made = prepare("");
  made.target = parse_target("tcp:[::1]:1").value();
  EXPECT_THAT(to_string(runners::run(std::move(made)).value().error),
              StartsWith("runner_error: cannot connect to [::1]:1: "));
}

}  // namespace
}  // namespace cordon::runners
