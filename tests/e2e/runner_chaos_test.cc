// `cordon runner` on a socket, killed and started again at random under load: each execution has
// its result or a clear error, and none runs twice.

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "conversation.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/executor.h"
#include "cordon/provider.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;

// A runner that comes back at the same address.
class MortalRunner {
 public:
  explicit MortalRunner(std::string address) : address_(std::move(address)) { start(); }
  // With a port of its own in place of 0.
  const std::string& address() const { return address_; }
  void die() {
    kill(runner_->process(), SIGKILL);
    runner_->wait();
  }
  void start() {
    // What the last one left behind may be in the way for a moment.
    for (int i = 0; i < 100; ++i) {
      runner_ = std::make_unique<Conversation>(
          cordon_program(), std::vector<std::string>{"runner", "--listen", address_});
      if (const auto line = runner_->receive()) {
        address_ = *line;
        return;
      }
      std::this_thread::sleep_for(20ms);
    }
    ADD_FAILURE() << "no runner at " << address_;
  }

 private:
  std::string address_;
  std::unique_ptr<Conversation> runner_;
};

class RunnerChaos : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t callers = 8;
  static constexpr std::size_t executions = 150;  // of each caller

  std::string address() const {
    return GetParam() == "unix" ? "unix:" + folder_.path() + "/s" : GetParam();
  }
  // Calls a tool, waits a little, and calls another, so that a death may fall anywhere.
  void execute(Executor& executor, std::size_t number) {
    Provider tools("tools");
    tools.add("begin", [this, number](const Value&) -> Result<Value> {
      ++begun_[number];
      return Value(number);
    });
    tools.add("end", [this, number](const Value&) -> Result<Value> {
      ++ended_[number];
      return Value(true);
    });
    const Report report = executor
                              .execute(
                                  "const n = await tools.begin();\n"
                                  "for (let i = 0; i < 20000; ++i);\n"
                                  "await tools.end();\n"
                                  "console.log('done'); n",
                                  {.limits = {.time = {.total = 10s}}, .providers = {tools}})
                              .get();
    if (report.ok()) {
      ++results_;
      EXPECT_EQ(report.result, Value(number));
      EXPECT_EQ(report.logs.size(), 1U);
      EXPECT_EQ(begun_[number], 1);
      EXPECT_EQ(ended_[number], 1);
    } else {
      ++failures_;
      EXPECT_TRUE(report.error.is(ErrorCode::runner_error)) << report.error;
      EXPECT_THAT(report.error.message,
                  testing::AnyOf(testing::StartsWith("cannot connect to "),
                                 testing::StartsWith("the runner closed the connection"),
                                 testing::StartsWith("the connection to the runner broke: ")));
    }
  }

  const Folder folder_;
  std::array<std::atomic<int>, callers * executions> begun_{};
  std::array<std::atomic<int>, callers * executions> ended_{};
  std::atomic<std::size_t> results_ = 0;
  std::atomic<std::size_t> failures_ = 0;
};

TEST_P(RunnerChaos, HasOneEndForEachExecution) {
  MortalRunner runner(address());
  Executor executor = Executor::create({.runner = runner.address(), .max_executions = 4}).value();
  std::atomic<std::size_t> running = callers;
  std::vector<std::thread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (std::size_t i = 0; i < executions; ++i) {
        execute(executor, caller * executions + i);
        // Failures are quick; there is to be load while the runner lives, too.
        std::this_thread::sleep_for(2ms);
      }
      --running;
    });
  }
  std::mt19937 random(11);
  std::size_t deaths = 0;
  while (running > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 60));
    runner.die();
    ++deaths;
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 5));
    runner.start();
  }
  for (std::thread& thread : threads) thread.join();

  RecordProperty("results", static_cast<int>(results_));
  RecordProperty("deaths", static_cast<int>(deaths));
  EXPECT_EQ(results_ + failures_, callers * executions);
  EXPECT_GT(results_, 0U);
  EXPECT_GT(failures_, 0U);
  EXPECT_GT(deaths, 1U);
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    EXPECT_LE(begun_[i], 1) << "it ran twice";
    EXPECT_LE(ended_[i], begun_[i]);
  }
  EXPECT_EQ(executor.figures().running, 0U);
  // And all is well afterwards.
  EXPECT_EQ(executor.execute("6 * 7").get().result, Value(42));
}

INSTANTIATE_TEST_SUITE_P(Over, RunnerChaos,
                         testing::Values("unix", "tcp:127.0.0.1:0", "ws://127.0.0.1:0/runner"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find(':'));
                         });

}  // namespace
}  // namespace cordon::e2e
