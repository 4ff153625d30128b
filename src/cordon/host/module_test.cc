#include "cordon/module.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"
#include "cordon/host/module_provider.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Provider doubling() {
  Provider tools("tools");
  tools.add("double", [](Value in) -> Result<Value> { return in.value_or(0) * 2; });
  return tools;
}

// Every rule holds for an engine that its caller drives, for one with workers, and for one without
// a pool.
class ModuleOf : public testing::TestWithParam<EngineOptions> {
 protected:
  Engine engine = *Engine::create(GetParam());

  Module load(std::string_view text, ExecuteOptions options = {}) {
    Result<Module> loaded = engine.load(text, std::move(options));
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return *std::move(loaded);
  }
  KeptModule keep(std::string_view text, ExecuteOptions options = {}) {
    Result<KeptModule> kept = load(text, std::move(options)).keep();
    if (!kept) throw std::runtime_error(kept.error().message);
    return *std::move(kept);
  }
  Report run(std::string_view code, const Provider& provider) {
    return engine.execute(code, {.providers = {provider}}).get();
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, ModuleOf,
                         testing::Values(EngineOptions{.workers = 0, .slots = 4},
                                         EngineOptions{.workers = 2, .slots = 4},
                                         EngineOptions{.workers = 0, .slots = 4, .pool = false}));

TEST_P(ModuleOf, NamesTheFunctionsThatItExports) {
  const Module module = load(
      "export const one = 1; export function a() {} export const b = async () => 1;"
      "export class C {} export default () => 1");
  EXPECT_THAT(module.functions(), UnorderedElementsAre("a", "b", "C", "default"));
  EXPECT_TRUE(module.has("default"));
  EXPECT_FALSE(module.has("one"));
}

TEST_P(ModuleOf, CallsAFunctionByItsName) {
  const Module module = load(
      "export const add = ({a, b}) => a + b; export const later = async (x) => [x];"
      "export const all = (...given) => given.join(); export default (x) => typeof x");
  EXPECT_EQ(module.call("add", Value::object({{"a", 1}, {"b", 2}})).get().result, Value(3));
  EXPECT_EQ(module.call("later", "x").get().result, Value::array({"x"}));
  EXPECT_EQ(module.call("default").get().result, Value("undefined"));
  EXPECT_EQ(module.apply("all", {}).get().result, Value(""));
  EXPECT_EQ(module.apply("all", {1, "b", 3}).get().result, Value("1,b,3"));
  const Report many = module.apply("all", std::vector<Value>(9)).get();
  EXPECT_THAT(many.error.message, HasSubstr("8 arguments"));
}

TEST_P(ModuleOf, StartsEachCallFromTheSameState) {
  const Module module = load(
      "const table = new Map(); for (let i = 0; i < 100; ++i) table.set(i, i * i); let calls = 0;"
      "export default async function (input) {"
      "  const twice = await tools.double(table.get(input));"
      "  return [++calls, twice, Math.random()]; }",
      {.providers = {doubling()}});
  EXPECT_GT(module.bytes(), 1000u);
  std::set<double> random;
  for (int i = 0; i < 5; ++i) {
    const Report report = module.call("default", i).get();
    ASSERT_TRUE(report.ok()) << report.error.message;
    EXPECT_EQ(report.result[0], Value(1));
    EXPECT_EQ(report.result[1], Value(2 * i * i));
    random.insert(report.result[2].value_or(0.0));
  }
  EXPECT_EQ(random.size(), 5u);
}

TEST_P(ModuleOf, HasTheOptionsOfItsLoadingUnlessOthersAreGiven) {
  std::vector<std::string> lines;
  std::mutex mutex;
  ExecuteOptions options{.providers = {doubling()}, .input = Value("of the loading")};
  options.on_log = [&](const LogLine& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line.text);
  };
  const Module module = load(
      "console.log('loads', input); export default async (x) => { console.log('runs', x);"
      "return tools.double(x) }",
      options);
  EXPECT_EQ(module.call("default", 2).get().result, Value(4));
  EXPECT_THAT(lines, ElementsAre("loads of the loading", "runs 2"));

  const Report without = module.call("default", 2, {}).get();
  EXPECT_EQ(without.error.message, "the tool tools.double was not given to this execution");
  EXPECT_EQ(lines.size(), 2u);
}

TEST_P(ModuleOf, FailsWhereItHasNoSuchFunction) {
  const Module module = load("export const one = 1; export const f = () => 1");
  for (const char* name : {"g", "one", "__proto__", ""}) {
    const Report report = module.call(name).get();
    EXPECT_FALSE(report.ok());
    EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
    EXPECT_EQ(report.error.message, "the module exports no function '" + std::string(name) + "'");
  }
}

TEST_P(ModuleOf, MayExportItsResultAsItIsOrNothing) {
  EXPECT_EQ(load("export default {a: 1}").call("default").get().result, Value::object({{"a", 1}}));
  const Report none = load("export const a = 1").call("default").get();
  EXPECT_TRUE(none.ok()) << none.error.message;
  EXPECT_TRUE(none.result.is_undefined());
}

TEST_P(ModuleOf, FailsLikeAProgram) {
  const Module module = load(
      "export default input => { if (input === 1) throw new TypeError('one');"
      "if (input === 2) { Promise.reject(new Error('two')); return tools.double(1) } for (;;); }",
      {.providers = {doubling()}, .name = "task.js"});
  const Report thrown = module.call("default", 1).get();
  EXPECT_EQ(thrown.error.message, "one");
  EXPECT_EQ(thrown.error.location->file, "task.js");
  EXPECT_EQ(module.call("default", 2).get().error.message, "two");
  EXPECT_EQ(module.call("default", 3, {.limits = {.time = {.total = 50ms}}}).get().error.code,
            ErrorCode::timeout);
}

TEST_P(ModuleOf, ThatDoesNotLoadSaysWhy) {
  const Result<Module> thrown = engine.load("throw new Error('no licence')", {.name = "task.js"});
  ASSERT_FALSE(thrown.has_value());
  EXPECT_EQ(thrown.error().code, ErrorCode::runtime_error);
  EXPECT_THAT(thrown.error().message, HasSubstr("no licence (task.js:1:"));
  EXPECT_THAT(engine.load("export function (", {.name = "task.js"}).error().message,
              HasSubstr("task.js:1"));
}

TEST_P(ModuleOf, ObeysEachClockWhileItLoadsAndInEachCall) {
  const std::string_view endless = "for (;;);";
  for (const Limits& limits :
       {Limits{.time = {.total = 30ms}}, Limits{.time = {.total = {}, .computing = 30ms}},
        Limits{.time = {.total = {}, .cpu = 30ms}}}) {
    EXPECT_EQ(engine.load(endless, {.limits = limits}).error().code, ErrorCode::timeout);
    const Module module = load("export const f = () => { for (;;); }");
    EXPECT_EQ(module.call("f", {}, {.limits = limits}).get().error.code, ErrorCode::timeout);
  }
  // Waits for a tool count in total alone.
  Provider slow("slow");
  slow.add_blocking("wait", [](Value) -> Result<Value> {
    std::this_thread::sleep_for(100ms);
    return 1;
  });
  const Module waits = load("export const f = () => slow.wait()", {.providers = {slow}});
  const auto wait = [&](const Limits& limits) {
    return waits.call("f", {}, {.limits = limits, .providers = {slow}}).get();
  };
  EXPECT_EQ(wait({.time = {.total = 30ms}}).error.code, ErrorCode::timeout);
  EXPECT_EQ(wait({.time = {.total = {}, .computing = 90ms, .cpu = 90ms}}).result, Value(1));
}

TEST_P(ModuleOf, ImportsLaterWhatItWasLoadedWith) {
  const Module module =
      load("export default async (name) => (await import(`./${name}.js`)).default",
           {.modules = {{"./one.js", "export default 1"}, {"./two.js", "export default 2"}}});
  EXPECT_EQ(module.call("default", "two", {}).get().result, Value(2));
  EXPECT_THAT(module.call("default", "six", {}).get().error.message,
              HasSubstr("there is ./one.js, ./two.js"));
}

// Its memory is mapped and not copied, and nobody can tell.
TEST(Module, MayBeLarge) {
  Engine engine = *Engine::create({.workers = 0, .slots = 1});
  const Result<Module> module = engine.load(
      "const rows = Array.from({length: 20000}, (_, i) => ({i, text: 'row ' + i}));"
      "export default (n) => { const before = rows[n].i; rows[n].i = -1; rows.push(1);"
      "return [before, rows[n].text, rows.length, rows.reduce((sum, r) => sum + (r.i ?? 0), "
      "0)].join() }");
  ASSERT_TRUE(module.has_value()) << module.error().message;
  EXPECT_GT(module->bytes(), 1u << 20);
  for (int i = 0; i < 5; ++i) {
    const Report report = module->call("default", 7).get();
    ASSERT_TRUE(report.ok()) << report.error.message;
    EXPECT_EQ(report.result, Value("7,row 7,20001,199989992"));
    // Another program in the same slot, with as much memory.
    EXPECT_EQ(engine.execute("new Uint8Array(4e6).every((byte) => byte === 0)").get().result,
              Value(true));
  }
  EXPECT_EQ(module->call("default", 7, {.limits = {.memory_bytes = 2u << 20}}).get().error.code,
            ErrorCode::memory_limit);
}

// Slots keep what their guests began with, so all that can follow each other do.
TEST(Module, SharesItsSlotsWithAnyOther) {
  Engine engine = *Engine::create({.workers = 2, .slots = 4});
  const auto load = [&](int letter) {
    return *engine.load(
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
  const Module modules[] = {load('a'), load('b')};
  std::vector<std::pair<Execution, Value>> running;
  for (int i = 0; i < 300; ++i) {
    const int which = (i / 2 + i / 5) % 3;
    if (which == 2) {
      running.emplace_back(
          engine.execute("new Float64Array(200_000).every((number) => number === 0)"), Value(true));
    } else {
      const int step = i % 2 + 2;  // neither the first row nor the last is written
      running.emplace_back(modules[which].call("default", step),
                           Value((which == 0 ? "a" : "b") + std::string("23890true")));
    }
  }
  for (auto& [execution, expected] : running) {
    const Report report = execution.get();
    ASSERT_TRUE(report.ok()) << report.error.message;
    EXPECT_EQ(report.result, expected);
  }
}

TEST(Module, HasNothingOfTheTextThatWasParsed) {
  Engine engine = *Engine::create_one_shot();
  const std::string comment = "/*" + std::string(200'000, 'x') + "*/";
  const Result<Module> module = engine.load(comment + "export default (n) => n + 1");
  ASSERT_TRUE(module.has_value()) << module.error().message;
  EXPECT_LT(module->bytes(), 50'000u);
  EXPECT_EQ(module->call("default", 1).get().result, Value(2));
}

TEST(Module, RunsOnAnyEngineWhileTheOneThatLoadedItMayBeGone) {
  std::optional<Engine> loader = *Engine::create_one_shot();
  const Module loaded = *loader->load("let n = 0; export const next = () => ++n");
  Engine driven = *Engine::create({.workers = 0});
  Engine threaded = *Engine::create({.workers = 2});
  loader.reset();
  EXPECT_EQ(loaded.call("next").get().error.code, ErrorCode::overloaded) << "its engine is gone";
  for (const Module& module : {loaded.on(driven), loaded.on(threaded)}) {
    EXPECT_THAT(module.functions(), ElementsAre("next"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(module.call("next").get().result, Value(1));
    const Result<KeptModule> kept = module.keep();
    ASSERT_TRUE(kept.has_value()) << kept.error().message;
    for (int i = 1; i < 4; ++i) EXPECT_EQ(kept->call("next"), Value(i));
  }
}

TEST(Module, KeepsNoThreadOfAnEngineThatIsGone) {
  const auto threads = [] {
    const std::filesystem::directory_iterator all("/proc/self/task");
    return std::distance(begin(all), end(all));
  };
  const auto before = threads();
  std::optional<Module> module;
  {
    Engine engine = *Engine::create({.workers = 2, .slots = 2});
    module.emplace(*engine.load("export const one = () => 1"));
    EXPECT_GT(threads(), before);
  }
  EXPECT_EQ(threads(), before);
  EXPECT_TRUE(module->has("one"));
}

// Kept modules.

TEST_P(ModuleOf, KeepsItsStateFromCallToCall) {
  const Module module = load("let n = 10; export const next = (by = 1) => (n += by)");
  const Result<KeptModule> one = module.keep();
  const Result<KeptModule> two = module.keep();
  EXPECT_THAT(one->functions(), ElementsAre("next"));
  EXPECT_EQ(one->call("next"), Value(11));
  EXPECT_EQ(one->call("next", 5), Value(16));
  EXPECT_EQ(two->call("next"), Value(11)) << "each is its own";
  EXPECT_EQ(module.call("next").get().result, Value(11));
  EXPECT_EQ(one->call("next"), Value(17));
}

TEST_P(ModuleOf, TellsWhatFailedInACallThatIsKept) {
  const KeptModule kept = keep(
      "export const bad = () => { throw new Error('no') }; export const big = () => 1n;"
      "export const one = () => 1");
  EXPECT_EQ(kept.call("bad").error().message, "no");
  EXPECT_EQ(kept.call("big").error().code, ErrorCode::serialization_error);
  EXPECT_EQ(kept.call("none").error().message, "the module exports no function 'none'");
  EXPECT_EQ(kept.call("one"), Value(1));
}

TEST_P(ModuleOf, GoesOnWithTheTimersOfItsTopLevelWhereItIsKept) {
  const KeptModule kept = keep(
      "let ticks = 0; const due = new Promise((done) => setTimeout(() => done(++ticks), 20));"
      "export const wait = () => due");
  EXPECT_EQ(kept.call("wait"), Value(1));
  EXPECT_EQ(kept.call("wait"), Value(1));
}

TEST_P(ModuleOf, EndsAKeptOneThatComputesWithoutEnd) {
  for (const Limits& limits :
       {Limits{.time = {.total = 300ms}}, Limits{.time = {.total = 10s, .computing = 100ms}},
        Limits{.time = {.total = 10s, .cpu = 100ms}}}) {
    const Module module =
        load("export const forever = () => { for (;;); }; export const one = () => 1");
    const Result<KeptModule> kept = module.keep({.limits = limits});
    ASSERT_TRUE(kept.has_value()) << kept.error().message;
    EXPECT_EQ(kept->call("forever").error().code, ErrorCode::timeout);
    EXPECT_EQ(kept->call("one").error().code, ErrorCode::tool_error) << "it is gone";
  }
}

TEST_P(ModuleOf, CountsEachStretchOfComputingWhereItIsKept) {
  const Module module = load(
      "export const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); }");
  const Result<KeptModule> kept =
      module.keep({.limits = {.time = {.total = 400ms, .computing = 400ms, .cpu = 400ms}}});
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(kept->call("spin", 40)) << i;
}

TEST_P(ModuleOf, AnswersEachOfManyCallsWhateverSettlesFirst) {
  const Provider door = keep(
                            "const waiting = [];\n"
                            "export const wait = (n) => new Promise("
                            "(yes, no) => waiting.push([n, yes, no]));\n"
                            "export const open = () => {\n"
                            "  for (const [n, yes, no] of waiting.reverse())\n"
                            "    n % 3 ? yes(n) : no(new Error('no ' + n));\n"
                            "  return waiting.splice(0).length }")
                            .provider("door");
  // Twice, so that what the first calls left is used again; ten thousand may wait at once.
  const Report report =
      engine
          .execute(
              "const round = async (count) => {\n"
              "  const calls = Array.from({length: count}, (_, n) => door.wait(n));\n"
              "  const opened = await door.open();\n"
              "  const ends = await Promise.allSettled(calls);\n"
              "  return opened === count && ends.every((end, n) => n % 3 ? end.value === n :\n"
              "    end.reason.message === 'no ' + n) }\n"
              "[await round(9999), await round(5), await round(300)]",
              {.limits = {.time = {.total = 60s}}, .providers = {door}})
          .get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({true, true, true}));
}

// Providers.

TEST_P(ModuleOf, IsAProviderThatRemembersWhereItIsKept) {
  const Provider counter = keep(
                               "let n = 0; export function next() { return ++n }"
                               "export function bad() { throw new Error('no') }"
                               "export const big = () => 1n; export const nothing = () => {}")
                               .provider("counter");
  Report report =
      run("[await counter.next(), await counter.next(), (await counter.nothing()) === undefined]",
          counter);
  EXPECT_EQ(report.result, Value::array({1, 2, true})) << report.error.message;
  EXPECT_EQ(run("await counter.next()", counter).result, Value(3));
  report = run("await counter.bad()", counter);
  EXPECT_EQ(report.error.code, ErrorCode::tool_error);
  EXPECT_EQ(report.error.message, "no");
  EXPECT_EQ(run("await counter.big()", counter).error.code, ErrorCode::serialization_error);
}

TEST_P(ModuleOf, IsAProviderThatForgetsWhereItIsNot) {
  const Provider counter = load(
                               "let n = 0; export function next() { return ++n }"
                               "export function bad() { throw new Error('no') }"
                               "export const big = () => 1n")
                               .provider("counter");
  EXPECT_EQ(run("[await counter.next(), await counter.next()]", counter).result,
            Value::array({1, 1}));
  const Report report = run("await counter.bad()", counter);
  EXPECT_EQ(report.error.code, ErrorCode::tool_error);
  EXPECT_EQ(report.error.message, "no");
  EXPECT_EQ(run("await counter.big()", counter).error.code, ErrorCode::serialization_error);
}

TEST_P(ModuleOf, TellsItsToolsWhoCallsThem) {
  const Module module = load(
      "export const who = (input, context) => { console.log('asked'); return [input, context] }",
      {.values = ValueRule::rich});
  std::string logged;
  std::mutex mutex;
  const Provider provider = host::provider_of(
      module, "tools",
      {.has_context = true,
       .on_log = [&](std::string_view function, const CallOrigin& origin, const LogLine& line) {
         const std::lock_guard lock(mutex);
         logged = std::string(function) + " " + origin.request_id + " " + line.text;
       }});
  ExecuteOptions options{.providers = {provider}, .values = ValueRule::rich};
  options.origin.request_id = "r1";
  const Report report = engine.execute("await tools.who(7)", options).get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result[0], Value(7));
  EXPECT_EQ(report.result[1]["requestId"], Value("r1"));
  EXPECT_TRUE(report.result[1]["traceparent"].is_undefined());
  EXPECT_EQ(logged, "who r1 asked");
}

TEST(KeptModule, ReleasesItsSandboxWithItsLastExecution) {
  for (const std::size_t workers : {0u, 2u}) {
    Engine engine = *Engine::create({.workers = workers});
    std::atomic<bool> ended = false;
    {
      const Provider one = engine.load("export const one = () => 1")->keep()->provider("one");
      engine.execute("await one.one()", {.providers = {one}}).then([&](Report) { ended = true; });
    }
    while (!ended) engine.run_some(1ms);
    for (int i = 0; i < 2000 && engine.figures().running > 0; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(engine.figures().running, 0u);
  }
}

TEST(KeptModule, IsRefusedWhereTheEngineIsFull) {
  Engine engine = *Engine::create({.workers = 1, .slots = 1, .queue = 0});
  const Module module = *engine.load("export const one = () => 1");
  const Result<KeptModule> first = module.keep();
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_FALSE(module.keep().has_value());
  EXPECT_EQ(module.call("one").get().error.code, ErrorCode::overloaded);
  EXPECT_EQ(first->call("one"), Value(1));
}

}  // namespace
}  // namespace cordon
