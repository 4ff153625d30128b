// The types of a program and of what it imports are stripped under the limits of its execution.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/engine.h"
#include "cordon/host/stripping.h"
#include "cordon/host/typescript_service.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

using Modules = std::map<std::string, std::string, std::less<>>;

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Each level doubles what the parser tries: nobody sees the end of it.
std::string endless() {
  return "export const q: any = " + repeated("<a>(", 40) + "1" + std::string(40, ')') + ";\n";
}

// A megabyte in thirty thousand lines: some 30 MiB while it is parsed.
std::string many_lines() { return repeated("f = (x?: Array<number>): void => {};\n", 30'000); }

const Modules& modules() {
  static const Modules all = {{"./endless.ts", endless()},
                              {"./large.ts", "let f: any;\n" + many_lines() + "export default 7"},
                              {"./small.ts", "export const one: number = 1"},
                              {"./required.ts", "const a = 1;\n  import b = require('b')"},
                              {"./wrong.ts", "export const a: number = ;"}};
  return all;
}

// Every way to come upon a text that takes for ever.
const std::pair<const char*, const char*> ways[] = {
    {"main.js", "import { q } from './endless.ts'; q"},
    {"main.js", "const { q } = await import('./endless.ts'); q"},
    {"main.js", "import { one } from './small.ts'; (await import('./endless.ts')).q + one"},
    {"main.js", "import('./endless.ts'); await new Promise(() => {})"},
    {"main.js", "setTimeout(() => import('./endless.ts'), 1); await new Promise(() => {})"},
};

Engine driven() { return *Engine::create({.workers = 0, .slots = 32}); }

void run_until(Engine& engine, const std::function<bool()>& over) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!over()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    engine.run_some(5ms);
  }
}

void run_turns(Engine& engine, int turns) {
  for (int i = 0; i < turns; ++i) engine.run_some(1ms);
}

TEST(ImportedTypes, EndAtTheTimeout) {
  Engine engine = driven();
  for (const auto& [name, code] : ways) {
    const Report report =
        engine
            .execute(code,
                     {.limits = {.time = {.total = 50ms}}, .name = name, .modules = modules()})
            .get();
    EXPECT_EQ(report.error.code, ErrorCode::timeout) << code;
  }
  const Report report =
      engine.execute(endless(), {.limits = {.time = {.total = 50ms}}, .name = "main.ts"}).get();
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
}

TEST(ImportedTypes, EndAtTheirOwnTimeAndAtProcessorTime) {
  Engine engine = driven();
  for (const auto& [name, code] : ways) {
    for (const Limits& limits : {Limits{.time = {.total = {}, .computing = 50ms}},
                                 Limits{.time = {.total = {}, .cpu = 50ms}}}) {
      const Report report =
          engine.execute(code, {.limits = limits, .name = name, .modules = modules()}).get();
      EXPECT_EQ(report.error.code, ErrorCode::timeout) << code;
      EXPECT_GE(report.computing_time, limits.time.computing.value_or(0ms)) << code;
    }
  }
}

TEST(ImportedTypes, EndWhenTheyAreCancelled) {
  Engine engine = *Engine::create({.workers = 1});
  for (const auto& [name, code] : ways) {
    Execution execution = engine.execute(
        code, {.limits = {.time = {.total = {}}}, .name = name, .modules = modules()});
    std::this_thread::sleep_for(20ms);
    execution.cancel();
    EXPECT_EQ(execution.get().error.code, ErrorCode::cancelled) << code;
  }
}

TEST(ImportedTypes, EndWithTheirEngine) {
  std::optional<std::future<Report>> report;
  {
    Engine engine = *Engine::create({.workers = 1});
    report =
        engine.execute(ways[0].second, {.limits = {.time = {.total = {}}}, .modules = modules()})
            .future();
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(report->get().error.code, ErrorCode::cancelled);
}

TEST(ImportedTypes, LetOthersRunMeanwhile) {
  int ended = 0;  // the engine's end ends those that are left
  Engine engine = driven();
  for (const auto& [name, code] : ways) {
    engine.execute(code, {.limits = {.time = {.total = {}}}, .name = name, .modules = modules()})
        .then([&](const Report&) { ++ended; });
  }
  for (int i = 0; i < 50; ++i) {
    std::optional<Report> report;
    engine.execute("1 + 1").then([&](Report made) { report = std::move(made); });
    run_until(engine, [&] { return report.has_value(); });
    EXPECT_EQ(report->result, Value(2));
  }
  EXPECT_EQ(ended, 0);
}

TEST(ImportedTypes, OfAModuleEndAtTheTimeoutOfItsLoading) {
  Engine engine = driven();
  const ExecuteOptions options{.limits = {.time = {.total = 50ms}}, .modules = modules()};
  const auto loaded = engine.load("import './endless.ts'; export const f = () => 1", options);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, ErrorCode::timeout);
}

TEST(ImportedTypes, OfAKeptModulesCallEndItAtItsTimeout) {
  Engine engine = driven();
  const Module module = *engine.load("export const f = () => import('./endless.ts')",
                                     {.limits = {.time = {.total = 100ms}}, .modules = modules()});
  const Provider provider = module.keep()->provider("p");
  const Report report =
      engine.execute("await p.f()", {.limits = {.time = {.total = {}}}, .providers = {provider}})
          .get();
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
}

TEST(ImportedTypes, AreStrippedInTheGuestsMemoryLimit) {
  Engine engine = driven();
  for (const char* code : {"import seven from './large.ts'; seven",
                           "try { await import('./large.ts') } catch { 'caught' }",
                           "import('./large.ts').catch(() => 1).then(() => 2)"}) {
    const Report report =
        engine
            .execute(code, {.limits = {.time = {.total = 30s}, .memory_bytes = 16 << 20},
                            .modules = modules()})
            .get();
    EXPECT_EQ(report.error.code, ErrorCode::memory_limit) << code;
    EXPECT_EQ(report.error.message,
              "Memory limit of 16777216 bytes exceeded while the types of ./large.ts were stripped")
        << code;
  }
  const Report enough = engine
                            .execute("import seven from './large.ts'; seven",
                                     {.limits = {.time = {.total = 30s}}, .modules = modules()})
                            .get();
  EXPECT_EQ(enough.result, Value(7)) << enough.error.message;
}

// Memory that the guest has taken cannot be taken twice.
TEST(ImportedTypes, HaveWhatTheGuestHasLeft) {
  Engine engine = driven();
  const auto run = [&](const std::string& before) {
    return engine
        .execute(
            before + "; (await import('./large.ts')).default",
            {.limits = {.time = {.total = 30s}, .memory_bytes = 100 << 20}, .modules = modules()})
        .get();
  };
  EXPECT_EQ(run("").result, Value(7));
  EXPECT_EQ(run("globalThis.kept = new Uint8Array(80 << 20)").error.code, ErrorCode::memory_limit);
}

TEST(ImportedTypes, OfAProgramAreStrippedInItsMemoryLimit) {
  Engine engine = driven();
  const ExecuteOptions options{.limits = {.time = {.total = 30s}, .memory_bytes = 16 << 20},
                               .name = "main.ts"};
  const Report named = engine.execute(many_lines(), options).get();
  EXPECT_EQ(named.error.code, ErrorCode::memory_limit);
  EXPECT_THAT(named.error.message, HasSubstr("the types of main.ts"));
  // Nobody said that it is TypeScript: the error is JavaScript's, and the hint says what may be.
  const Report unnamed =
      engine.execute(many_lines(), {.limits = options.limits, .name = "main.js"}).get();
  EXPECT_EQ(unnamed.error.code, ErrorCode::syntax_error);
  EXPECT_THAT(unnamed.error.hint, AllOf(HasSubstr("TypeScript"), HasSubstr("memory limit")));
}

TEST(ImportedTypes, OfASmallModuleFitASmallGuest) {
  Engine engine = driven();
  for (const std::uint64_t bytes : {1U << 20, 3U << 20, 8U << 20}) {
    const Report report =
        engine
            .execute("import { one } from './small.ts'; const two: number = one + 1; two",
                     {.limits = {.memory_bytes = bytes}, .modules = modules()})
            .get();
    EXPECT_EQ(report.result, Value(2)) << bytes << ": " << report.error.message;
  }
}

// As many as are stripped at once, and for ever.
std::vector<Execution> hogs_in(Engine& engine) {
  std::vector<Execution> hogs;
  for (std::size_t i = 0; i < host::TypeScriptService::min_places; ++i) {
    hogs.push_back(
        engine.execute(ways[0].second, {.limits = {.time = {.total = {}}}, .modules = modules()}));
  }
  run_turns(engine, 20);
  return hogs;
}

TEST(ImportedTypes, AreStrippedFewAtATime) {
  Engine engine = driven();
  std::vector<Execution> hogs = hogs_in(engine);
  std::optional<Report> waiting;
  engine
      .execute("import { one } from './small.ts'; one",
               {.limits = {.time = {.total = {}, .computing = 1s}}, .modules = modules()})
      .then([&](Report report) { waiting = std::move(report); });
  std::optional<Report> program;
  engine.execute("const two: number = 2; two", {.limits = {.time = {.total = {}}}, .name = "a.ts"})
      .then([&](Report report) { program = std::move(report); });
  run_turns(engine, 50);
  EXPECT_FALSE(waiting.has_value());
  EXPECT_FALSE(program.has_value());
  EXPECT_EQ(engine.figures().waiting, 2u) << "without a turn";

  hogs.back().cancel();
  run_until(engine, [&] { return waiting && program; });
  EXPECT_EQ(waiting->result, Value(1)) << waiting->error.message;
  EXPECT_EQ(program->result, Value(2)) << program->error.message;
}

TEST(ImportedTypes, WaitForTheirPlaceUnderTheDeadlineAndCanBeCancelled) {
  Engine engine = driven();
  std::vector<Execution> hogs = hogs_in(engine);
  const char* const code = "setTimeout(() => {}, 1); import { one } from './small.ts'; one";
  const Report late =
      engine.execute(code, {.limits = {.time = {.total = 50ms}}, .modules = modules()}).get();
  EXPECT_EQ(late.error.code, ErrorCode::timeout);
  std::optional<Report> cancelled;
  Execution execution =
      engine.execute(code, {.limits = {.time = {.total = {}}}, .modules = modules()});
  execution.then([&](Report report) { cancelled = std::move(report); });
  run_turns(engine, 20);
  execution.cancel();
  ASSERT_TRUE(cancelled.has_value());
  EXPECT_EQ(cancelled->error.code, ErrorCode::cancelled);
  // Those two left the queue: the next place is for who comes now.
  std::optional<Report> next;
  engine.execute(code, {.limits = {.time = {.total = {}}}, .modules = modules()})
      .then([&](Report report) { next = std::move(report); });
  run_turns(engine, 20);
  EXPECT_FALSE(next.has_value());
  hogs.front().cancel();
  run_until(engine, [&] { return next.has_value(); });
  EXPECT_EQ(next->result, Value(1)) << next->error.message;
}

TEST(ImportedTypes, KeepTheirErrorsWithTheirPlaces) {
  Engine engine = driven();
  const std::pair<const char*, SourceLocation> refused[] = {
      {"import './required.ts'", {"./required.ts", 2, 3}},
      {"import './wrong.ts'", {"./wrong.ts", 1, 26}},
  };
  for (const auto& [code, place] : refused) {
    const Report report = engine.execute(code, {.modules = modules()}).get();
    EXPECT_EQ(report.error.code, ErrorCode::syntax_error) << code;
    ASSERT_TRUE(report.error.location.has_value()) << code;
    EXPECT_EQ(report.error.location->file, place.file) << code;
    EXPECT_EQ(report.error.location->line, place.line) << code;
    EXPECT_EQ(report.error.location->column, place.column) << code;
  }
  EXPECT_EQ(
      engine.execute("await import('./required.ts').catch((e) => e.name)", {.modules = modules()})
          .get()
          .result,
      Value("SyntaxError"));
}

// A guest in the middle of an import cannot be put aside; its answers wait.
TEST(ImportedTypes, AreNoReasonToSleep) {
  Engine engine =
      *Engine::create({.workers = 0, .slots = 32, .hibernate_after = std::chrono::milliseconds(0)});
  std::vector<Execution> hogs = hogs_in(engine);
  Provider tools("tools");
  std::vector<Reply> held;
  tools.add_async("hold", [&](Value, Reply reply) { held.push_back(std::move(reply)); });
  std::optional<Report> report;
  engine
      .execute(
          "const answer = tools.hold(); const { one } = await import('./small.ts');"
          "one + await answer",
          {.limits = {.time = {.total = {}}}, .providers = {tools}, .modules = modules()})
      .then([&](Report made) { report = std::move(made); });
  run_until(engine, [&] { return !held.empty(); });
  run_turns(engine, 20);
  EXPECT_EQ(engine.figures().hibernated, 0u);
  held.front()(Value(41));
  run_turns(engine, 20);
  EXPECT_FALSE(report.has_value());
  hogs.front().cancel();
  run_until(engine, [&] { return report.has_value(); });
  EXPECT_EQ(report->result, Value(42)) << report->error.message;
}

}  // namespace
}  // namespace cordon
