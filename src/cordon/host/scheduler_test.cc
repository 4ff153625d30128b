// How executions share an engine with several workers. EngineOf and Engine have what holds for one.

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;

Engine workers(std::size_t count, EngineOptions options = {}) {
  options.workers = count;
  return *Engine::create(options);
}

bool is_idle(const Engine& engine) {
  const Engine::Figures load = engine.figures();
  return load.running + load.waiting + load.queued + load.hibernated == 0;
}

// Keeps the calls of a tool, and answers them when it is asked to.
struct Held {
  Provider provider() {
    Provider tools("tools");
    tools.add_async("hold", [this](Value, Reply reply) {
      const std::lock_guard lock(mutex);
      replies.push_back(std::move(reply));
    });
    return tools;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return replies.size();
  }
  void wait_for(std::size_t calls) {
    while (count() < calls) std::this_thread::sleep_for(1ms);
  }
  void answer_all() {
    std::vector<Reply> all;
    {
      const std::lock_guard lock(mutex);
      std::swap(all, replies);
    }
    for (Reply& reply : all) reply(Value(1));
  }

  std::mutex mutex;
  std::vector<Reply> replies;
};

TEST(Scheduler, LetsIdleWorkersTakeWhatOthersHave) {
  Engine engine = workers(4, {.slots = 8});
  // A worker submits to itself, and then computes: somebody else must take what it submitted.
  std::atomic<bool> inner = false;
  Provider tools("tools");
  tools.add("submit_and_wait", [&](Value) -> Result<Value> {
    engine.execute("1").then([&](const Report&) { inner = true; });
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (!inner && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return Value(inner.load());
  });
  const Report report = engine
                            .execute("await tools.submit_and_wait()",
                                     {.limits = {.time = {.total = 60s}}, .providers = {tools}})
                            .get();
  EXPECT_EQ(report.result, Value(true));
}

// Which executions ran, in the order of their turns: with one slot there is one at a time.
struct Noted {
  Provider provider() {
    Provider note("note");
    note.add("it", [this](Value which) -> Result<Value> {
      const std::lock_guard lock(mutex);
      order.push_back(static_cast<int>(which.as_number()));
      return Value(1);
    });
    return note;
  }
  std::mutex mutex;
  std::vector<int> order;
};

TEST(Scheduler, DoesNotLeaveExecutionsToAWorkerThatIsHeldUp) {
  Engine engine = workers(2, {.slots = 64});
  // One worker waits in a tool, the other has always something of its own to do.
  std::atomic<bool> is_over = false;
  std::atomic<int> ended = 0;
  std::atomic<bool> is_held_up = false;
  Provider tools("tools");
  tools.add("wait", [&](Value) -> Result<Value> {
    is_held_up = true;
    while (!is_over) std::this_thread::sleep_for(1ms);
    return Value(1);
  });
  engine.execute("await tools.wait()", {.limits = {.time = {.total = 60s}}, .providers = {tools}})
      .then([](const Report&) {});
  while (!is_held_up) std::this_thread::sleep_for(1ms);
  std::function<void()> again = [&] {
    if (!is_over) engine.execute("1").then([&](const Report&) { again(); });
  };
  again();
  for (int i = 0; i < 8; ++i) engine.execute("2").then([&](const Report&) { ++ended; });
  while (ended < 8) std::this_thread::sleep_for(1ms);
  is_over = true;
  while (!is_idle(engine)) std::this_thread::sleep_for(1ms);
}

TEST(Scheduler, AdmitsInOrderAcrossWorkers) {
  Held held;
  Noted noted;
  Engine engine = workers(3, {.slots = 1});
  const ExecuteOptions options{.limits = {.time = {.total = 60s}},
                               .providers = {held.provider(), noted.provider()}};
  engine.execute("await tools.hold()", options).then([](const Report&) {});
  held.wait_for(1);
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) {
    engine.execute("await note.it(" + std::to_string(i) + ")", options).then([](const Report&) {});
    expected.push_back(i);
  }
  EXPECT_EQ(engine.figures().queued, 20u);
  held.answer_all();
  while (!is_idle(engine)) std::this_thread::sleep_for(1ms);
  const std::lock_guard lock(noted.mutex);
  EXPECT_EQ(noted.order, expected);
}

TEST(Scheduler, GivesARestoredOneItsSlotBeforeNewOnes) {
  Held held;
  Noted noted;
  Engine engine = workers(2, {.slots = 1, .hibernate_after = 1ms});
  std::atomic<bool> goes_on = false;
  Provider spin("spin");
  spin.add("until_told", [&](Value) -> Result<Value> {
    while (!goes_on) std::this_thread::sleep_for(1ms);
    return Value(1);
  });
  const ExecuteOptions options{.limits = {.time = {.total = 60s}},
                               .providers = {held.provider(), noted.provider(), spin}};
  const auto run = [&](std::string_view code) {
    engine.execute(code, options).then([](const Report& report) {
      EXPECT_TRUE(report.ok()) << report.error.message;
    });
  };
  run("await tools.hold(); await note.it(1)");
  while (engine.figures().hibernated == 0) std::this_thread::sleep_for(1ms);
  // This one has the slot and does not let go of it, since its tool computes.
  run("await spin.until_told()");
  run("await note.it(2)");
  while (engine.figures().queued == 0) std::this_thread::sleep_for(1ms);
  held.answer_all();
  goes_on = true;
  while (!is_idle(engine)) std::this_thread::sleep_for(1ms);
  const std::lock_guard lock(noted.mutex);
  EXPECT_EQ(noted.order, (std::vector<int>{1, 2}));
}

// All that can meet does: submissions from outside and from callbacks, tools that answer at once
// and later, timers, timeouts, cancels, queues, hibernation.
TEST(Scheduler, LosesNobodyWhereEverythingMeets) {
  constexpr int threads = 3;
  constexpr int rounds = 150;
  Held held;
  Provider tools = held.provider();
  tools.add("echo", [](Value input) -> Result<Value> { return input; });
  tools.add_blocking("slow", [](Value input) -> Result<Value> {
    std::this_thread::sleep_for(200us);
    return input;
  });
  std::atomic<int> submitted = 0;
  std::atomic<int> ended = 0;
  {
    Engine engine = workers(4, {.slots = 6, .hibernate_after = 1ms});
    const ExecuteOptions options{.limits = {.time = {.total = 60s}}, .providers = {tools}};
    const auto run = [&](std::string_view code, const ExecuteOptions& with) {
      ++submitted;
      Execution execution = engine.execute(code, with);
      execution.then([&](const Report&) { ++ended; });
      return execution;
    };
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
      all.emplace_back([&] {
        for (int round = 0; round < rounds; ++round) {
          run("await tools.echo(1) + await tools.slow(2)", options);
          run("await new Promise((done) => setTimeout(done, 2))", options);
          run("await tools.hold()", options);
          run("for (;;);", {.limits = {.time = {.total = 2ms}}});
          Execution cancelled = run("await tools.hold()", options);
          if (round % 2 == 0) std::this_thread::yield();
          cancelled.cancel();
          ++submitted;
          engine.execute("1").then([&](const Report&) {
            ++ended;
            run("2", options);
          });
          if (round % 10 == 0) held.answer_all();
        }
      });
    }
    for (std::thread& thread : all) thread.join();
    while (ended < submitted) {
      held.answer_all();
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(is_idle(engine));
  }
  EXPECT_EQ(ended, submitted);
}

TEST(Scheduler, EndsAllThatLivesWhenItShutsDown) {
  Held held;
  std::atomic<int> cancelled = 0;
  constexpr int count = 200;
  {
    Engine engine = workers(4, {.slots = 8, .hibernate_after = 1ms});
    for (int i = 0; i < count; ++i) {
      engine
          .execute(i % 3 == 0 ? "for (;;);" : "await tools.hold()",
                   {.limits = {.time = {.total = 60s}}, .providers = {held.provider()}})
          .then([&](const Report& report) {
            if (report.error.is(ErrorCode::cancelled)) ++cancelled;
          });
    }
  }
  EXPECT_EQ(cancelled, count);
}

}  // namespace
}  // namespace cordon
