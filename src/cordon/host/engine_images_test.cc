// Executions that sleep, as an embedder has them.

#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Engine engine_of_two() { return *Engine::create({.workers = 2, .slots = 8}); }

Provider asking() {
  Provider tools("tools");
  tools.add("ask",
            [](Value) -> Result<Value> { return fail(ErrorCode::tool_error, "it was called"); });
  tools.add("double", [](Value in) -> Result<Value> { return in.value_or(0) * 2; });
  tools.add_blocking("slow", [](Value) -> Result<Value> {
    std::this_thread::sleep_for(30ms);
    return 5;
  });
  return tools;
}

Report sleep(std::string_view code, std::vector<std::string> on = {"tools.ask"}) {
  Engine engine = engine_of_two();
  return engine.execute(code, {.providers = {asking()}, .suspend_on = std::move(on)}).get();
}

Report wake(const Report& slept, std::vector<Result<Value>> answers, ExecuteOptions options = {}) {
  EXPECT_TRUE(slept.is_suspended()) << slept.error.message;
  if (!slept.is_suspended()) return {};
  Engine engine = *Engine::create_one_shot();
  Result<Execution> resumed =
      engine.resume(slept.suspended.image, std::move(answers), std::move(options));
  EXPECT_TRUE(resumed.has_value()) << resumed.error().message;
  return resumed->get();
}

std::vector<Result<Value>> answers(Value value) {
  std::vector<Result<Value>> list;
  list.emplace_back(std::move(value));
  return list;
}

TEST(SleepingExecution, GoesOnInAnotherEngineWithItsLogsAndTools) {
  const Report slept = sleep(
      "console.log('before'); const n = await tools.double(20);"
      "const answer = await tools.ask({n}); console.log('after'); (await tools.double(answer)) + "
      "n");
  EXPECT_FALSE(slept.ok()) << "there is no result yet";
  ASSERT_TRUE(slept.is_suspended()) << slept.error.message;
  ASSERT_EQ(slept.suspended.calls.size(), 1u);
  EXPECT_EQ(slept.suspended.calls[0].provider, "tools");
  EXPECT_EQ(slept.suspended.calls[0].tool, "ask");
  EXPECT_EQ(slept.suspended.calls[0].input, Value::object({{"n", 40}}));
  ASSERT_EQ(slept.logs.size(), 1u);
  EXPECT_LT(slept.suspended.image.size(), 16u << 10);

  const auto pending = Engine::pending_calls(slept.suspended.image);
  ASSERT_TRUE(pending.has_value());
  EXPECT_EQ(pending->at(0).input, Value::object({{"n", 40}}));

  const Report woken = wake(slept, answers(1), {.providers = {asking()}});
  ASSERT_TRUE(woken.ok()) << woken.error.message;
  EXPECT_EQ(woken.result, Value(42));
  ASSERT_EQ(woken.logs.size(), 1u);
  EXPECT_EQ(woken.logs[0].text, "after");
  ASSERT_EQ(woken.calls.size(), 2u);
  EXPECT_EQ(woken.calls[0].tool, "ask");
  EXPECT_TRUE(woken.calls[0].ok);
}

TEST(SleepingExecution, WaitsForTheCallsOfOtherTools) {
  const Report slept = sleep(
      "const [a, b] = await Promise.all([tools.ask(1), tools.slow().then(x => x + 1)]); [a, b]");
  const Report woken = wake(slept, answers("yes"));
  EXPECT_EQ(woken.result, Value::array({"yes", 6})) << woken.error.message;
}

TEST(SleepingExecution, MayWaitForSeveralCalls) {
  const Report slept = sleep("await Promise.all([tools.ask('a'), tools.ask('b')])", {"ask"});
  ASSERT_TRUE(slept.is_suspended());
  ASSERT_EQ(slept.suspended.calls.size(), 2u);
  EXPECT_EQ(slept.suspended.calls[1].input, Value("b"));
  std::vector<Result<Value>> both = answers(1);
  both.emplace_back(fail(ErrorCode::tool_error, "not that one"));
  const Report woken = wake(slept, std::move(both));
  EXPECT_FALSE(woken.ok());
  EXPECT_EQ(woken.error.code, ErrorCode::tool_error);
  EXPECT_EQ(woken.error.message, "not that one");

  Engine engine = *Engine::create_one_shot();
  const auto too_few = engine.resume(slept.suspended.image, answers(1));
  ASSERT_FALSE(too_few.has_value());
  EXPECT_THAT(too_few.error().message, HasSubstr("2 calls"));
}

TEST(SleepingExecution, MaySleepAgainAndBeWokenTwice) {
  const Report first = sleep("const a = await tools.ask(1); const b = await tools.ask(a); a + b");
  const Report second = wake(first, answers(10), {.providers = {asking()}, .suspend_on = {"ask"}});
  ASSERT_TRUE(second.is_suspended()) << second.error.message;
  EXPECT_EQ(second.suspended.calls[0].input, Value(10));
  EXPECT_EQ(wake(second, answers(5)).result, Value(15));
  EXPECT_EQ(wake(second, answers(7)).result, Value(17));
}

TEST(SleepingExecution, TakesTheModulesAlongThatItMayYetImport) {
  const std::string_view code =
      "import { a } from './lib/a.js'; const n = await tools.ask();"
      "const { b } = await import('./lib/b.ts'); const { default: c } = await import('./c.json', "
      "{ with: { type: 'json' } }); [a, b, c, n]";
  Engine engine = engine_of_two();
  const Report slept =
      engine
          .execute(code, {.providers = {asking()},
                          .modules = {{"./lib/a.js", "export const a = 1"},
                                      {"./lib/b.ts", "export { d as b } from './d.ts'"},
                                      {"./lib/d.ts", "export const d: number = 2"},
                                      {"./c.json", "3"},
                                      {"./other.js", "'" + std::string(20'000, 'x') + "'"}},
                          .suspend_on = {"ask"}})
          .get();
  const Report woken = wake(slept, answers(4));
  EXPECT_EQ(woken.result, Value::array({1, 2, 3, 4})) << woken.error.message;
}

TEST(SleepingExecution, SaysWhatThereIsWhereAModuleDidNotComeAlong) {
  Engine engine = engine_of_two();
  const Report slept =
      engine
          .execute(
              "import './a.js'; await tools.ask(); (await import(['./', 'b.js'].join(''))).default",
              {.providers = {asking()},
               .modules = {{"./a.js", "export const a = 1"}},
               .suspend_on = {"ask"}})
          .get();
  EXPECT_EQ(wake(slept, answers(1)).error.message, "Cannot find module './b.js': there is ./a.js");
  const Report woken = wake(slept, answers(1), {.modules = {{"./b.js", "export default 5"}}});
  EXPECT_EQ(woken.result, Value(5)) << woken.error.message;
}

TEST(SleepingExecution, ShowsTheLineOfAnErrorAfterwards) {
  const Report slept =
      sleep("```ts\nconst n: number = await tools.ask();\nthrow new Error(`${n}`)\n```");
  const ExecutionError error = wake(slept, answers(1)).error;
  ASSERT_TRUE(error.location.has_value());
  EXPECT_EQ(error.location->line, 3u);
  ASSERT_EQ(error.excerpt.lines.size(), 2u);
  EXPECT_EQ(error.excerpt.lines[0], "const n: number = await tools.ask();");
  EXPECT_EQ(error.excerpt.before, "throw ");
}

TEST(SleepingExecution, IsToldThatAToolIsNoLongerThere) {
  const Report slept = sleep("await tools.ask(); await tools.double(1)");
  const Report woken = wake(slept, answers(1));
  EXPECT_FALSE(woken.ok());
  EXPECT_THAT(woken.error.message, HasSubstr("tools.double was not given"));
}

TEST(SleepingExecution, GoesOnWithItsTimers) {
  const Report slept = sleep(
      "const late = new Promise(r => setTimeout(r, 40, 'timer')); await tools.ask(); await late");
  const Report woken = wake(slept, answers(1));
  EXPECT_EQ(woken.result, Value("timer")) << woken.error.message;
}

TEST(SleepingExecution, ThatIsDamagedOrTooLargeIsRefused) {
  const Report slept = sleep("await tools.ask()");
  ASSERT_TRUE(slept.is_suspended());
  Engine engine = *Engine::create_one_shot();
  Bytes damaged = slept.suspended.image;
  damaged[damaged.size() / 2] ^= 1;
  const auto resumed = engine.resume(damaged, answers(1));
  ASSERT_FALSE(resumed.has_value());
  EXPECT_THAT(resumed.error().message, HasSubstr("damaged"));
  Limits little;
  little.memory_bytes = 1000;
  EXPECT_EQ(engine.resume(slept.suspended.image, answers(1), {.limits = little}).error().code,
            ErrorCode::too_large);
}

// Answers when it is told to.
struct Holding {
  Holding() : tools("tools") {
    tools.add_async("hold", [this](Value input, Reply reply) {
      const std::lock_guard lock(mutex);
      held.emplace_back(std::move(input), std::make_unique<Reply>(std::move(reply)));
    });
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return held.size();
  }
  void answer_all() {
    std::vector<std::pair<Value, std::unique_ptr<Reply>>> all;
    {
      const std::lock_guard lock(mutex);
      all = std::exchange(held, {});
    }
    for (auto& [input, reply] : all) (*reply)(std::move(input));
  }

  std::mutex mutex;
  std::vector<std::pair<Value, std::unique_ptr<Reply>>> held;
  Provider tools;
};

template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

TEST(EngineThatSleeps, HoldsMoreExecutionsThanItHasSlots) {
  constexpr int count = 300;
  Holding holding;
  Engine engine = *Engine::create({.workers = 2, .slots = 4, .hibernate_after = 1ms});
  std::vector<std::future<Report>> reports;
  for (int i = 0; i < count; ++i) {
    ExecuteOptions options{.providers = {holding.tools}, .input = Value(i)};
    options.limits.time.total = 30s;
    reports.push_back(
        engine
            .execute("const m = new Map([[1, input]]); const a = await tools.hold(input);"
                     "const b = await tools.hold(a + 1); [m.get(1), a, b]",
                     std::move(options))
            .future());
  }
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  // One that is about to hibernate is counted a moment before it gives its slot back.
  EXPECT_TRUE(comes_true([&] {
    const Engine::Figures figures = engine.figures();
    return figures.hibernated == count && figures.running == 0;
  }));
  holding.answer_all();
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  holding.answer_all();
  for (int i = 0; i < count; ++i) {
    const Report report = reports[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(report.ok()) << report.error.message;
    EXPECT_EQ(report.result, Value::array({i, i, i + 1}));
  }
  EXPECT_EQ(engine.figures().hibernated, 0u);
}

TEST(EngineThatSleeps, KeepsFewSandboxesWhereManyWait) {
  constexpr std::size_t count = 300;
  Holding holding;
  Engine engine = *Engine::create({.workers = 1, .slots = count, .hibernate_after = 10min});
  ExecuteOptions options{.providers = {holding.tools}};
  options.limits.time.total = 10min;
  std::vector<std::future<Report>> reports;
  for (std::size_t i = 0; i < count; ++i)
    reports.push_back(engine.execute("await tools.hold(5)", options).future());
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  EXPECT_TRUE(comes_true([&] { return engine.figures().hibernated >= count / 2; }));
  holding.answer_all();
  for (std::future<Report>& report : reports) EXPECT_EQ(report.get().result, Value(5));
}

TEST(EngineThatSleeps, LetsNoMoreSleepThanMayAndThenIsFull) {
  for (const bool counts_bytes : {false, true}) {
    SCOPED_TRACE(counts_bytes);
    Holding holding;
    EngineOptions options{.workers = 1, .slots = 1, .queue = 1, .hibernate_after = 1ms};
    if (counts_bytes) {
      options.max_hibernated_bytes = 1;  // the first takes more, which is known when it sleeps
    } else {
      options.max_hibernated = 1;
    }
    Engine engine = *Engine::create(options);
    const auto start = [&] {
      return engine.execute("await tools.hold(1)", {.providers = {holding.tools}});
    };
    std::vector<Execution> running;
    running.push_back(start());
    ASSERT_TRUE(comes_true([&] { return engine.figures().hibernated == 1; }));
    running.push_back(start());
    ASSERT_TRUE(comes_true([&] { return engine.figures().waiting == 1; }));
    running.push_back(start());
    std::this_thread::sleep_for(20ms);  // in which it could have slept
    EXPECT_EQ(engine.figures().hibernated, 1u);
    EXPECT_EQ(engine.figures().running, 1u);
    EXPECT_EQ(engine.figures().queued, 1u);
    EXPECT_EQ(start().get().error.code, ErrorCode::overloaded);
    // Room for one is room for the next.
    holding.answer_all();
    EXPECT_TRUE(
        comes_true([&] { return engine.figures().hibernated == 1 && holding.count() == 1; }));
    holding.answer_all();
    for (Execution& one : running) EXPECT_TRUE(one.get().ok());
    EXPECT_EQ(engine.figures().hibernated, 0u);
    EXPECT_EQ(engine.figures().waiting, 0u);
  }
}

TEST(EngineThatSleeps, EndsSleepersAtTheirDeadlineOrWhenTheyAreCancelled) {
  Holding holding;
  Engine engine = *Engine::create({.workers = 1, .slots = 2, .hibernate_after = 1ms});
  ExecuteOptions options{.providers = {holding.tools}};
  options.limits.time.total = 200ms;
  Execution late = engine.execute("await tools.hold()", options);
  options.limits.time.total = 30s;
  Execution cancelled = engine.execute("await tools.hold()", options);
  ASSERT_TRUE(comes_true([&] { return engine.figures().hibernated == 2; }));
  cancelled.cancel();
  EXPECT_EQ(cancelled.get().error.code, ErrorCode::cancelled);
  EXPECT_EQ(late.get().error.code, ErrorCode::timeout);
  EXPECT_EQ(engine.figures().hibernated, 0u);
}

TEST(EngineThatSleeps, WakesThemForTheirTimersAndProvidersForTheirCalls) {
  Engine engine = *Engine::create({.workers = 1, .slots = 2, .hibernate_after = 1ms});
  const Provider counter =
      engine.load("let n = 0; export const next = () => ++n")->keep()->provider("counter");
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(comes_true([&] { return engine.figures().hibernated == 1; }));
    const Report report =
        engine
            .execute("await new Promise(r => setTimeout(r, 20)); await counter.next()",
                     {.providers = {counter}})
            .get();
    EXPECT_EQ(report.result, Value(i)) << report.error.message;
  }
}

TEST(SleepingExecution, KeepsManyToolsWhetherTheyWereTouchedOrNot) {
  Engine engine = *Engine::create({.workers = 0});
  Provider shop("shop");
  for (int i = 0; i < 300; ++i)
    shop.add("t" + std::to_string(i), [i](Value) -> Result<Value> { return Value(i); });
  const Report waiting =
      engine
          .execute(
              "const f = shop.t5; const a = await shop.t1(); const b = await shop.t250();"
              "[a, b, f === shop.t5, await f(), await shop.t299(), Object.keys(shop).length,"
              " shop.t77.name]",
              {.providers = {shop}, .suspend_on = {"shop.t250"}})
          .get();
  ASSERT_TRUE(waiting.is_suspended());
  std::vector<Result<Value>> answers;
  answers.emplace_back(Value(7));
  Engine other = *Engine::create({.workers = 0});
  Result<Execution> resumed =
      other.resume(waiting.suspended.image, std::move(answers), {.providers = {shop}});
  ASSERT_TRUE(resumed);
  const Report report = resumed->get();
  ASSERT_TRUE(report.ok()) << report.error;
  EXPECT_EQ(report.result, Value::array({1, 7, true, 5, 299, 300, "t77"}));
}

}  // namespace
}  // namespace cordon
