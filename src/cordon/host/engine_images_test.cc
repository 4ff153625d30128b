// Executions that sleep, and modules that are prepared, as an embedder has them.

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
  tools.add("ask", [](Value) -> Result<Value> { return fail(Errc::tool_error, "it was called"); });
  tools.add("double", [](Value in) -> Result<Value> { return in.value_or(0) * 2; });
  tools.add_blocking("slow", [](Value) -> Result<Value> {
    std::this_thread::sleep_for(30ms);
    return 5;
  });
  return tools;
}

Report sleep(std::string_view code, std::vector<std::string> on = {"tools.ask"}) {
  Engine engine = engine_of_two();
  return engine.execute(code, {.providers = {asking()}, .sleep_on = std::move(on)}).get();
}

Report wake(const Report& slept, std::vector<Result<Value>> answers, ExecuteOptions options = {}) {
  EXPECT_TRUE(slept.asleep.has_value()) << slept.error.message;
  if (!slept.asleep) return {};
  Engine engine = *Engine::create_one_shot();
  Result<Execution> resumed =
      engine.resume(slept.asleep->image, std::move(answers), std::move(options));
  EXPECT_TRUE(resumed.has_value()) << resumed.error().detail;
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
  ASSERT_TRUE(slept.ok) << slept.error.message;
  ASSERT_TRUE(slept.asleep.has_value());
  ASSERT_EQ(slept.asleep->calls.size(), 1u);
  EXPECT_EQ(slept.asleep->calls[0].provider, "tools");
  EXPECT_EQ(slept.asleep->calls[0].tool, "ask");
  EXPECT_EQ(slept.asleep->calls[0].input, Value::object({{"n", 40}}));
  ASSERT_EQ(slept.logs.size(), 1u);
  EXPECT_LT(slept.asleep->image.size(), 16u << 10);

  const auto pending = Engine::pending_calls(slept.asleep->image);
  ASSERT_TRUE(pending.has_value());
  EXPECT_EQ(pending->at(0).input, Value::object({{"n", 40}}));

  const Report woken = wake(slept, answers(1), {.providers = {asking()}});
  ASSERT_TRUE(woken.ok) << woken.error.message;
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
  ASSERT_TRUE(slept.asleep.has_value());
  ASSERT_EQ(slept.asleep->calls.size(), 2u);
  EXPECT_EQ(slept.asleep->calls[1].input, Value("b"));
  std::vector<Result<Value>> both = answers(1);
  both.emplace_back(fail(Errc::tool_error, "not that one"));
  const Report woken = wake(slept, std::move(both));
  EXPECT_FALSE(woken.ok);
  EXPECT_EQ(woken.error.code, "tool_error");
  EXPECT_EQ(woken.error.message, "not that one");

  Engine engine = *Engine::create_one_shot();
  const auto too_few = engine.resume(slept.asleep->image, answers(1));
  ASSERT_FALSE(too_few.has_value());
  EXPECT_THAT(too_few.error().detail, HasSubstr("2 calls"));
}

TEST(SleepingExecution, MaySleepAgainAndBeWokenTwice) {
  const Report first = sleep("const a = await tools.ask(1); const b = await tools.ask(a); a + b");
  const Report second = wake(first, answers(10), {.providers = {asking()}, .sleep_on = {"ask"}});
  ASSERT_TRUE(second.asleep.has_value()) << second.error.message;
  EXPECT_EQ(second.asleep->calls[0].input, Value(10));
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
                          .sleep_on = {"ask"}})
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
               .sleep_on = {"ask"}})
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
  EXPECT_FALSE(woken.ok);
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
  ASSERT_TRUE(slept.asleep.has_value());
  Engine engine = *Engine::create_one_shot();
  Bytes damaged = slept.asleep->image;
  damaged[damaged.size() / 2] ^= 1;
  const auto resumed = engine.resume(damaged, answers(1));
  ASSERT_FALSE(resumed.has_value());
  EXPECT_THAT(resumed.error().detail, HasSubstr("damaged"));
  Limits little;
  little.memory_bytes = 1000;
  EXPECT_EQ(engine.resume(slept.asleep->image, answers(1), {.limits = little}).error().code,
            Errc::too_large);
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
  Engine engine = *Engine::create({.workers = 2, .slots = 4, .sleep_after = 1ms});
  std::vector<std::future<Report>> reports;
  for (int i = 0; i < count; ++i) {
    ExecuteOptions options{.providers = {holding.tools}, .input = Value(i)};
    options.limits.timeout = 30s;
    reports.push_back(
        engine
            .execute("const m = new Map([[1, input]]); const a = await tools.hold(input);"
                     "const b = await tools.hold(a + 1); [m.get(1), a, b]",
                     std::move(options))
            .future());
  }
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  EXPECT_TRUE(comes_true([&] { return engine.load().asleep == count; }));
  EXPECT_EQ(engine.load().running, 0u);
  holding.answer_all();
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  holding.answer_all();
  for (int i = 0; i < count; ++i) {
    const Report report = reports[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(report.ok) << report.error.message;
    EXPECT_EQ(report.result, Value::array({i, i, i + 1}));
  }
  EXPECT_EQ(engine.load().asleep, 0u);
}

TEST(EngineThatSleeps, KeepsFewSandboxesWhereManyWait) {
  constexpr std::size_t count = 300;
  Holding holding;
  Engine engine = *Engine::create({.workers = 1, .slots = count, .sleep_after = 10min});
  ExecuteOptions options{.providers = {holding.tools}};
  options.limits.timeout = 10min;
  std::vector<std::future<Report>> reports;
  for (std::size_t i = 0; i < count; ++i)
    reports.push_back(engine.execute("await tools.hold(5)", options).future());
  ASSERT_TRUE(comes_true([&] { return holding.count() == count; }));
  EXPECT_TRUE(comes_true([&] { return engine.load().asleep >= count / 2; }));
  holding.answer_all();
  for (std::future<Report>& report : reports) EXPECT_EQ(report.get().result, Value(5));
}

TEST(EngineThatSleeps, LetsNoMoreSleepThanMayAndThenIsFull) {
  for (const bool counts_bytes : {false, true}) {
    SCOPED_TRACE(counts_bytes);
    Holding holding;
    EngineOptions options{.workers = 1, .slots = 1, .queue = 1, .sleep_after = 1ms};
    if (counts_bytes) {
      options.most_asleep_bytes = 1;  // the first takes more, which is known when it sleeps
    } else {
      options.most_asleep = 1;
    }
    Engine engine = *Engine::create(options);
    const auto start = [&] {
      return engine.execute("await tools.hold(1)", {.providers = {holding.tools}});
    };
    std::vector<Execution> running;
    running.push_back(start());
    ASSERT_TRUE(comes_true([&] { return engine.load().asleep == 1; }));
    running.push_back(start());
    ASSERT_TRUE(comes_true([&] { return engine.load().waiting == 1; }));
    running.push_back(start());
    std::this_thread::sleep_for(20ms);  // in which it could have slept
    EXPECT_EQ(engine.load().asleep, 1u);
    EXPECT_EQ(engine.load().running, 1u);
    EXPECT_EQ(engine.load().queued, 1u);
    EXPECT_EQ(start().get().error.code, "overloaded");
    // Room for one is room for the next.
    holding.answer_all();
    EXPECT_TRUE(comes_true([&] { return engine.load().asleep == 1 && holding.count() == 1; }));
    holding.answer_all();
    for (Execution& one : running) EXPECT_TRUE(one.get().ok);
    EXPECT_EQ(engine.load().asleep, 0u);
    EXPECT_EQ(engine.load().waiting, 0u);
  }
}

TEST(EngineThatSleeps, EndsSleepersAtTheirDeadlineOrWhenTheyAreCancelled) {
  Holding holding;
  Engine engine = *Engine::create({.workers = 1, .slots = 2, .sleep_after = 1ms});
  ExecuteOptions options{.providers = {holding.tools}};
  options.limits.timeout = 200ms;
  Execution late = engine.execute("await tools.hold()", options);
  options.limits.timeout = 30s;
  Execution cancelled = engine.execute("await tools.hold()", options);
  ASSERT_TRUE(comes_true([&] { return engine.load().asleep == 2; }));
  cancelled.cancel();
  EXPECT_EQ(cancelled.get().error.code, "cancelled");
  EXPECT_EQ(late.get().error.code, "timeout");
  EXPECT_EQ(engine.load().asleep, 0u);
}

TEST(EngineThatSleeps, WakesThemForTheirTimersAndProvidersForTheirCalls) {
  Engine engine = *Engine::create({.workers = 1, .slots = 2, .sleep_after = 1ms});
  Result<Provider> counter =
      engine.load_provider("counter", "let n = 0; export const next = () => ++n");
  ASSERT_TRUE(counter.has_value());
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(comes_true([&] { return engine.load().asleep == 1; }));
    const Report report =
        engine
            .execute("await new Promise(r => setTimeout(r, 20)); await counter.next()",
                     {.providers = {*counter}})
            .get();
    EXPECT_EQ(report.result, Value(i)) << report.error.message;
  }
}

TEST(PreparedModule, IsStartedAnyNumberOfTimesFromTheSameState) {
  Engine engine = engine_of_two();
  const Result<Prepared> prepared = engine.prepare(
      "const table = new Map(); for (let i = 0; i < 100; ++i) table.set(i, i * i); let calls = 0;"
      "export default async function (input) {"
      "  const twice = await tools.double(table.get(input)); return [++calls, twice, "
      "Math.random()]; }",
      {.providers = {asking()}});
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  EXPECT_GT(prepared->bytes(), 1000u);
  std::set<double> random;
  for (int i = 0; i < 5; ++i) {
    const Report report =
        engine.execute(*prepared, {.providers = {asking()}, .input = Value(i)}).get();
    ASSERT_TRUE(report.ok) << report.error.message;
    EXPECT_EQ(report.result[0], Value(1));
    EXPECT_EQ(report.result[1], Value(2 * i * i));
    random.insert(report.result[2].value_or(0.0));
  }
  EXPECT_EQ(random.size(), 5u);
}

// Its memory is mapped and not copied, and nobody can tell.
TEST(PreparedModule, ImportsLaterWhatItWasPreparedWith) {
  Engine engine = engine_of_two();
  const Result<Prepared> prepared = engine.prepare(
      "export default async (name) => (await import(`./${name}.js`)).default",
      {.modules = {{"./one.js", "export default 1"}, {"./two.js", "export default 2"}}});
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  EXPECT_EQ(engine.execute(*prepared, {.input = Value("two")}).get().result, Value(2));
  EXPECT_THAT(engine.execute(*prepared, {.input = Value("six")}).get().error.message,
              HasSubstr("there is ./one.js, ./two.js"));
}

TEST(PreparedModule, MayBeLarge) {
  Engine engine = *Engine::create({.workers = 0, .slots = 1});
  const Result<Prepared> prepared = engine.prepare(
      "const rows = Array.from({length: 20000}, (_, i) => ({i, text: 'row ' + i}));"
      "export default (n) => { const before = rows[n].i; rows[n].i = -1; rows.push(1);"
      "return [before, rows[n].text, rows.length, rows.reduce((sum, r) => sum + (r.i ?? 0), "
      "0)].join() }");
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  EXPECT_GT(prepared->bytes(), 1u << 20);
  for (int i = 0; i < 5; ++i) {
    const Report report = engine.execute(*prepared, {.input = Value(7)}).get();
    ASSERT_TRUE(report.ok) << report.error.message;
    EXPECT_EQ(report.result, Value("7,row 7,20001,199989992"));
    // Another program in the same slot, with as much memory.
    EXPECT_EQ(engine.execute("new Uint8Array(4e6).every((byte) => byte === 0)").get().result,
              Value(true));
  }
  EXPECT_EQ(engine.execute(*prepared, {.limits = {.memory_bytes = 2u << 20}, .input = Value(7)})
                .get()
                .error.code,
            "memory_limit");
}

// Slots keep what their guests began with, so all that can follow each other do.
TEST(PreparedModule, SharesItsSlotsWithAnyOther) {
  Engine engine = *Engine::create({.workers = 2, .slots = 4});
  const auto prepare = [&](int letter) {
    return *engine.prepare(
        "const rows = Array.from({length: 5000}, (_, i) => ({i, text: String.fromCharCode(" +
        std::to_string(letter) +
        ") + i}));\n"
        "export default (step) => {\n"
        "  const seen = rows.map((row) => row.text).join('').length;\n"
        "  for (let i = step % 7; i < rows.length; i += 7) rows[i].text = 'written';\n"
        "  const empty = new Float64Array(40_000).every((number) => number === 0);\n"
        "  return rows[4999].text[0] === 'w' || rows[0].text[0] + seen + empty;\n"
        "};\n");
  };
  const Prepared prepared[] = {prepare('a'), prepare('b')};
  std::vector<std::pair<Execution, Value>> running;
  for (int i = 0; i < 300; ++i) {
    const int which = (i / 2 + i / 5) % 3;
    if (which == 2) {
      running.emplace_back(
          engine.execute("new Float64Array(200_000).every((number) => number === 0)"), Value(true));
    } else {
      const int step = i % 2 + 2;  // neither the first row nor the last is written
      running.emplace_back(engine.execute(prepared[which], {.input = Value(step)}),
                           Value((which == 0 ? "a" : "b") + std::string("23890true")));
    }
  }
  for (auto& [execution, expected] : running) {
    const Report report = execution.get();
    ASSERT_TRUE(report.ok) << report.error.message;
    EXPECT_EQ(report.result, expected);
  }
}

TEST(PreparedModule, HasNothingOfTheTextThatWasParsed) {
  Engine engine = engine_of_two();
  const std::string comment = "/*" + std::string(200'000, 'x') + "*/";
  const Result<Prepared> prepared = engine.prepare(comment + "export default (n) => n + 1");
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  EXPECT_LT(prepared->bytes(), 50'000u);
  EXPECT_EQ(engine.execute(*prepared, {.input = Value(1)}).get().result, Value(2));
}

TEST(PreparedModule, FailsLikeAProgram) {
  Engine engine = engine_of_two();
  const Result<Prepared> prepared = engine.prepare(
      "export default input => { if (input === 1) throw new TypeError('one');"
      "if (input === 2) { Promise.reject(new Error('two')); return tools.double(1) } for (;;); }",
      {.providers = {asking()}, .name = "task.js"});
  ASSERT_TRUE(prepared.has_value()) << prepared.error().detail;
  const Report thrown = engine.execute(*prepared, {.input = Value(1)}).get();
  EXPECT_EQ(thrown.error.message, "one");
  EXPECT_EQ(thrown.error.location->file, "task.js");
  const Report rejected =
      engine.execute(*prepared, {.providers = {asking()}, .input = Value(2)}).get();
  EXPECT_EQ(rejected.error.message, "two");
  Limits limits;
  limits.timeout = 50ms;
  EXPECT_EQ(engine.execute(*prepared, {.limits = limits, .input = Value(3)}).get().error.code,
            "timeout");
}

TEST(PreparedModule, MayExportItsResultAsItIsOrNothing) {
  Engine engine = engine_of_two();
  const Result<Prepared> value = engine.prepare("export default {a: 1}");
  EXPECT_EQ(engine.execute(*value).get().result, Value::object({{"a", 1}}));
  const Result<Prepared> none = engine.prepare("export const a = 1");
  const Report report = engine.execute(*none).get();
  EXPECT_TRUE(report.ok) << report.error.message;
  EXPECT_TRUE(report.result.is_undefined());
}

TEST(PreparedModule, ThatDoesNotLoadSaysWhy) {
  Engine engine = engine_of_two();
  const Result<Prepared> thrown =
      engine.prepare("throw new Error('no licence')", {.name = "task.js"});
  ASSERT_FALSE(thrown.has_value());
  EXPECT_THAT(thrown.error().detail, HasSubstr("no licence (task.js:1:"));
  Limits limits;
  limits.timeout = 50ms;
  const Result<Prepared> slow = engine.prepare("for (;;);", {.limits = limits});
  EXPECT_EQ(slow.error().code, Errc::timeout);
}

}  // namespace
}  // namespace cordon
