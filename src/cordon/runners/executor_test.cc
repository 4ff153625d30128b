// The same programs here and on runners elsewhere. `cordon` itself is no part of this layer, so the
// runners are shell scripts; tests/e2e has `cordon runner`.

#include "cordon/executor.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/descriptor.h"
#include "cordon/coroutine.h"
#include "cordon/engine.h"
#include "cordon/limits.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::StartsWith;

struct SetPromise {
  std::promise<int>& promise;
  void operator()(int value) { promise.set_value(value); }
  void operator()(std::exception_ptr exception) { promise.set_exception(std::move(exception)); }
};

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
  EXPECT_EQ(executor.execute("await tools.add({a: 40, b: 2})", {.providers = {tools}}).get().result,
            Value(42));
  Execution endless = executor.execute("for (;;);");
  std::this_thread::sleep_for(50ms);
  endless.cancel();
  EXPECT_TRUE(endless.get().error.is(ErrorCode::cancelled));
}

TEST(Executor, RunsProgramsInProcessesOfTheirOwn) {
  Executor executor = Executor::create({.runner = answering("$$"), .spares = 2}).value();
  std::set<double> processes;
  for (int i = 0; i < 10; ++i) {
    const Report report = executor.execute("1").get();
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
  EXPECT_EQ(executor.execute("1").get().result, Value(7));
  for (int i = 0; i < 5000 && executor.figures().started < 4; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(executor.figures().started, 4U);
}

TEST(Executor, LetsExecutionsWaitForTheirTurn) {
  Executor executor =
      Executor::create({.runner = "sh -c 'sleep 100'", .max_executions = 1}).value();
  Execution first = executor.execute("1", {.limits = {.time = {.total = 300ms}}});
  Execution late = executor.execute("1", {.limits = {.time = {.total = 50ms}}});
  Execution given_up = executor.execute("1");
  EXPECT_EQ(executor.figures().running, 1U);
  EXPECT_EQ(executor.figures().waiting, 2U);
  given_up.cancel();
  EXPECT_TRUE(given_up.get().error.is(ErrorCode::cancelled));
  EXPECT_EQ(late.get().error.message, "Execution timed out");
  EXPECT_EQ(executor.figures().waiting, 0U);
  EXPECT_TRUE(first.get().error.is(ErrorCode::timeout));
}

TEST(Executor, GivesPlacesInTheOrderOfAsking) {
  std::mutex mutex;
  std::vector<int> ended;
  std::latch all(5);
  Executor executor = Executor::create({.runner = answering("1"), .max_executions = 1}).value();
  for (int i = 0; i < 5; ++i) {
    executor.execute("1").then([&, i](const Report& report) {
      EXPECT_TRUE(report.ok()) << report.error;
      const std::lock_guard lock(mutex);
      ended.push_back(i);
      all.count_down();
    });
  }
  all.wait();
  EXPECT_THAT(ended, ElementsAre(0, 1, 2, 3, 4));
}

TEST(Executor, RefusesWhatWouldWaitBehindTooMany) {
  Executor executor =
      Executor::create({.runner = "sh -c 'sleep 100'", .max_executions = 1, .max_waiting = 1})
          .value();
  Execution first = executor.execute("1");
  Execution second = executor.execute("1");
  const Report third = executor.execute("1").get();
  EXPECT_TRUE(third.error.is(ErrorCode::overloaded));
  EXPECT_EQ(third.error.message, "1 executions run and 1 wait");
}

TEST(Executor, EndsAllWithItself) {
  std::vector<Execution> executions;
  {
    Executor executor =
        Executor::create({.runner = "sh -c 'sleep 100'", .max_executions = 2}).value();
    for (int i = 0; i < 4; ++i) executions.push_back(executor.execute("1"));
    while (executor.figures().started < 2) std::this_thread::sleep_for(1ms);
  }
  for (Execution& execution : executions) {
    EXPECT_TRUE(execution.get().error.is(ErrorCode::cancelled));
    execution.cancel();  // too late, and harmless
  }
}

Coroutine<int> sum_of_two(Executor& executor) {
  Execution one = executor.execute("1");
  const Report first = co_await one;
  Execution two = executor.execute("1");
  const Report second = co_await two;
  co_return first.result.value_or(0) + second.result.value_or(0);
}

TEST(Executor, CanBeAwaited) {
  Executor executor = Executor::create({.runner = answering("21")}).value();
  std::promise<int> sum;
  detail::run_detached(sum_of_two(executor), SetPromise{sum});
  EXPECT_EQ(sum.get_future().get(), 42);
}

TEST(Executor, CallsToolsThatAnswerLaterOrWait) {
  const std::string runner =
      R"(sh -c 'read e; for t in now later; do )"
      R"(echo "{\"type\":\"tool_call\",\"callId\":\"$t\",\"providerName\":\"shop\",)"
      R"(\"safeToolName\":\"$t\",\"input\":1}"; read -r a; done; )"
      R"(echo "{\"type\":\"done\",\"id\":\"exec-1\",\"ok\":true,\"durationMs\":0,)"
      R"(\"logs\":[],\"result\":1}"; sleep 100')";
  Executor executor = Executor::create({.runner = runner}).value();
  Provider shop("shop");
  shop.add("now", [](Value input) -> Result<Value> { return input; });
  shop.add_blocking("later", [](Value input) -> Result<Value> {
    std::this_thread::sleep_for(20ms);
    return input;
  });
  const Report report = executor.execute("1", {.providers = {shop}}).get();
  ASSERT_TRUE(report.ok()) << report.error;
  ASSERT_EQ(report.calls.size(), 2U);
  EXPECT_TRUE(report.calls[0].ok);
  EXPECT_TRUE(report.calls[1].ok);
  EXPECT_GE(report.calls[1].took, 20ms);
}

TEST(Executor, CallsToolsThatAreScripts) {
  Engine engine = Engine::create({.workers = 1}).value();
  const Module module = engine.load("export const twice = (n) => n * 2").value();
  const std::string runner =
      R"(sh -c 'read e; )"
      R"(echo "{\"type\":\"tool_call\",\"callId\":\"1\",\"providerName\":\"shop\",)"
      R"(\"safeToolName\":\"twice\",\"input\":21}"; read -r a; )"
      R"(echo "{\"type\":\"done\",\"id\":\"exec-1\",\"ok\":true,\"durationMs\":0,)"
      R"(\"logs\":[],\"result\":$a}"; sleep 100')";
  Executor executor = Executor::create({.runner = runner}).value();
  const Report report = executor.execute("1", {.providers = {module.provider("shop")}}).get();
  ASSERT_TRUE(report.ok()) << report.error;
  EXPECT_EQ(report.result["result"], Value(42));
}

// Accepts connections to a Unix socket, few at a time, and answers once all are there.
class Listener {
 public:
  explicit Listener(std::size_t connections)
      : path_(testing::TempDir() + "cordon-executor-" + std::to_string(getpid())) {
    unlink(path_.c_str());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    if (bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(socket_.number(), 8) != 0)
      ADD_FAILURE() << "no socket";
    thread_ = std::thread([this, connections] { serve(connections); });
  }
  ~Listener() {
    thread_.join();
    unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  std::atomic<bool> may_answer = false;

 private:
  void serve(std::size_t connections) {
    std::vector<Descriptor> accepted;
    while (accepted.size() < connections)
      accepted.emplace_back(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    may_answer.wait(false);
    constexpr std::string_view done =
        R"({"type":"done","id":"exec-1","ok":true,"durationMs":0,"logs":[],"result":1})"
        "\n";
    for (const Descriptor& one : accepted)
      if (write(one.number(), done.data(), done.size()) < 0) ADD_FAILURE() << "cannot answer";
    // Until the other side has closed them.
    for (const Descriptor& one : accepted) {
      std::array<char, 4096> rest;
      while (read(one.number(), rest.data(), rest.size()) > 0) {
      }
    }
  }

  std::string path_;
  Descriptor socket_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::thread thread_;
};

std::size_t threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return std::stoul(line.substr(8));
  return 0;
}

TEST(Executor, HasNoThreadForAnExecutionThatWaits) {
  // Both ends of each connection are in this process.
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  const std::size_t count = std::min<std::size_t>(2000, (files.rlim_cur - 200) / 2);
  Listener listener(count);
  Executor executor =
      Executor::create({.runner = "unix:" + listener.path(), .max_executions = count}).value();
  const std::size_t threads = threads_of_this_process();
  std::vector<Execution> executions;
  for (std::size_t i = 0; i < count; ++i)
    executions.push_back(executor.execute("1", {.limits = {.time = {.total = 60s}}}));
  EXPECT_EQ(executor.figures().running, count);
  // Those that read programs, and the one that keeps the time meanwhile.
  EXPECT_LE(threads_of_this_process(), threads + std::max<std::size_t>(4, processors()) + 1);
  listener.may_answer = true;
  listener.may_answer.notify_one();
  for (Execution& execution : executions) {
    const Report report = execution.get();
    ASSERT_TRUE(report.ok()) << report.error;
  }
  EXPECT_EQ(executor.figures().running, 0U);
}

TEST(Executor, SaysWhatIsWrongBeforeAnythingRuns) {
  EXPECT_FALSE(Executor::create({.runner = "tcp:x"}));
  EXPECT_FALSE(Executor::create({.runner = "/no/such/program"}));
  EXPECT_FALSE(Executor::create({.max_executions = 0}));
  EXPECT_FALSE(Executor::create({.threads = 0}));
}

TEST(Executor, TellsThatNobodyIsThere) {
  for (const char* runner : {"unix:/tmp/no-such-socket", "tcp:localhost:1", "ws://127.0.0.1:1/"}) {
    Executor executor = Executor::create({.runner = runner}).value();
    const Report report = executor.execute("1").get();
    EXPECT_THAT(to_string(report.error), StartsWith("runner_error: cannot connect to ")) << runner;
  }
}

TEST(Executor, TellsOfARunnerThatFails) {
  Executor executor = Executor::create({.runner = "sh -c 'exit 3'", .spares = 1}).value();
  for (int i = 0; i < 3; ++i) {
    const Report report = executor.execute("1").get();
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
        const Report report = executor.execute("1").get();
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
