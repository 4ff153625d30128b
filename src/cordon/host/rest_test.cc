// What a program has begun and not awaited: it is waited for, and what is lost is told.

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/describe.h"
#include "cordon/engine.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RestOf : public testing::TestWithParam<EngineOptions> {
 protected:
  Engine engine = *Engine::create(GetParam());
  std::mutex mutex;
  std::vector<std::string> reached;  // inputs of calls, in the order of calling
  std::vector<Reply> held;
  Provider tools = make_tools();

  Provider make_tools() {
    Provider provider("tools");
    provider.add("now", [this](Value input) -> Result<Value> { return note(input), input; });
    provider.add_blocking("slow", [this](Value input) -> Result<Value> {
      note(input);
      std::this_thread::sleep_for(10ms);
      return input;
    });
    provider.add_blocking("fail", [this](Value input) -> Result<Value> {
      note(input);
      std::this_thread::sleep_for(5ms);
      return fail(ErrorCode::tool_error, "no such user");
    });
    provider.add_async("hold", [this](Value input, Reply reply) {
      note(input);
      const std::lock_guard lock(mutex);
      held.push_back(std::move(reply));
    });
    return provider;
  }

  void note(const Value& input) {
    const std::lock_guard lock(mutex);
    reached.push_back(input.is_string() ? std::string(input.as_string()) : "?");
  }

  Report run(std::string_view code, ExecuteOptions options = {}) {
    options.providers = {tools};
    options.name = "m.js";
    return engine.execute(code, std::move(options)).get();
  }

  // "unawaited_call 1:5", …
  static std::vector<std::string> warnings_in(const Report& report) {
    std::vector<std::string> all;
    for (const Warning& warning : report.warnings) {
      std::string text(name_of(warning.code));
      if (const auto& at = warning.location)
        text += " " + std::to_string(at->line) + ":" + std::to_string(at->column);
      all.push_back(std::move(text));
    }
    return all;
  }

  static std::vector<std::string> logs_of(const Report& report) {
    std::vector<std::string> all;
    for (const LogLine& line : report.logs) all.push_back(line.text);
    return all;
  }
};

TEST_P(RestOf, BringsCallsThatNobodyAwaitsToTheirTools) {
  for (const std::string_view tool : {"now", "slow"}) {
    reached.clear();
    const Report report = run("tools." + std::string(tool) + "('a'); 'done'");
    ASSERT_TRUE(report.ok()) << report.error.message;
    EXPECT_EQ(report.result, Value("done"));
    EXPECT_THAT(reached, ElementsAre("a")) << tool;
    EXPECT_TRUE(report.calls.at(0).ok);
    EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:7")) << tool;
  }
}

TEST_P(RestOf, WaitsForWhatFollowsFromThem) {
  const Report report =
      run("async function main() {\n"
          "  const first = await tools.slow('a');\n"
          "  console.log(await tools.now(first + 'b'));\n"
          "  console.log(await tools.slow(first + 'c'));\n"
          "}\n"
          "main().catch(console.error);\n"
          "'done'");
  EXPECT_EQ(report.result, Value("done"));
  EXPECT_THAT(reached, ElementsAre("a", "ab", "ac"));
  EXPECT_THAT(logs_of(report), ElementsAre("ab", "ac"));
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 2:29"));
}

TEST_P(RestOf, WaitsForEachOfAList) {
  const Report report =
      run("['a', 'b', 'c'].forEach(async (x) => console.log(await tools.slow(x))); 'done'");
  EXPECT_THAT(reached, testing::UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(logs_of(report), testing::UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:62"));
  EXPECT_THAT(describe(report.warnings.at(0)),
              HasSubstr("the result did not wait for 3 calls of tools.slow"));
}

TEST_P(RestOf, CountsCallsOfOneToolTogether) {
  const Report report = run("for (const x of 'abc') tools.slow(x);\ntools.now('d'); 1");
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:30", "unawaited_call 2:7"));
  EXPECT_THAT(describe(report.warnings.at(0)), HasSubstr("3 calls of tools.slow were not awaited"));
}

TEST_P(RestOf, FailsAProgramByAnErrorThatComesLate) {
  const Report report = run("tools.fail('a'); 'done'");
  EXPECT_EQ(report.error.code, ErrorCode::tool_error) << report.error.message;
  EXPECT_EQ(report.error.message, "no such user");
  const Report thrown = run("tools.slow('a').then(() => { throw new Error('late') }); 'done'");
  EXPECT_EQ(thrown.error.code, ErrorCode::runtime_error);
  EXPECT_EQ(thrown.error.message, "late");
  EXPECT_TRUE(run("tools.fail('a').catch(() => {}); 'done'").ok());
}

TEST_P(RestOf, RunsNothingOfAProgramThatHasFailed) {
  const Report report =
      run("tools.slow('a').then(() => { console.log('never'); tools.now('b') }); throw 'out'");
  EXPECT_EQ(report.error.message, "out");
  EXPECT_THAT(reached, ElementsAre("a"));
  EXPECT_THAT(report.logs, IsEmpty());
  EXPECT_TRUE(report.calls.at(0).ok) << "the call was waited for";
}

TEST_P(RestOf, KeepsTheResultWhereTheTimeIsOver) {
  const ExecuteOptions brief{.limits = {.time = {.total = 60ms}}};
  Report report = run("tools.hold('a'); 'done'", brief);
  EXPECT_EQ(report.result, Value("done")) << report.error.message;
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:7", "open_call"));
  EXPECT_FALSE(report.calls.at(0).ok);
  report = run("(async () => { for (;;) await tools.now('x') })(); 'done'", brief);
  EXPECT_EQ(report.result, Value("done")) << report.error.message;
  EXPECT_THAT(warnings_in(report),
              ElementsAre("unawaited_call 1:37",
                          testing::AnyOf(std::string("unfinished"), std::string("open_call"))));
  report = run("tools.slow('a').then(() => { for (;;); }); 'done'", brief);
  EXPECT_EQ(report.result, Value("done")) << report.error.message;
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:7", "unfinished"));
}

TEST_P(RestOf, IsNotHeldByTimers) {
  Report report = run(
      "const late = new Promise((_, no) => setTimeout(() => no(new Error('timeout')), 30000));\n"
      "await Promise.race([tools.slow('a'), late])");
  EXPECT_EQ(report.result, Value("a"));
  EXPECT_LT(report.duration, 20s);
  EXPECT_THAT(report.warnings, IsEmpty()) << "nobody misses the timer of a race that is over";
  report = run("setTimeout(() => console.log('later'), 30000); 'done'");
  EXPECT_EQ(report.result, Value("done"));
  EXPECT_LT(report.duration, 20s);
  EXPECT_THAT(warnings_in(report), ElementsAre("open_timer"));
  report = run("setTimeout(() => console.log('tick'), 1); tools.slow('a').then(() => 0); 'done'");
  EXPECT_THAT(logs_of(report), ElementsAre("tick")) << "they run while a call is open";
  EXPECT_THAT(warnings_in(report), ElementsAre("unawaited_call 1:49"));
}

TEST_P(RestOf, IsNoneByTheRulesOfExecbox) {
  const Report report = run("tools.hold('a'); const x = 1", {.program = ProgramRule::execbox});
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_THAT(reached, ElementsAre("a"));
  EXPECT_THAT(report.warnings, IsEmpty());
}

TEST_P(RestOf, CanBeCancelled) {
  ExecuteOptions options{.limits = {.time = {.total = 60s}}, .providers = {tools}};
  Execution execution = engine.execute("tools.hold('a'); 'done'", std::move(options));
  std::thread canceller([&] {
    for (;;) {
      const std::lock_guard lock(mutex);
      if (!held.empty()) break;
    }
    execution.cancel();
  });
  const Report report = execution.get();
  canceller.join();
  EXPECT_EQ(report.error.code, ErrorCode::cancelled);
}

TEST_P(RestOf, EndsAProgramThatWaitsInVainAtOnce) {
  const std::pair<std::string_view, const char*> programs[] = {
      {"await new Promise(() => {})", "1:1"},
      {"const x = 1;\nconst f = async () => {\n  await new Promise(() => {});\n};\nawait f();",
       "3:3"},
      {"async function main() { const all = await Promise.all([1, new Promise(() => {})]); }",
       "1:37"},
      {"export default async () => { await new Promise(() => {}) }", "1:30"},
      {"export const a = 1;\nawait new Promise(() => {});", "2:1"},
      {"await tools.now('a'); await { then() {} }", "1:23"},
  };
  for (const auto& [code, place] : programs) {
    const Report report = run(code, {.limits = {.time = {.total = 60s}}});
    EXPECT_EQ(report.error.code, ErrorCode::runtime_error) << code;
    EXPECT_EQ(report.error.message, "the program waits for a promise that nothing will settle")
        << code;
    ASSERT_TRUE(report.error.location) << code;
    EXPECT_EQ(std::to_string(report.error.location->line) + ":" +
                  std::to_string(report.error.location->column),
              place)
        << code;
    EXPECT_LT(report.duration, 30s);
  }
}

TEST_P(RestOf, SaysWhyThereIsNoResult) {
  const std::pair<std::string_view, std::string_view> programs[] = {
      {"const result = await tools.now('a')", "write `result` as its last line"},
      {"let a = 1, total = a + 1;", "write `total` as its last line"},
      {"const {a, b} = {a: 1, b: 2}", "write the value as its last line"},
      {"const x = 1;\nasync function main() { return x }", "write `await main()`"},
      {"const x = 1;\nfunction main() { return x }\n", "write `await main()`"},
      {"export async function handler() { return 1 }", "write `export default handler`"},
      {"export const answer = 42", "write `export default answer`"},
      {"const sent = true; if (sent) { 'sent' } else { 'failed' }", "write `return`"},
      {"try { await tools.fail('a') } catch (e) { e.message }", "write `return`"},
      {"for (const x of [1, 2]) { console.log(x); x * 2 }", "write `return`"},
      {"switch (1) { case 1: ({a: 1}); break; default: [1] }", "write `return`"},
  };
  for (const auto& [code, words] : programs) {
    const Report report = run(code);
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    EXPECT_THAT(warnings_in(report), ElementsAre("no_result")) << code;
    EXPECT_THAT(describe(report.warnings.at(0)), HasSubstr(std::string(words))) << code;
  }
}

TEST_P(RestOf, SaysNothingWhereAllIsAsMeant) {
  for (const std::string_view code : {
           "1 + 1",
           "console.log('only this')",
           "for (const x of [1]) console.log(x)",
           "const x = 1; x",
           "function f() { return 1 } f()",
           "function f() { console.log(1) } f()",
           "async () => { console.log(1) }",
           "async function main() { console.log(1) }",
           "const x = 1; if (x) console.log(x)",
           "let x = 1, o = {}; if (x) { x = 2; x++; --x; x ||= 3; o.n = x; delete o.n; [x] = [1]; "
           "({x} = {x: 1}); }",
           "let x = 1; for (const y of [1]) { x += y; x && console.log(x); new Set(); x ? f() : "
           "f(); } function f() {}",
           "const list = [2, 1]; if (list.length) { [list[0], list[1]] = [list[1], list[0]]; "
           "list.sort() }",
           "if (1) { 'sent' } 5",
           "if (1) { return 'sent' } 'not'; if (2) { 'x' }",
           "try { await tools.now('a') } catch { console.log('x') }",
           "const x = 1; export default x",
           "const x = 1; return x",
           "await tools.now('a')",
           "const p = tools.now('a'); await p; 1",
           "const [a] = await Promise.all(['a'].map(tools.slow)); a",
           "await Promise.all(['a', 'b'].map((x) => tools.slow(x)))",
           "const p = tools.slow('a'); await tools.now('b'); await p",
           "(await Promise.allSettled([tools.fail('a')])).length",
           "await Promise.race([tools.slow('a'), tools.now('b')])",
           "const late = async () => { await tools.slow('a'); return 1 };\n"
           "await Promise.race([late(), tools.now('b')])",
           "await Promise.any([tools.slow('a').then((x) => x), tools.now('b')])",
           "for await (const x of [tools.slow('a')]) console.log(x)",
           "return tools.slow('a')",
           "tools.slow('a')",
           "AbortSignal.timeout(1000).aborted",
           "clearTimeout(setTimeout(() => console.log('x'), 1000)); 1",
           "setTimeout(() => console.log('x'), 1); await new Promise((r) => setTimeout(r, 10)); 1",
       }) {
    const Report report = run(code);
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    EXPECT_THAT(warnings_in(report), IsEmpty()) << code;
  }
}

TEST_P(RestOf, TellsOfArgumentsThatNoToolGets) {
  const Report report = run("await tools.now('a', {urgent: true})");
  EXPECT_THAT(warnings_in(report), ElementsAre("ignored_argument 1:13"));
  EXPECT_THAT(describe(report.warnings.at(0)), HasSubstr("write one object, `tools.now({…})`"));
  EXPECT_THAT(warnings_in(run("await tools.now('a', undefined)")), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engines, RestOf,
                         testing::Values(EngineOptions{.workers = 0}, EngineOptions{.workers = 2},
                                         EngineOptions{.workers = 1, .hibernate_after = 0ms}),
                         [](const auto& info) {
                           return info.index == 0   ? "Driven"
                                  : info.index == 1 ? "WithWorkers"
                                                    : "Hibernating";
                         });

}  // namespace
}  // namespace cordon
