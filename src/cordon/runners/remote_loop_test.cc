// One thread drives many runners, as shell scripts and as ends of pipes.

#include "cordon/runners/remote_loop.h"

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/runners/target.h"

namespace cordon::runners {
namespace {

using namespace std::chrono_literals;

class RemoteLoopTest : public ::testing::Test {
 protected:
  struct Started {
    std::shared_ptr<RemoteLoop::Driven> driven;
    std::future<Report> report;
  };
  Started start(std::string script, std::chrono::milliseconds timeout = 10s) {
    RemoteOptions options;
    options.execute.id = "x";
    options.execute.code = "1";
    options.execute.providers = {execbox::HostManifest{"shop", {{"wait", "wait"}}, ""}};
    options.providers = {shop_};
    options.limits.time.total = timeout;
    auto link = open_link(ChildTarget{{"sh", "-c", std::move(script)}}, {}).value();
    std::promise<Report> promise;
    std::future<Report> report = promise.get_future();
    auto driven = loop_->start(std::move(options), std::move(link),
                               [promise = std::move(promise)](RemoteExecution& over) mutable {
                                 promise.set_value(over.take_report());
                               });
    return {driven.value(), std::move(report)};
  }
  static std::string done(int result) {
    return R"(echo '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[],"result":)" +
           std::to_string(result) + "}';";
  }

  Provider shop_{"shop"};
  std::unique_ptr<RemoteLoop> loop_ = RemoteLoop::create().value();
};

TEST_F(RemoteLoopTest, DrivesManyAtOnce) {
  std::vector<Started> all;
  for (int i = 0; i < 20; ++i) all.push_back(start("read e; sleep 0.1;" + done(i)));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(all[static_cast<std::size_t>(i)].report.get().result, Value(i));
}

TEST_F(RemoteLoopTest, LetsOneThatFloodsDelayNoOther) {
  Started flood = start("while :; do echo 'noise'; done", 2s);
  EXPECT_EQ(start("read e;" + done(7)).report.get().result, Value(7));
  EXPECT_EQ(flood.report.get().error.message, "Execution timed out");
}

TEST_F(RemoteLoopTest, KeepsTheTimeOfEach) {
  const auto before = std::chrono::steady_clock::now();
  Started late = start("sleep 100", 600ms);
  Started early = start("sleep 100", 50ms);
  EXPECT_TRUE(early.report.get().error.is(ErrorCode::timeout));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 600ms);
  EXPECT_TRUE(late.report.get().error.is(ErrorCode::timeout));
}

TEST_F(RemoteLoopTest, HearsOfAnswersAndCancelsOfOtherThreads) {
  std::vector<std::jthread> threads;
  std::atomic<int> calls = 0;
  shop_.add("wait", [&](Value input, Reply reply) {
    if (++calls == 2) return;  // dropped: it has failed
    threads.emplace_back([input = std::move(input), reply = std::move(reply)]() mutable {
      std::this_thread::sleep_for(20ms);
      reply(std::move(input));
    });
  });
  const std::string call =
      R"(echo '{"type":"tool_call","callId":"1","providerName":"shop","safeToolName":"wait","input":5}'; read -r a;)";
  const std::string tell =
      R"(printf '{"type":"done","id":"x","ok":true,"durationMs":1,"logs":[],"result":%s}\n' "$a";)";
  EXPECT_EQ(to_json(start("read e;" + call + tell).report.get().result),
            R"({"type":"tool_result","callId":"1","ok":true,"result":5})");
  EXPECT_EQ(to_json(start("read e;" + call + tell).report.get().result),
            R"({"type":"tool_result","callId":"1","ok":false,"error":)"
            R"({"code":"tool_error","message":"the tool gave no answer"}})");
  Started endless = start("sleep 100");
  RemoteLoop::cancel(*endless.driven);
  EXPECT_TRUE(endless.report.get().error.is(ErrorCode::cancelled));
  RemoteLoop::cancel(*endless.driven);  // too late, and harmless
}

TEST_F(RemoteLoopTest, EndsAllWithItself) {
  std::vector<Started> all;
  for (int i = 0; i < 3; ++i) all.push_back(start("sleep 100"));
  loop_.reset();
  for (Started& one : all) {
    EXPECT_TRUE(one.report.get().error.is(ErrorCode::cancelled));
    RemoteLoop::cancel(*one.driven);
  }
}

TEST_F(RemoteLoopTest, LetsAnEndStartTheNext) {
  std::latch is_started(1);
  Started second;
  RemoteOptions options;
  options.execute.id = "x";
  auto link = open_link(ChildTarget{{"sh", "-c", "read e;" + done(1)}}, {}).value();
  const auto first = loop_->start(std::move(options), std::move(link), [&](RemoteExecution&) {
    second = start("read e;" + done(2));
    is_started.count_down();
  });
  ASSERT_TRUE(first);
  is_started.wait();
  EXPECT_EQ(second.report.get().result, Value(2));
}

}  // namespace
}  // namespace cordon::runners
