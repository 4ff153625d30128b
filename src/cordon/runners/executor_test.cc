// The same programs here and on runners elsewhere. `cordon` itself is no part of this layer, so the
// runners are shell scripts; tests/e2e has `cordon runner`.

#include "cordon/executor.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

// Says `done` with what $1 is, under the only id that there is; then lives on.
std::string answering(const std::string& result) {
  return R"(sh -c 'read e; echo "{\"type\":\"done\",\"id\":\"exec-1\",\"ok\":true,\"durationMs\":0,)"
         R"(\"logs\":[],\"result\":)" +
         result + R"(}"; sleep 100')";
}

TEST(Executor, RunsProgramsHere) {
  Executor executor = Executor::create({}).value();
  Provider tools("tools");
  tools.add("add",
            [](Value in) -> Result<Value> { return in["a"].value_or(0) + in["b"].value_or(0); });
  EXPECT_EQ(executor.execute("await tools.add({a: 40, b: 2})", {.providers = {tools}}).result,
            Value(42));
  std::stop_source stop;
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  EXPECT_TRUE(executor.execute("for (;;);", {}, stop.get_token()).error.is(ErrorCode::cancelled));
  other.join();
}

TEST(Executor, RunsProgramsInProcessesOfTheirOwn) {
  Executor executor = Executor::create({.runner = answering("$$"), .spares = 2}).value();
  std::set<double> processes;
  for (int i = 0; i < 10; ++i) {
    const Report report = executor.execute("1");
    ASSERT_TRUE(report.ok()) << report.error;
    processes.insert(report.result.as_number());
  }
  EXPECT_EQ(processes.size(), 10U);
  EXPECT_EQ(executor.figures().running, 0U);
}

TEST(Executor, HasSparesReady) {
  Executor executor = Executor::create({.runner = answering("7"), .spares = 3}).value();
  for (int i = 0; i < 5000 && executor.figures().spares < 3; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(executor.figures().spares, 3U);
  EXPECT_EQ(executor.figures().started, 3U);
  EXPECT_EQ(executor.execute("1").result, Value(7));
  for (int i = 0; i < 5000 && executor.figures().started < 4; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(executor.figures().started, 4U);
}

TEST(Executor, LetsExecutionsWaitForTheirTurn) {
  Executor executor =
      Executor::create({.runner = "sh -c 'sleep 100'", .max_executions = 1}).value();
  std::thread first([&] {
    const Report report = executor.execute("1", {.limits = {.time = {.total = 300ms}}});
    EXPECT_TRUE(report.error.is(ErrorCode::timeout));
  });
  while (executor.figures().running == 0) std::this_thread::sleep_for(1ms);
  const Report late = executor.execute("1", {.limits = {.time = {.total = 50ms}}});
  EXPECT_EQ(late.error.message, "Execution timed out");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(executor.execute("1", {}, stop.get_token()).error.is(ErrorCode::cancelled));
  first.join();
}

TEST(Executor, SaysWhatIsWrongBeforeAnythingRuns) {
  EXPECT_FALSE(Executor::create({.runner = "tcp:x"}));
  EXPECT_FALSE(Executor::create({.runner = "/no/such/program"}));
  EXPECT_FALSE(Executor::create({.max_executions = 0}));
}

TEST(Executor, TellsOfARunnerThatFails) {
  Executor executor = Executor::create({.runner = "sh -c 'exit 3'", .spares = 1}).value();
  for (int i = 0; i < 3; ++i) {
    const Report report = executor.execute("1");
    EXPECT_TRUE(report.error.is(ErrorCode::runner_error));
    EXPECT_THAT(report.error.message, StartsWith("the runner exited with code 3"));
  }
}

// Processes are killed at random under load: each execution has its own result or a clear error,
// and each process answers one execution.
TEST(Executor, HasAnEndForEachExecutionWhenProcessesAreKilled) {
  std::mutex mutex;
  std::vector<pid_t> alive;
  Executor executor =
      Executor::create({.runner = R"(sh -c 'echo $$ >&2; read e; sleep 0.01; )"
                                  R"(echo "{\"type\":\"done\",\"id\":\"exec-1\",\"ok\":true,)"
                                  R"(\"durationMs\":0,\"logs\":[],\"result\":$$}"')",
                        .max_executions = 8,
                        .spares = 4,
                        .on_errors =
                            [&](std::string_view text) {
                              const std::lock_guard lock(mutex);
                              alive.push_back(static_cast<pid_t>(std::stol(std::string(text))));
                            }})
          .value();
  std::atomic<bool> is_over = false;
  std::thread killer([&] {
    std::mt19937 random(7);
    while (!is_over) {
      std::this_thread::sleep_for(2ms);
      const std::lock_guard lock(mutex);
      if (alive.empty()) continue;
      // The newest are most probably alive still.
      const std::size_t back = random() % std::min<std::size_t>(alive.size(), 4);
      kill(alive[alive.size() - 1 - back], SIGKILL);
      alive.clear();
    }
  });
  std::atomic<int> results = 0;
  std::atomic<int> failures = 0;
  std::set<double> answered;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const Report report = executor.execute("1");
        if (report.ok()) {
          ++results;
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(answered.insert(report.result.as_number()).second) << "answered twice";
        } else {
          ++failures;
          EXPECT_TRUE(report.error.is(ErrorCode::runner_error)) << report.error;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  is_over = true;
  killer.join();
  EXPECT_EQ(results + failures, 160);
  EXPECT_GT(results, 0);
  EXPECT_GT(failures, 0);
}

}  // namespace
}  // namespace cordon
