#include "cordon/engine.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/value/value_builder.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Every rule holds for an engine that its caller drives, for one with workers, and for one without
// a pool.
class EngineOf : public testing::TestWithParam<EngineOptions> {
 protected:
  Engine engine = *Engine::create(GetParam());
  Provider tools = make_tools();
  std::vector<Value> kept;
  std::vector<Reply> held;
  std::mutex mutex;

  Provider make_tools() {
    Provider provider("tools");
    provider.add("echo", [](Value input) -> Result<Value> { return input; });
    provider.add("fail", [](Value input) -> Result<Value> {
      return fail(ErrorCode::tool_error, std::string(input.as_string()));
    });
    provider.add("throws",
                 [](Value) -> Result<Value> { throw std::runtime_error("thrown in C++"); });
    provider.add("date", [](Value) -> Result<Value> { return Value::date(0); });
    provider.add_blocking("slow", [](Value input) -> Result<Value> {
      std::this_thread::sleep_for(5ms);
      return input;
    });
    provider.add("task", [](Value input) -> Coroutine<Result<Value>> { co_return input; });
    provider.add_async("hold", [this](Value, Reply reply) {
      const std::lock_guard lock(mutex);
      held.push_back(std::move(reply));
    });
    provider.add_async("keep", [this](Value input, Reply reply) {
      const std::lock_guard lock(mutex);
      kept.push_back(std::move(input));
      held.push_back(std::move(reply));
    });
    provider.add_async("drop", [](Value, Reply) {});
    return provider;
  }

  Report run(std::string_view code, ExecuteOptions options = {}) {
    options.providers = {tools};
    return engine.execute(code, std::move(options)).get();
  }
};

TEST_P(EngineOf, RunsTypeScriptWithItsTypesStripped) {
  const auto result = [&](std::string_view code, std::string name = "program.js") {
    const Report report = engine.execute(code, {.name = std::move(name)}).get();
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  };
  EXPECT_EQ(result("const n: number = 2; n * 21"), Value(42));
  EXPECT_EQ(result("const n: number = 2; n", "main.ts"), Value(2));
  EXPECT_EQ(result("```ts\nlet s = 'a' as string\ns\n```"), Value("a"));
  EXPECT_EQ(result("interface R { a: number }\nconst r: R = {a: 5}\nreturn r.a"), Value(5));
  EXPECT_EQ(result("async (x?: number): Promise<string> => 'called'"), Value("called"));
  // A comparison in JavaScript, a call with types in TypeScript: the file's name decides.
  EXPECT_EQ(result("const a = 1, b = 2, c = 3; String([a < b, b > (c)])"), Value("true,false"));
}

TEST_P(EngineOf, RunsTheOneFenceOfAMarkdownText) {
  const auto result = [&](std::string_view code, std::string name = "program.js") {
    const Report report = engine.execute(code, {.name = std::move(name)}).get();
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  };
  EXPECT_EQ(result("Here is the program:\n\n```js\n6 * 7\n```\nIt prints 42.\n"), Value(42));
  EXPECT_EQ(result("Code:\n```js\n6 * 7\n```"), Value(42)) << "a label, for JavaScript";
  EXPECT_EQ(result("Here's `it`:\n\n```ts\nconst n: number = 42; n\n```\n"), Value(42));
  EXPECT_EQ(result("It's TypeScript:\n~~~\nconst n: number = 42; n\n~~~\n"), Value(42));
  EXPECT_EQ(result("Run it:\n```\nconst n: number = 42\nn\n```\n", "plan.ts"), Value(42));
  EXPECT_EQ(result("First `npm i`:\n```bash\nls\n```\nthen\n```js\n42\n```\n"), Value(42));
}

TEST_P(EngineOf, RunsAProgramWithFencesInItAsItStands) {
  const auto result = [&](std::string_view code) {
    const Report report = engine.execute(code).get();
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  };
  EXPECT_EQ(result("/*\n```js\nbad(\n```\n*/\n1"), Value(1));
  EXPECT_EQ(result("/*\n```js\nbad()\n```\n*/\nconst n: number = 1; n"), Value(1));
  EXPECT_EQ(result("const text = `\n\\`\\`\\`js\nbad()\n\\`\\`\\`\n`; text.length"), Value(17));
  EXPECT_EQ(result("const a = '```js\\\n```'; a.length"), Value(8));
}

TEST_P(EngineOf, SaysWhyAMarkdownTextIsNoProgram) {
  const auto error = [&](std::string_view code) {
    Report report = engine.execute(code).get();
    EXPECT_EQ(report.error.code, ErrorCode::syntax_error) << code;
    return report.error;
  };
  const ExecutionError several = error("First:\n```js\nf()\n```\nthen it's:\n```js\ng()\n```\n");
  EXPECT_EQ(several.message, "the text has 2 code fences (lines 2 and 6); give one program");
  EXPECT_EQ(several.location, (SourceLocation{"program.js", 6, 1}));
  EXPECT_EQ(several.excerpt.lines.back(), "```js");
  EXPECT_EQ(error("It's here:\n```python\n1\n```").message,
            "the code fence in line 2 is python, and a program is JavaScript or TypeScript");
  EXPECT_EQ(error("Sure!\n```js\n1").message,
            "the code fence that begins in line 2 has no end, so the program may be cut off");
  const ExecutionError prose = error("I cannot do that without a tool.");
  EXPECT_EQ(prose.hint,
            "it looks like prose and not like a program: give JavaScript, or Markdown with the "
            "program in one code fence");
  EXPECT_EQ(error("let a = ;").hint, "");
  // The error of what stands in the fence, and not of the prose around it.
  const ExecutionError inner = error("Here it is:\n\n```js\nlet a = ;\n```\n");
  EXPECT_EQ(inner.location, (SourceLocation{"program.js", 4, 9}));
  // A program that does not parse is not searched for programs in its comments.
  EXPECT_EQ(error("/*\n```js\n1\n```\n*/ let a = ;").location->line, 5u);
}

TEST_P(EngineOf, LooksForNoFenceInProseByExecboxsRule) {
  const std::string_view prose = "Here it is:\n```js\n1\n```\nDone";
  const Report report = engine.execute(prose, {.program = ProgramRule::execbox}).get();
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(report.error.hint, "");
}

TEST_P(EngineOf, CallsAProgramThatIsAFunctionWithItsInput) {
  const auto result = [&](std::string_view code, std::optional<Value> input) {
    const Report report = engine.execute(code, {.input = std::move(input)}).get();
    EXPECT_TRUE(report.ok()) << code << ": " << report.error.message;
    return report.result;
  };
  const Value one = Value::object({{"n", 1}});
  EXPECT_EQ(result("(input) => input.n", one), Value(1));
  EXPECT_EQ(result("async function main({ n }) { return n + 1 }", one), Value(2));
  EXPECT_EQ(result("export default ({ n }) => n + 2", one), Value(3));
  EXPECT_EQ(result("(given: { n: number }): number => given.n + 3", one), Value(4));
  EXPECT_EQ(result("(given) => given === input", one), Value(true));
  EXPECT_EQ(result("(...all) => all", Value(nullptr)), Value::array({nullptr}));
  EXPECT_EQ(result("(...all) => all", std::nullopt), Value::array({})) << "there is none";
}

TEST_P(EngineOf, SpreadsTheCharactersOfAString) {
  const auto result = [&](std::string_view code) { return engine.execute(code).get().result; };
  EXPECT_EQ(result("({...'hi'})"), Value::object({{"0", "h"}, {"1", "i"}}));
  EXPECT_EQ(result("({...('h' + 'i').repeat(2), 1: 'x'})"),
            Value::object({{"0", "h"}, {"1", "x"}, {"2", "h"}, {"3", "i"}}));
  EXPECT_EQ(result("const {0: first, ...rest} = 'hi'; rest"), Value::object({{"1", "i"}}));
  EXPECT_EQ(result("({...5, ...null, ...undefined, ...true, ...10n, ...Symbol.iterator, ...''})"),
            Value::object({}));
}

TEST_P(EngineOf, RunsModulesInTypeScript) {
  const Report report = engine
                            .execute(
                                "import { twice, type Row } from './lib.ts'\n"
                                "const row: Row = {n: 4}\nexport default twice(row)",
                                {.modules = {{"./lib.ts",
                                              "export interface Row { n: number }\n"
                                              "export const twice = (r: Row): number => r.n * 2"}}})
                            .get();
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value(8));
}

TEST_P(EngineOf, KeepsThePlacesOfTypeScript) {
  const Report thrown =
      engine.execute("```ts\ntype A = {\n  b: number }\nconst a = null as unknown as A; a.b\n```")
          .get();
  ASSERT_TRUE(thrown.error.location.has_value());
  EXPECT_EQ(thrown.error.code, ErrorCode::runtime_error);
  EXPECT_EQ(thrown.error.location->line, 4u);
  EXPECT_EQ(thrown.error.location->column, 35u);

  const Report refused = engine.execute("const a: number = 1\n\n  module M { a }").get();
  EXPECT_EQ(refused.error.code, ErrorCode::syntax_error);
  EXPECT_NE(refused.error.message.find("`module`"), std::string::npos);
  ASSERT_TRUE(refused.error.location.has_value());
  EXPECT_EQ(refused.error.location->line, 3u);
  EXPECT_EQ(refused.error.location->column, 3u);
}

TEST_P(EngineOf, ShowsTheJavaScriptErrorWhereNeitherParserTakesAText) {
  const Report plain = engine.execute("const a = ;").get();
  EXPECT_EQ(plain.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(plain.error.name, "SyntaxError");
  const Report typed = engine.execute("const a: number = ;", {.name = "x.ts"}).get();
  EXPECT_EQ(typed.error.code, ErrorCode::syntax_error);
  EXPECT_EQ(typed.error.message, engine.execute("const a: number = ;").get().error.message);
}

TEST_P(EngineOf, WaitsForTimersWithoutAThread) {
  const auto before = std::chrono::steady_clock::now();
  std::vector<Execution> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(engine.execute(
        "let n = 0; for (; n < 3; ++n) await new Promise((done) => setTimeout(done, 20)); n"));
  }
  for (Execution& execution : all) EXPECT_EQ(execution.get().result, Value(3));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST_P(EngineOf, CountsTimersAgainstTheDeadline) {
  const Report report = engine
                            .execute("await new Promise((done) => setTimeout(done, 60000))",
                                     {.limits = {.time = {.total = 50ms}}})
                            .get();
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
  EXPECT_LT(report.duration, 5s);
}

TEST_P(EngineOf, RunsAProgramToItsResult) {
  const Report report = run("1 + 1");
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.result, Value(2));
  EXPECT_TRUE(report.logs.empty());
  EXPECT_GT(report.memory_bytes, 0u);
}

TEST_P(EngineOf, CallsToolsOfEveryKind) {
  const Report report =
      run("const [a, b, c] = await Promise.all([tools.echo(1), tools.slow(2), tools.task(3)]); a + "
          "b + c");
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value(6));
  ASSERT_EQ(report.calls.size(), 3u);
  EXPECT_EQ(report.calls[0].tool, "echo");
  EXPECT_EQ(report.calls[1].tool, "slow");
  EXPECT_TRUE(report.calls[1].ok);
  EXPECT_GE(report.calls[1].took, 4ms);
}

TEST_P(EngineOf, KeepsCodeAndMessageOfAToolsFailure) {
  Report report = run("await tools.fail('no luck')");
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.error.code, ErrorCode::tool_error);
  EXPECT_EQ(report.error.message, "no luck");
  ASSERT_EQ(report.calls.size(), 1u);
  EXPECT_TRUE(report.calls[0].answered);
  EXPECT_FALSE(report.calls[0].ok);
  report =
      run("try { await tools.fail('x') } catch (e) { e.message = 'forged'; e.code = 'timeout'; "
          "throw e }");
  EXPECT_EQ(report.error.code, ErrorCode::tool_error);
  EXPECT_EQ(report.error.message, "x");
  report =
      run("try { await tools.fail('x') } catch (e) { throw Object.assign(new Error('m'), e) }");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
  EXPECT_EQ(run("await tools.throws()").error.message, "thrown in C++");
  EXPECT_EQ(run("await tools.drop()").error.message, "the tool gave no answer");
  EXPECT_EQ(run("await tools.date()").error.code, ErrorCode::serialization_error);
  report = run("await tools.echo({a: [1, {deep: 1n}]})");
  EXPECT_EQ(report.error.code, ErrorCode::serialization_error);
  EXPECT_EQ(report.error.place, "a[1].deep");
}

TEST_P(EngineOf, KeepsACodeOfTheToolsOwn) {
  tools.add_async("refuse", [](Value, Reply reply) { reply(fail_as("quota", "no more today")); });
  const Report caught =
      run("const e = await tools.refuse().catch(e => e); [e.code, e.message, e instanceof Error]");
  EXPECT_EQ(caught.result, Value::array({"quota", "no more today", true}));
  const Report uncaught = run("await Promise.all([tools.refuse()]).finally(() => 1)");
  EXPECT_EQ(uncaught.error.code, ErrorCode::tool_error);
  EXPECT_EQ(uncaught.error.own_code, "quota");
  EXPECT_EQ(uncaught.error.message, "no more today");
  EXPECT_TRUE(uncaught.error.from_tool);
  EXPECT_FALSE(run("throw Object.assign(new Error('x'), {code: 'quota'})").error.from_tool);
}

TEST_P(EngineOf, CallsOnlyTheFunctionsThatExecboxCalls) {
  const ExecuteOptions execbox{.program = ProgramRule::execbox};
  for (const char* called : {"async () => 1", "(async () => 1)", "function f() { return 1 }",
                             "async function f() { return 1 }", "async x => 1;"}) {
    EXPECT_EQ(run(called, execbox).result, Value(1)) << called;
  }
  for (const char* value :
       {"() => 1", "(function () { return 1 })", "x => 1", "(async function () { return 1 })"}) {
    EXPECT_EQ(run(value, execbox).error.code, ErrorCode::serialization_error) << value;
    EXPECT_EQ(run(value).result, Value(1)) << value;
  }
}

TEST_P(EngineOf, LetsValuesOutAsJsonWhereAskedTo) {
  const ExecuteOptions json{.values = ValueRule::json};
  const Report report =
      run("class A { x = 1; #own = 2; later = undefined; f = () => 1; [Symbol()] = 3 }\n"
          "class B { toJSON(key) { return {key, list: [new Date(1)]} } }\n"
          "[new Date(0), new URL('http://a/b'), new A(), {b: new B(), f() {}, s: Symbol()},\n"
          " new B(), [undefined], new String('s'), new Number(2), new Boolean(false),\n"
          " Object.create(null), new Date(NaN), {toJSON: 1}, {toJSON() { return undefined }}]",
          json);
  ASSERT_TRUE(report.ok()) << report.error.message << report.error.reason << report.error.place;
  const auto said_by_b = [](std::string_view key) {
    return Value::object({{"key", key}, {"list", Value::array({"1970-01-01T00:00:00.001Z"})}});
  };
  EXPECT_EQ(report.result,
            Value::array({"1970-01-01T00:00:00.000Z", "http://a/b", Value::object({{"x", 1}}),
                          Value::object({{"b", said_by_b("b")}}), said_by_b("4"),
                          Value::array({nullptr}), "s", 2, false, Value::object({}), nullptr,
                          Value::object({{"toJSON", 1}}), nullptr}));
  EXPECT_EQ(run("await tools.echo(new Date(0))", json).result, Value("1970-01-01T00:00:00.000Z"));
  EXPECT_EQ(
      run("BigInt.prototype.toJSON = function () { return String(this) }; [10n]", json).result,
      Value::array({"10"}));
  EXPECT_TRUE(run("undefined", json).result.is_undefined());
  EXPECT_TRUE(run("({toJSON() {}})", json).result.is_undefined());
}

TEST_P(EngineOf, RefusesWhatJsonWouldLose) {
  const std::pair<const char*, const char*> cases[] = {
      {"({a: new Map([[1, 2]])})", "write Object.fromEntries(a)"},
      {"({a: {b: [1, new Set([1])]}})", "write [...a.b[1]]"},
      {"({a: new Error('e')})", "write a.message"},
      {"({a: /x/})", "write String(a)"},
      {"({a: new Uint8Array(2)})", "write Array.from(a)"},
      {"({a: NaN})", "write Number.isFinite(a) ? a : null"},
      {"({a: 1n})", "write String(a), or Number(a) if it is below 2 ** 53"},
      {"({a: [() => 1]})", "write what it returns, as in a[0](), or leave it out"},
      {"class A { #own = 1 }; ({a: new A()})",
       "write an object with what is wanted of it, as in {name: a.name}"},
      {"({a: new URLSearchParams('b=1')})", "write Object.fromEntries(a)"},
      {"({a: Promise.resolve(1)})", "it is a promise: write await a"},
      {"const a = {}; a.a = {a}; a",
       "leave out a.a, which leads back to an object that it is part of"},
      {"({toJSON() { return new Map() }})", "write Object.fromEntries(result)"},
  };
  for (const auto& [code, hint] : cases) {
    const Report report = run(code, {.values = ValueRule::json});
    EXPECT_EQ(report.error.code, ErrorCode::serialization_error) << code;
    EXPECT_EQ(report.error.hint, hint) << code;
    EXPECT_FALSE(report.error.may_leave_as_json) << code;
  }
  const Report thrown =
      run("({a: {toJSON() { throw new TypeError('no') }}})", {.values = ValueRule::json});
  EXPECT_EQ(thrown.error.reason, "reading it threw TypeError: no");
  EXPECT_EQ(thrown.error.place, "a");
  EXPECT_EQ(run("const next = () => ({toJSON: () => ({next: next()})}); next()",
                {.values = ValueRule::json})
                .error.code,
            ErrorCode::serialization_error);
}

TEST_P(EngineOf, LeavesAllToJsonByExecboxsRule) {
  const ExecuteOptions loose{.program = ProgramRule::execbox, .values = ValueRule::json};
  const Report report =
      run("class A { x = 1 }\n"
          "[new Date(0), NaN, new Map([[1, 2]]), new A(), {f() {}, s: Symbol()}, [() => 1], new "
          "String('s')]",
          loose);
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({"1970-01-01T00:00:00.000Z", nullptr, Value::object({}),
                                         Value::object({{"x", 1}}), Value::object({}),
                                         Value::array({nullptr}), "s"}));
  EXPECT_EQ(run("await tools.echo(new Date(0))", loose).result, Value("1970-01-01T00:00:00.000Z"));
  EXPECT_TRUE(run("undefined", loose).result.is_undefined());
  for (const char* refused : {"() => 1", "Symbol()", "1n", "const a = []; a[0] = a; a"})
    EXPECT_EQ(run(refused, loose).error.code, ErrorCode::serialization_error) << refused;
}

TEST_P(EngineOf, LetsEveryKindOfValueInWhereJsonLeaves) {
  const Report report =
      run("[input.when instanceof Date, input.big === 5n, input]",
          {.input = Value::object({{"when", Value::date(0)}, {"big", *Value::bigint("5")}}),
           .values = ValueRule::json});
  EXPECT_EQ(report.error.place, "[2].big");
  EXPECT_EQ(run("input.when",
                {.input = Value::object({{"when", Value::date(0)}}), .values = ValueRule::json})
                .result,
            Value("1970-01-01T00:00:00.000Z"));
}

TEST_P(EngineOf, SaysWhatToWriteForWhatMayNotLeave) {
  const Report result = run("({rows: [1, {when: new Date()}]})");
  EXPECT_EQ(result.error.hint, "write rows[1].when.toISOString()");
  EXPECT_TRUE(result.error.may_leave_as_json);
  const Report input = run("await tools.echo({at: new Map()})");
  EXPECT_EQ(input.error.code, ErrorCode::serialization_error);
  EXPECT_EQ(input.error.hint, "write Object.fromEntries(at)");
  EXPECT_FALSE(input.error.may_leave_as_json);
  EXPECT_EQ(run("await tools.echo(new Date())").error.hint, "write argument.toISOString()");
  EXPECT_EQ(run("class A { x = 1 }; new A()").error.hint, "write {...result}");
  EXPECT_TRUE(run("class A { x = 1 }; new A()").error.may_leave_as_json);
}

TEST_P(EngineOf, LetsEveryKindOfValueOutWhereAskedTo) {
  const ExecuteOptions rich{.values = ValueRule::rich};
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  const std::pair<const char*, Value> cases[] = {
      {"[undefined, -0, NaN, -Infinity]",
       Value::array({Value(), -0.0, std::nan(""), -std::numeric_limits<double>::infinity()})},
      {"({a: undefined})", Value::object({{"a", Value()}})},
      {"-123456789012345678901234567890n", *Value::bigint("-123456789012345678901234567890")},
      {"new Date(-5)", Value::date(-5)},
      {"new Date('never')", Value::date(std::nan(""))},
      {"new Uint8Array([1, 2, 3, 4]).buffer", Value::bytes(bytes)},
      {"new DataView(new Uint8Array([9, 1, 2, 3, 4, 9]).buffer, 1, 4)",
       Value::bytes(bytes, Kind::data_view)},
      {"new Uint8Array([9, 1, 2, 3, 4]).subarray(1)",
       Value::typed_array(ElementType::uint8, bytes)},
      {"new Uint16Array([513, 1027])", Value::typed_array(ElementType::uint16, bytes)},
      {"class Point { x = 1; get y() { return 2 } }; new Point()", Value::object({{"x", 1}})},
      {"new Proxy({p: 1}, {})", Value::object({{"p", 1}})},
      {"new Proxy([1, [2]], {})", Value::array({1, Value::array({2})})},
  };
  for (const auto& [code, expected] : cases) {
    const Report report = run(code, rich);
    ASSERT_TRUE(report.ok()) << code << ": " << report.error.message;
    EXPECT_EQ(report.result, expected) << code;
  }
}

TEST_P(EngineOf, LetsOutTheFieldsOfAnErrorThatTheSerializerKnows) {
  const Report report =
      run("const e = new AggregateError([new Error('one')], 'all');\n"
          "Object.defineProperty(e, 'hidden', {value: 1});\n"
          "Object.defineProperty(e, 'read', {get() { throw 1 }, enumerable: true});\n"
          "e.shown = 2; e",
          {.values = ValueRule::rich});
  ASSERT_TRUE(report.ok()) << report.error.message;
  std::vector<std::string> names;
  for (const Member& field : report.result.error_fields()) names.emplace_back(field.key());
  EXPECT_THAT(names, testing::ElementsAre("errors", "hidden", "shown"));
  EXPECT_EQ(report.result.error_fields()[0].value.at(0).error_message(), "one");
  for (const char* plain : {"new Error('e')", "new DOMException('e', 'AbortError')",
                            "class A extends Error { #own = 1 }; new A('e')"}) {
    const Report other = run(plain, {.values = ValueRule::rich});
    EXPECT_EQ(other.result.error_message(), "e") << plain;
    EXPECT_TRUE(other.result.error_fields().empty()) << plain;
  }
}

TEST_P(EngineOf, TakesAProxyForWhatItStandsFor) {
  const std::pair<const char*, Value> cases[] = {
      {"new Proxy({p: 1}, {})", Value::object({{"p", 1}})},
      {"new Proxy([1, [2]], {})", Value::array({1, Value::array({2})})},
      {"new Proxy(new Proxy([1, 2], {}), {get: (list, key) => key == 1 ? 'got' : list[key]})",
       Value::array({1, "got"})},
  };
  for (const auto& [code, expected] : cases) {
    const Report report = run(code);
    ASSERT_TRUE(report.ok()) << code << ": " << report.error.message;
    EXPECT_EQ(report.result, expected) << code;
  }
  for (const char* refused :
       {"new Proxy(new Date(), {})",
        "new Proxy([], {get: (list, key) => key == 'length' ? 1e12 : 1})",
        "const {proxy, revoke} = Proxy.revocable([], {}); revoke(); [proxy]"}) {
    EXPECT_EQ(run(refused).error.code, ErrorCode::serialization_error) << refused;
  }
}

TEST_P(EngineOf, NamesAnArrayThatIsTooLongAndNotItsFirstElement) {
  const std::pair<const char*, const char*> cases[] = {
      {"const a = []; a.length = 2 ** 32 - 1; ({a})", "a"},
      {"({a: [new Proxy([], {get: () => { throw 1 }})]})", "a[0]"},
      {"const a = []; a.length = 2 ** 32 - 1; a", ""},
  };
  for (const auto& [code, place] : cases) {
    const Report report = run(code);
    EXPECT_EQ(report.error.code, ErrorCode::serialization_error) << code;
    EXPECT_EQ(report.error.place, place) << code;
  }
}

TEST_P(EngineOf, LetsNamedThingsOutByWhatTheySay) {
  const Report report =
      run("[/a[/]b/giu, Symbol.for('k'), Symbol.asyncIterator, new URL('http://h/?q=1'),\n"
          " new URLSearchParams([['a', 'b c']]), new Map([[{}, 1]]), new Set(['x'])]",
          {.values = ValueRule::rich});
  ASSERT_TRUE(report.ok()) << report.error.message;
  const Value& list = report.result;
  EXPECT_EQ(list.at(0).regexp_source(), "a[/]b");
  EXPECT_EQ(list.at(0).regexp_flags(), "giu");
  EXPECT_EQ(list.at(1).symbol_kind(), SymbolKind::global);
  EXPECT_EQ(list.at(1).symbol_key(), "k");
  EXPECT_EQ(list.at(2).symbol_kind(), SymbolKind::well_known);
  EXPECT_EQ(list.at(2).symbol_key(), "asyncIterator");
  EXPECT_EQ(list.at(3).url_text(), "http://h/?q=1");
  EXPECT_EQ(list.at(4).url_search_params_text(), "a=b+c");
  EXPECT_TRUE(list.at(5).entries()[0].key.is_object());
  EXPECT_EQ(list.at(6).items()[0], "x");
}

TEST_P(EngineOf, LetsErrorsOutWithTheirCauseAndFields) {
  const Report report =
      run("const e = new TypeError('outer', {cause: new RangeError('inner')}); e.code = 7; [e, e]",
          {.values = ValueRule::rich});
  ASSERT_TRUE(report.ok()) << report.error.message;
  const ValueView error = report.result.at(0);
  EXPECT_EQ(error.error_name(), "TypeError");
  EXPECT_EQ(error.error_message(), "outer");
  EXPECT_TRUE(error.error_stack().is_string());
  EXPECT_EQ(error.error_cause().error_message(), "inner");
  ASSERT_EQ(error.error_fields().size(), 1u);
  EXPECT_EQ(error.error_fields()[0].key(), "code");
  EXPECT_EQ(report.result.at(1).identity(), error.identity());
}

// An object that reaches itself through every kind of container.
Value knotted_graph() {
  ValueBuilder builder;
  const ValueView root = builder.open(Kind::object);
  const ValueView shared = builder.open(Kind::set);
  const ValueView items[] = {root, builder.string("x")};
  builder.fill(shared, items);
  const std::uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const Entry entries[] = {{shared, root}};
  const ValueView list[] = {1, ValueBuilder::hole(), shared, ValueBuilder::hole()};
  const Member fields[] = {{builder.string("code"), 5}};
  const ValueView error = builder.error({.name = builder.string("AppError"),
                                         .message = builder.string("no"),
                                         .stack = builder.string("at x"),
                                         .cause = root,
                                         .fields = fields});
  const Member members[] = {
      {builder.string("self"), root},
      {builder.string("map"), builder.map(entries)},
      {builder.string("list"), builder.array(list)},
      {builder.string("when"), ValueBuilder::date(1234)},
      {builder.string("pattern"), builder.regexp("a+", "g")},
      {builder.string("big"), *builder.bigint("123456789012345678901234567890")},
      {builder.string("floats"), builder.typed_array(ElementType::float64, bytes)},
      {builder.string("symbol"), builder.symbol(SymbolKind::well_known, "iterator")},
      {builder.string("url"), builder.url("https://example.test/a?b=c")},
      {builder.string("error"), error},
  };
  builder.fill(root, members);
  return builder.finish(root);
}

TEST_P(EngineOf, GivesAGuestRealJavaScriptValues) {
  const Report seen = run(R"(
input.self === input && input.map.get(input.list[2]) === input && input.list[2].has('x') &&
!(1 in input.list) && input.list.length === 4 && input.when.getTime() === 1234 &&
'caat'.match(input.pattern)[0] === 'aa' && input.big === 123456789012345678901234567890n &&
input.floats instanceof Float64Array && input.symbol === Symbol.iterator &&
input.url.hostname === 'example.test' && input.error instanceof Error &&
input.error.name === 'AppError' && input.error.cause === input && input.error.code === 5)",
                          {.input = knotted_graph(), .values = ValueRule::rich});
  EXPECT_EQ(seen.result, Value(true)) << seen.error.message;
}

TEST_P(EngineOf, GivesToolsTheSameGraphAndTakesItBack) {
  const Value given = knotted_graph();
  const Report back = run("input.list[1] = input.list[3] = 0; await tools.echo(input)",
                          {.input = given, .values = ValueRule::rich});
  ASSERT_TRUE(back.ok()) << back.error.message;
  EXPECT_EQ(back.result.find("self").identity(), back.result.identity());
  EXPECT_EQ(back.result["map"].entries()[0].value.identity(), back.result.identity());
  EXPECT_EQ(back.result.find("big"), given.find("big"));
  EXPECT_EQ(back.result.find("floats"), given.find("floats"));
  EXPECT_EQ(back.result["error"].error_cause().identity(), back.result.identity());
}

TEST_P(EngineOf, AsksNothingThatAProgramCanOverrideWhenRichValuesLeave) {
  const Report report = run(R"(
const boom = () => { throw 'asked' };
const value = [new Map([[1, 2]]), new Set([3]), new Date(7), /x/g, new Uint8Array([1]), 5n];
for (const one of [Map, Set, Date, RegExp, Uint8Array, BigInt, Object, Array])
  for (const key of Reflect.ownKeys(one.prototype))
    if (key !== 'constructor')
      try { Object.defineProperty(one.prototype, key, {get: boom}) } catch {}
value)",
                            {.values = ValueRule::rich});
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result.at(0).entries()[0].value, Value(2));
  EXPECT_EQ(report.result.at(1).items()[0], Value(3));
  EXPECT_EQ(report.result.at(2).date_ms(), 7);
  EXPECT_EQ(report.result.at(3).regexp_flags(), "g");
  EXPECT_EQ(report.result.at(5).bigint_text(), "5");
}

TEST_P(EngineOf, DoesNotTakeAnObjectThatIsGoneForTheNextOne) {
  const Report report = run(R"(
const o = {};
for (let i = 0; i < 200; i++)
  Object.defineProperty(o, 'k' + i, {enumerable: true, get: () => ({i})});
o)",
                            {.values = ValueRule::rich});
  ASSERT_TRUE(report.ok()) << report.error.message;
  ASSERT_EQ(report.result.size(), 200u);
  for (std::size_t i = 0; i < 200; ++i)
    ASSERT_EQ(report.result.members()[i].value.find("i"), Value(static_cast<int>(i)));
}

TEST_P(EngineOf, RefusesRichValuesThatNoProtocolCanCarry) {
  const std::pair<const char*, const char*> cases[] = {
      {"({a: [() => 1]})", "a[0]"},
      {"({s: Symbol('mine')})", "s"},
      {"[new WeakMap()]", "[0]"},
      {"({p: Promise.resolve(1)})", "p"},
      {"new Map([['k', function () {}]])", "[0]"},
      {"const b = new ArrayBuffer(8); structuredClone(b, {transfer: [b]}); ({b})", "b"},
  };
  for (const auto& [code, place] : cases) {
    const Report report = run(code, {.values = ValueRule::rich});
    EXPECT_EQ(report.error.code, ErrorCode::serialization_error) << code;
    EXPECT_EQ(report.error.place, place) << code;
  }
}

TEST_P(EngineOf, FailsARunWhoseInputCannotBeMade) {
  ValueBuilder builder;
  const Value input = builder.finish(builder.regexp("(", ""));
  const Report report = run("1", {.input = input, .values = ValueRule::rich});
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(report.error.name, "SyntaxError");
}

TEST_P(EngineOf, GivesNamesThatAreNoIdentifiersAsTheyAre) {
  for (const char* name : {"a-b", "", "__proto__", "then", "constructor", "0", "\x7f \n"}) {
    Provider provider = Provider::with_exact_names(name);
    provider.add(name, [](Value input) -> Result<Value> { return input; });
    const Report report = engine
                              .execute("await globalThis[input][input](7)",
                                       {.providers = {provider}, .input = Value(name)})
                              .get();
    EXPECT_EQ(report.result, Value(7)) << name << report.error.message;
  }
}

TEST_P(EngineOf, TellsWhenItWaitsForATool) {
  std::atomic<int> waits = 0;
  ExecuteOptions options{.on_wait = [&] { ++waits; }};
  EXPECT_TRUE(run("await tools.echo(1)", options).ok());
  EXPECT_EQ(waits, 0) << "an answer at once is no wait";
  EXPECT_TRUE(run("await tools.slow(1)", options).ok());
  EXPECT_EQ(waits, 1);
  EXPECT_TRUE(run("await new Promise((done) => setTimeout(done, 2))", options).ok());
  EXPECT_EQ(waits, 1) << "a timer is due without anybody's answer";
}

TEST_P(EngineOf, TellsSyntaxErrorsAndWhereTheyAre) {
  const Report report = run("```js\nconst a = 1;\nconst = 2;\n```", {.name = "main.js"});
  EXPECT_EQ(report.error.code, ErrorCode::syntax_error);
  ASSERT_TRUE(report.error.location.has_value());
  EXPECT_EQ(report.error.location->file, "main.js");
  EXPECT_EQ(report.error.location->line, 3u);
}

TEST_P(EngineOf, EndsEndlessWorkOfEveryKindAtItsTimeout) {
  for (const std::string_view code : {
           "console.log('before'); for (;;) {}",
           "console.log('before'); /(a+)+$/.test('a'.repeat(40) + 'b')",
           "console.log('before'); [3, 2, 1].sort(() => { for (;;) {} })",
           "console.log('before'); ({get a() { for (;;) {} }})",
           "console.log('before'); new Proxy({}, {ownKeys() { for (;;) {} }})",
           "console.log('before'); (function f() { Promise.resolve().then(f) })()",
           "console.log('before'); Array.prototype.indexOf.call({length: 2 ** 52}, 1)",
           "console.log('before'); try { for (;;) {} } finally { console.log('never') }",
           "console.log('before'); throw {toString() { for (;;) {} }}",
           "console.log('before'); const f = () => { try { f() } finally { f() } }; f()",
           "console.log('before'); 'x'.repeat(1 << 20).replace(/x/g, () => { for (;;) {} })",
           "console.log('before'); await new Promise((done) => setTimeout(done, 1e8))",
           "console.log('before'); await tools.hold()",
       }) {
    const auto start = std::chrono::steady_clock::now();
    const Report report = run(code, {.limits = {.time = {.total = 60ms}}});
    EXPECT_FALSE(report.ok()) << code;
    EXPECT_EQ(report.error.code, ErrorCode::timeout) << code;
    EXPECT_EQ(report.error.message, "Execution timed out");
    ASSERT_EQ(report.logs.size(), 1u) << code;
    EXPECT_EQ(report.logs[0].text, "before");
    EXPECT_GE(report.duration, 60ms) << code;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s) << code;
  }
}

TEST_P(EngineOf, CountsTheGuestsOwnTimeWithoutItsWaits) {
  Report report = run("for (let i = 0; i < 10; i++) await tools.slow(i); 'done'",
                      {.limits = {.time = {.computing = 30ms}}});
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_LT(report.computing_time, report.duration);
  report = run("for (;;) {}", {.limits = {.time = {.total = {}, .computing = 20ms}}});
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
  EXPECT_GE(report.computing_time, 20ms);
  report = run("await new Promise((done) => setTimeout(done, 1e8))",
               {.limits = {.time = {.total = {}, .computing = 20ms}}});
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
  report = run("for (;;) {}", {.limits = {.time = {.total = {}, .cpu = 20ms}}});
  EXPECT_EQ(report.error.code, ErrorCode::timeout);
}

TEST_P(EngineOf, TellsMemoryLimitOnlyWhenItWasMet) {
  Report report = run("const a = []; for (;;) a.push('x'.repeat(1 << 16) + a.length)",
                      {.limits = {.memory_bytes = 8 << 20}});
  EXPECT_EQ(report.error.code, ErrorCode::memory_limit);
  EXPECT_LE(report.memory_bytes, 8u << 20);
  report = run("throw new RangeError('out of memory')");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
  report = run("const e = new Error('Execution timed out'); e.code = 'timeout'; throw e");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
}

TEST_P(EngineOf, TellsATrapByTheStackFromOthers) {
  const Report report = run("let s = '['; s = s.repeat(2000000); JSON.parse(s)");
  EXPECT_THAT(report.error.code,
              testing::AnyOf(ErrorCode::stack_overflow, ErrorCode::runtime_error));
  EXPECT_TRUE(run("1").ok());
}

TEST_P(EngineOf, CutsLogsAsExecboxDoes) {
  Report report =
      run("for (let i = 0; i < 5; i++) console.log('line ' + i)", {.limits = {.log_lines = 2}});
  ASSERT_EQ(report.logs.size(), 2u);
  EXPECT_TRUE(report.logs_truncated);
  report =
      run("console.log('abc'); console.log('def'); console.log('')", {.limits = {.log_chars = 4}});
  ASSERT_EQ(report.logs.size(), 2u);
  EXPECT_EQ(report.logs[1].text, "d");
  EXPECT_TRUE(report.logs_truncated);
}

TEST_P(EngineOf, ShowsLogsAndCallsWhileItRuns) {
  std::mutex seen_mutex;
  std::vector<std::string> seen;
  const auto note = [&](std::string text) {
    const std::lock_guard lock(seen_mutex);
    seen.push_back(std::move(text));
  };
  run("console.warn('one'); await tools.echo(1); console.log('two')",
      {.on_log =
           [&](const LogLine& line) { note(std::string(name_of(line.level)) + " " + line.text); },
       .on_call = [&](const CallRecord& call) { note("call " + call.tool); },
       .on_answer = [&](const CallRecord& call) { note(call.ok ? "ok" : "failed"); }});
  EXPECT_THAT(seen, ElementsAre("warn one", "call echo", "ok", "log two"));
}

TEST_P(EngineOf, CancelsAtAnyMoment) {
  for (const std::string_view code :
       {"for (;;) {}", "await tools.hold()", "try { await tools.hold() } finally { for (;;) {} }",
        "try { await tools.hold() } catch { console.log('caught') }"}) {
    Execution execution =
        engine.execute(code, {.limits = {.time = {.total = 10s}}, .providers = {tools}});
    std::thread canceller([&] {
      std::this_thread::sleep_for(20ms);
      execution.cancel();
    });
    const Report report = execution.get();
    canceller.join();
    EXPECT_EQ(report.error.code, ErrorCode::cancelled) << code;
    EXPECT_TRUE(report.logs.empty()) << code;
    EXPECT_LT(report.duration, 2s);
    execution.cancel();
  }
  Execution execution = engine.execute("1 + 1");
  execution.cancel();
  const Report report = execution.get();
  EXPECT_TRUE(report.ok() || report.error.is(ErrorCode::cancelled));
}

TEST_P(EngineOf, IsAwaitedAndCalledBack) {
  const auto both = [](Engine& with) -> Coroutine<int> {
    const Report one = co_await with.execute("20");
    const Report two = co_await with.execute("22");
    co_return static_cast<int>(one.result.as_number() + two.result.as_number());
  };
  std::future<int> future = start(both(engine));
  std::atomic<int> called = 0;
  engine.execute("7").then(
      [&](Report report) { called = static_cast<int>(report.result.as_number()); });
  while (called == 0 || future.wait_for(0s) != std::future_status::ready) engine.run_some(1ms);
  EXPECT_EQ(future.get(), 42);
  EXPECT_EQ(called, 7);
}

TEST_P(EngineOf, TellsToolsWhenTheirExecutionHasEnded) {
  std::atomic<bool> begun = false;
  std::atomic<bool> stopped = false;
  Provider patient("patient");
  patient.add_blocking("wait", [&](Value, std::stop_token stop) -> Result<Value> {
    begun = true;
    while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    stopped = true;
    return Value();
  });
  // On a busy machine the execution may be over before its call has a thread.
  while (!begun) {
    const Report report = engine
                              .execute("await patient.wait()", {.limits = {.time = {.total = 30ms}},
                                                                .providers = {patient}})
                              .get();
    ASSERT_EQ(report.error.code, ErrorCode::timeout);
  }
  for (int i = 0; i < 2000 && !stopped; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(stopped);
}

TEST_P(EngineOf, DropsAnswersThatComeTooLate) {
  run("await tools.hold()", {.limits = {.time = {.total = 200ms}}});
  ASSERT_EQ(held.size(), 1u);
  EXPECT_TRUE(held[0].stop_token().stop_requested()) << "also for who asks only now";
  held[0](Value("late"));
  EXPECT_TRUE(run("1").ok());
}

// Gives forty of them to a tool that keeps its calls; how many were refused, and how.
std::string keeps_forty(const std::string& value) {
  return "const value = " + value + "; let refused = 0, text;" +
         "for (let i = 0; i < 40; i++) tools.keep(value).catch(e => { refused++; text = `${e}` "
         "});" +
         "await tools.echo(1); await tools.echo(2); [refused, text]";
}

TEST_P(EngineOf, BoundsWhatWaitsInToolCalls) {
  const Report report =
      run(keeps_forty("'x'.repeat(1 << 20)"), {.limits = {.message_bytes = 2 << 20}});
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_GE(report.result[0].as_number(), 24) << "16 MB may wait, forty were sent";
}

// A null takes a byte on its way and sixteen here.
TEST_P(EngineOf, CountsWhatWaitsInToolCallsInTheHostsOwnBytes) {
  const Report report =
      run(keeps_forty("new Array(1 << 16).fill(null)"), {.limits = {.message_bytes = 1 << 20}});
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_GE(report.result[0].as_number(), 24) << "16 MiB may wait, 40 x 1 MiB were sent";
  EXPECT_THAT(std::string(report.result[1].as_string()), HasSubstr("Too much data"));
}

TEST_P(EngineOf, GivesWhatToolsHeldBackWhenTheyHaveAnswered) {
  const Report report =
      run("const nulls = new Array(1 << 16).fill(null); let done = 0;"
          "for (let i = 0; i < 20; i++) { await tools.echo(nulls); done++ } done",
          {.limits = {.message_bytes = 1 << 20}});
  EXPECT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, 20);
}

TEST_P(EngineOf, ShortensFailuresThatWouldFillTheHost) {
  Provider failing("failing");
  failing.add_async("now", [](Value, Reply reply) {
    reply(fail(ErrorCode::tool_error, std::string(std::size_t{1} << 20, 'x')));
  });
  const Report report =
      engine
          .execute(
              "const all = []; for (let i = 0; i < 40; i++) all.push(failing.now());"
              "const texts = (await Promise.allSettled(all)).map((one) => one.reason.message);"
              "[texts.length, texts.filter((text) => text.startsWith('Too much')).length]",
              {.limits = {.message_bytes = 1 << 20}, .providers = {failing}})
          .get();
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result[0], 40);
}

TEST_P(EngineOf, RefusesAResultThatTakesMoreThanTheHostKeepsForIt) {
  const Report report = run("new Array(5_000_000)", {.limits = {.message_bytes = 8 << 20}});
  EXPECT_EQ(report.error.code, ErrorCode::serialization_error);
  EXPECT_THAT(report.error.reason, HasSubstr("too large"));
}

TEST_P(EngineOf, CutsTheTextsOfAnErrorToWhatSomebodyMayRead) {
  const Report report = run("throw new Error('x'.repeat(5 << 20))");
  EXPECT_EQ(report.error.code, ErrorCode::runtime_error);
  EXPECT_LT(report.error.message.size(), std::size_t{2} << 20);
}

TEST_P(EngineOf, RefusesAnInputThatCannotEnter) {
  EXPECT_EQ(run("input", {.input = Value::date(0)}).error.code, ErrorCode::serialization_error);
}

TEST_P(EngineOf, ImportsOnlyWhatItWasGiven) {
  const ExecuteOptions options{.name = "main.js",
                               .modules = {{"lib/a.js", "export { b as a } from './b.js'"},
                                           {"lib/b.js", "export const b = 5"}}};
  EXPECT_EQ(
      engine.execute("import { a } from './lib/a.js'; export default a", options).get().result,
      Value(5));
  const Report report = engine.execute("import fs from 'fs'; export default 1", options).get();
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.error.message, HasSubstr("lib/a.js"));
}

INSTANTIATE_TEST_SUITE_P(Drivers, EngineOf,
                         testing::Values(EngineOptions{.workers = 0, .slots = 4},
                                         EngineOptions{.workers = 2, .slots = 8},
                                         EngineOptions{.workers = 0, .slots = 4, .pool = false}),
                         [](const auto& driver) {
                           return driver.param.workers > 0 ? "Workers"
                                  : driver.param.pool      ? "Caller"
                                                           : "NoPool";
                         });

// Calls of the tool `hold.on`, which wait until the test answers.
struct HeldCalls {
  HeldCalls() {
    hold.add("on", [this](Value, Reply reply) {
      const std::lock_guard lock(mutex);
      replies.push_back(std::move(reply));
    });
  }
  Provider hold{"hold"};
  std::mutex mutex;
  std::vector<Reply> replies;
};

TEST(Engine, QueuesPastItsSlotsAndRefusesPastItsQueue) {
  Engine engine = *Engine::create({.workers = 1, .slots = 2, .queue = 3});
  std::vector<std::future<Report>> running;
  HeldCalls held;
  auto& [hold, mutex, replies] = held;
  for (int i = 0; i < 5; ++i)
    running.push_back(engine.execute("await hold.on(); 1", {.providers = {hold}}).future());
  const Report refused = engine.execute("1").get();
  EXPECT_EQ(refused.error.code, ErrorCode::overloaded);
  EXPECT_THAT(refused.error.message, HasSubstr("2 sandboxes"));
  EXPECT_EQ(engine.figures().running, 2u);
  EXPECT_EQ(engine.figures().queued, 3u);
  for (int answered = 0; answered < 5;) {
    std::vector<Reply> ready;
    {
      const std::lock_guard lock(mutex);
      ready = std::exchange(replies, {});
    }
    for (Reply& reply : ready) reply(Value());
    answered += static_cast<int>(ready.size());
    std::this_thread::sleep_for(1ms);
  }
  for (auto& future : running) EXPECT_TRUE(future.get().ok());
}

TEST(Engine, TimesOutWhatWaitsForASlot) {
  Engine engine = *Engine::create({.workers = 1, .slots = 1});
  auto hog = engine.execute("for (;;) {}", {.limits = {.time = {.total = 300ms}}}).future();
  const Report queued = engine.execute("1", {.limits = {.time = {.total = 30ms}}}).get();
  EXPECT_EQ(queued.error.code, ErrorCode::timeout);
  EXPECT_LT(queued.duration, 250ms);
  hog.get();
}

TEST(Engine, LetsNewGuestsGoBeforeHogs) {
  Engine engine = *Engine::create({.workers = 1, .slots = 32, .slice = 5ms});
  std::vector<std::future<Report>> hogs;
  for (int i = 0; i < 8; ++i)
    hogs.push_back(engine.execute("for (;;) {}", {.limits = {.time = {.total = 500ms}}}).future());
  std::this_thread::sleep_for(20ms);
  const Report report = engine.execute("1 + 1", {.limits = {.time = {.total = 400ms}}}).get();
  EXPECT_TRUE(report.ok()) << "a hog's turn is short, and new ones come first";
  for (auto& hog : hogs) EXPECT_EQ(hog.get().error.code, ErrorCode::timeout);
}

TEST(Engine, ShutsDownWithThousandsUnderWay) {
  std::atomic<int> ended = 0;
  HeldCalls held;
  auto& [hold, mutex, replies] = held;
  {
    Engine engine = *Engine::create({.workers = 2, .slots = 500, .queue = 5000});
    for (int i = 0; i < 3000; ++i) {
      engine
          .execute(i % 50 == 0 ? "for (;;) {}" : "await hold.on()",
                   {.limits = {.time = {.total = 1h}}, .providers = {hold}})
          .then([&](Report report) { ended += report.error.is(ErrorCode::cancelled); });
    }
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_EQ(ended, 3000);
}

TEST(Engine, RefusesAPoolThatDoesNotFit) {
  const Result<Engine> engine = Engine::create({.slots = 1'000'000});
  ASSERT_FALSE(engine.has_value());
  EXPECT_THAT(engine.error().message, HasSubstr("doctor"));
}

TEST(Engine, TellsACallerThatDrivesItWhenThereIsSomethingToDo) {
  std::atomic<int> told = 0;
  Engine engine = *Engine::create({.workers = 0, .on_ready = [&] { ++told; }});
  std::future<Report> report = engine.execute("1").future();
  EXPECT_GE(told, 1);
  while (report.wait_for(0s) != std::future_status::ready) engine.run_some(1ms);
  EXPECT_TRUE(report.get().ok());
}

TEST(Engine, HasWorkersUnlessToldOtherwise) {
  Engine engine = *Engine::create({});
  EXPECT_TRUE(engine.execute("1").future().get().ok());
}

TEST(Engine, LowersMemoryToItsCeiling) {
  Engine engine = *Engine::create({.memory_ceiling_bytes = 8 << 20});
  const Report report =
      engine.execute("new Uint8Array(1 << 24).length", {.limits = {.memory_bytes = 1 << 30}}).get();
  EXPECT_EQ(report.error.code, ErrorCode::memory_limit);
}

TEST(Engine, GivesEachExecutionAFreshWorld) {
  Engine engine = *Engine::create({.slots = 1});
  for (int i = 0; i < 3; ++i) {
    const Report report =
        engine
            .execute(
                "globalThis.seen = (globalThis.seen || 0) + 1;"
                "Object.prototype.dirty = (({}).dirty || 0) + 1; [seen, ({}).dirty]")
            .get();
    EXPECT_EQ(report.result, Value::array({1, 1}));
  }
}

}  // namespace
}  // namespace cordon
