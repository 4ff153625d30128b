// The execbox runner specification, rule by rule: what a guest sees, what may cross, logs, results
// and failures. docs/execbox.md maps each rule to its test.

#include <chrono>
#include <thread>

#include "execbox_host.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::conformance {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Value json(std::string_view text) { return *from_json(text); }

// Guest namespace contract.

TEST(ExecboxNamespace, HasTheSafeNamesOfItsManifest) {
  Host host;
  std::string line =
      execute_line({.code = "[Object.keys(firecrawl), await firecrawl.scrape_url(1)]",
                    .providers = {{"firecrawl", {"KEY"}}}});
  const std::string entry = R"("KEY":{"safeName":"KEY","originalName":"KEY"})";
  line.replace(line.find(entry), entry.size(),
               R"("the key":{"safeName":"scrape_url","originalName":"scrape-url"})");
  host.send(line);
  EXPECT_EQ(host.until_done()["result"], json(R"([["scrape_url"],1])"));
  EXPECT_EQ(host.calls.at(0)["providerName"], "firecrawl");
  EXPECT_EQ(host.calls.at(0)["safeToolName"], "scrape_url");
}

TEST(ExecboxNamespace, IsOnePerProvider) {
  const Value done = run(Request{.code = "[await a.echo('a'), await b.echo('b'), typeof c.x]",
                                 .providers = {{"a", {"echo"}}, {"b", {"echo"}}, {"c", {}}}});
  EXPECT_EQ(done["result"], json(R"(["a","b","undefined"])"));
}

TEST(ExecboxNamespace, IsAnEnumerableGlobal) {
  EXPECT_EQ(run(Request{.code = "Object.keys(globalThis).slice(-2)",
                        .providers = {{"b", {"echo"}}, {"a", {}}}})["result"],
            json(R"(["b","a"])"));
}

TEST(ExecboxNamespace, HasFunctionsThatReturnPromises) {
  EXPECT_EQ(
      run("const p = tools.echo(1); [typeof tools.echo, p instanceof Promise, await p]")["result"],
      json(R"(["function",true,1])"));
}

TEST(ExecboxNamespace, SendsOnlyTheFirstArgument) {
  Host host;
  host.execute({.code = "await tools.echo(1, 2, 3)"});
  EXPECT_EQ(host.until_done()["result"], Value(1));
  EXPECT_EQ(host.calls.at(0)["input"], Value(1));
}

TEST(ExecboxNamespace, TakesAnOmittedInputForUndefined) {
  Host host;
  host.execute({.code = "[typeof await tools.echo(), typeof await tools.echo(undefined)]"});
  EXPECT_EQ(host.until_done()["result"], json(R"(["undefined","undefined"])"));
  EXPECT_FALSE(host.calls.at(0).contains("input"));
  EXPECT_FALSE(host.calls.at(1).contains("input"));
}

TEST(ExecboxNamespace, BearsAnyNameThatCanArrive) {
  for (const char* name : {"a-b",
                           "",
                           " ",
                           "0",
                           "class",
                           "__proto__",
                           "constructor",
                           "prototype",
                           "then",
                           "toString",
                           "valueOf",
                           "hasOwnProperty",
                           "console",
                           "Object",
                           "Promise",
                           "JSON",
                           "Error",
                           "globalThis",
                           "eval",
                           "arguments",
                           "\u00e9\U0001F600",
                           "a\"b",
                           "a\nb",
                           "\x01",
                           "`${1}`",
                           "*/ throw 1 /*"}) {
    Host host;
    host.execute({.code = "const space = (0, eval)('this')[" + *to_json(Value(name)) +
                          "]; const p = space[" + *to_json(Value(name)) + "]({n: 1}); (await p).n",
                  .providers = {{name, {name}}}});
    const Value done = host.until_done();
    // Where the name is one of the language's own, the program above may not work any more; the
    // runner does.
    if (std::string_view(name) != "eval") {
      EXPECT_EQ(done["result"], Value(1)) << name << *to_json(done);
      EXPECT_EQ(host.calls.at(0)["providerName"], std::string_view(name));
      EXPECT_EQ(host.calls.at(0)["safeToolName"], std::string_view(name));
    }
    host.expect_end();
  }
}

TEST(ExecboxNamespace, BearsNamesThatNoGlobalCanHave) {
  for (const char* name : {"undefined", "NaN", "Infinity"}) {
    EXPECT_EQ(run(Request{.code = "1", .providers = {{name, {"echo"}}}})["result"], Value(1));
  }
}

TEST(ExecboxNamespace, BearsNamesThatAreNotWellFormed) {
  Host host;
  std::string line = execute_line({.code = "await globalThis['\\ud800\\u0000']['\\udfff'](1)",
                                   .providers = {{"NAME", {"TOOL"}}}});
  line.replace(line.find("NAME"), 4, "\\ud800\\u0000");
  for (std::size_t at = line.find("TOOL"); at != std::string::npos; at = line.find("TOOL"))
    line.replace(at, 4, "\\udfff");
  host.send(line);
  EXPECT_EQ(host.until_done()["result"], Value(1));
}

TEST(ExecboxNamespace, TakesTheLastOfTwoWithOneName) {
  EXPECT_EQ(run(Request{.code = "Object.keys(a).join()",
                        .providers = {{"a", {"x"}}, {"a", {"y", "z"}}}})["result"],
            Value("y,z"));
}

TEST(ExecboxNamespace, HoldsThousandsOfTools) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("t" + std::to_string(i));
  EXPECT_EQ(run(Request{.code = "await tools.t4999(Object.keys(tools).length)",
                        .providers = {{"tools", names}}})["result"],
            Value(5000));
}

// Pause and resume.

TEST(ExecboxPause, ResumesTheSameExecutionAfterTheAwait) {
  Host host;
  host.execute({.code = "let steps = ['before']; const page = await tools.echo({title: 'T'}); "
                        "steps.push(page.title ?? null); steps"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  EXPECT_FALSE(host.conversation().has_output(50ms)) << "it went on without its answer";
  host.send(result_line(call["callId"], json(R"({"title":"from the host"})")));
  EXPECT_EQ(host.receive("done")["result"], json(R"(["before","from the host"])"));
}

TEST(ExecboxPause, LetsOtherCodeRunMeanwhile) {
  Host host;
  host.execute({.code = "const log = []; const p = tools.echo(1).then(() => log.push('answered')); "
                        "await null; log.push('meanwhile'); await p; log"});
  EXPECT_EQ(host.until_done()["result"], json(R"(["meanwhile","answered"])"));
}

TEST(ExecboxPause, WaitsOutAPromiseThatNothingSettles) {
  const Value done = run(Request{.code = "await new Promise(() => {})", .timeout_ms = 100});
  EXPECT_EQ(code_of(done), "timeout");
  EXPECT_GE(done["durationMs"].as_number(), 100);
}

// Tool call contract.

TEST(ExecboxCall, ResolvesToTheResult) {
  Host host;
  host.execute({.code = "const got = await tools.echo(); [typeof got, JSON.stringify(got), "
                        "Object.getPrototypeOf(got.o) === Object.prototype, "
                        "Object.hasOwn(got.o, '__proto__')]"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  host.send(result_line(call["callId"], json(R"({"a":[1,null,"x"],"o":{"__proto__":{"p":1}}})")));
  EXPECT_EQ(
      host.receive("done")["result"],
      json(R"(["object","{\"a\":[1,null,\"x\"],\"o\":{\"__proto__\":{\"p\":1}}}",true,true])"));
}

TEST(ExecboxCall, ResolvesToUndefinedWhereTheResultIsOmitted) {
  Host host;
  host.execute({.code = "typeof await tools.echo(1)"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  host.send(R"({"type":"tool_result","callId":")" + std::string(call["callId"].as_string()) +
            R"(","ok":true})");
  EXPECT_EQ(host.receive("done")["result"], Value("undefined"));
}

TEST(ExecboxCall, RejectsWithAnErrorOfTheHostsMessageAndCode) {
  EXPECT_EQ(run("try { await tools.fail({code: 'validation_error', message: 'not so'}) } catch (e) "
                "{ globalThis.e = e } [e instanceof Error, e.name, e.message, e.code]")["result"],
            json(R"([true,"Error","not so","validation_error"])"));
}

TEST(ExecboxCall, KeepsTheHostsCodeWhereNobodyCatches) {
  for (const char* code : {"timeout", "memory_limit", "validation_error", "tool_error",
                           "runtime_error", "serialization_error", "internal_error"}) {
    const Value done =
        run("await tools.fail({code: '" + std::string(code) + "', message: 'the words'})");
    EXPECT_EQ(code_of(done), code);
    EXPECT_EQ(message_of(done), "the words");
  }
}

TEST(ExecboxCall, KeepsItThroughWhatProgramsDoWithErrors) {
  const std::string fail = "tools.fail({code: 'tool_error', message: 'm'})";
  for (const std::string& code : {
           "try { await " + fail + " } catch (e) { throw e }",
           "await Promise.all([tools.echo(1), " + fail + ", new Promise(() => {})])",
           "await Promise.race([" + fail + ", new Promise(() => {})])",
           "try { await " + fail + " } finally { await tools.echo(1) }",
           "async function a() { return await b() } async function b() { return " + fail +
               " } await a()",
           "await " + fail + ".then(x => x).finally(() => {})",
           "const e = await " + fail + ".catch(e => e); await tools.echo(1); throw e",
           "const e = await " + fail + ".catch(e => e); throw Object.freeze(e)",
           "const e = await " + fail + ".catch(e => e); await Promise.reject(e)",
           "const e = await " + fail +
               ".catch(e => e); e.code = 'timeout'; e.message = 'other'; e.stack = ''; throw e",
           "const e = await " + fail + ".catch(e => e); Object.setPrototypeOf(e, null); throw e",
           "const [r] = await Promise.allSettled([" + fail + "]); throw r.reason",
           "return " + fail,
           "async () => { for await (const x of [" + fail + "]) x }",
           fail,
       }) {
    const Value done = run(code);
    EXPECT_EQ(code_of(done), "tool_error") << code;
    EXPECT_EQ(message_of(done), "m") << code;
  }
}

TEST(ExecboxCall, NeverTakesAnImitationForTheHosts) {
  const std::string caught =
      "const e = await tools.fail({code: 'timeout', message: 'm'})"
      ".catch(e => e); ";
  for (const std::string& code : {
           std::string("throw Object.assign(new Error('Execution timed out'), {code: 'timeout'})"),
           std::string("throw {code: 'memory_limit', message: 'Memory limit exceeded'}"),
           std::string("throw new Error('out of memory')"),
           std::string("class E extends Error { code = 'timeout' } throw new E('x')"),
           caught + "throw {...e}",
           caught + "throw Object.assign(new Error(e.message), e)",
           caught + "throw Object.create(e)",
           caught + "throw new Proxy(e, {})",
           caught + "throw Object.create(Object.getPrototypeOf(e), "
                    "Object.getOwnPropertyDescriptors(e))",
           caught + "const f = new Error('f'); for (const k of Reflect.ownKeys(e)) "
                    "Object.defineProperty(f, k, Object.getOwnPropertyDescriptor(e, k)); throw f",
           caught + "throw new Error('wrapped', {cause: e})",
           caught + "throw Object.setPrototypeOf(new Error('x'), e)",
           caught + "for (const k of Reflect.ownKeys(e)) Object.prototype[k] = e[k]; throw {}",
           std::string("await Promise.any([tools.fail({code: 'timeout', message: 'm'})])"),
       }) {
    EXPECT_EQ(code_of(run(code)), "runtime_error") << code;
  }
}

TEST(ExecboxCall, EndsAnUnknownCodeOfTheHostAsRuntimeError) {
  EXPECT_EQ(run("(await tools.fail({code: 'quota', message: 'm'}).catch(e => e)).code")["result"],
            Value("quota"));
  for (const char* code : {"quota", "cancelled", "sandbox_error", "", "TIMEOUT"}) {
    const Value done = run("await tools.fail({code: '" + std::string(code) + "', message: 'm'})");
    EXPECT_EQ(code_of(done), "runtime_error") << code;
    EXPECT_EQ(message_of(done), "m");
  }
}

TEST(ExecboxCall, MayFailTenThousandTimesAtOnce) {
  const Value done = run(Request{.code = "await Promise.all(Array.from({length: 9999}, (_, i) => "
                                         "tools.fail({code: 'tool_error', message: 'm' + i})))",
                                 .timeout_ms = 30000});
  EXPECT_EQ(code_of(done), "tool_error");
  EXPECT_EQ(message_of(done), "m0");
}

TEST(ExecboxCall, IsOnlyAMessageAndNothingElse) {
  EXPECT_EQ(run("tools.echo = async () => 'mine'; await tools.echo(1)")["result"], Value("mine"));
  EXPECT_EQ(run("JSON.stringify = () => 'x'; Promise.prototype.then = null; "
                "Array.prototype.map = null; await tools.echo({a: 1})")["result"],
            json(R"({"a":1})"));
}

// Serialization contract.

TEST(ExecboxValues, AllowWhatIsTransportSafe) {
  const std::pair<const char*, const char*> values[] = {
      {"null", "null"},
      {"'text'", "\"text\""},
      {"true", "true"},
      {"-1.5e-7", "-1.5e-7"},
      {"-0", "0"},
      {"[1, [2], {a: 3}]", "[1,[2],{\"a\":3}]"},
      {"({a: {b: []}})", "{\"a\":{\"b\":[]}}"},
      {"Object.create(null)", "{}"},
      {"[undefined, , 1]", "[null,null,1]"},
      {"({a: undefined, b: 1})", "{\"b\":1}"},
      {"({['__proto__']: 1})", "{\"__proto__\":1}"},
      {"const a = {}; [a, a]", "[{},{}]"},
      {"'\\u0000\\n\\u2028\\ud83d\\ude00'", "\"\\u0000\\n\\u2028\\ud83d\\ude00\""},
      {"2 ** 53", "9007199254740992"},
      {"({get a() { return 1 }})", "{\"a\":1}"},
      {"Promise.resolve(Promise.resolve(5))", "5"},
      {"({then(f) { f(6) }})", "6"},
  };
  for (const auto& [code, expected] : values) {
    const Value done = run(code);
    EXPECT_EQ(done["result"], json(expected)) << code << *to_json(done);
  }
}

TEST(ExecboxValues, LeaveUndefinedOutOfDone) {
  for (const char* code : {"undefined", "", "const a = 1", "void 0"}) {
    const Value done = run(code);
    EXPECT_EQ(done["ok"], Value(true)) << code;
    EXPECT_FALSE(done.contains("result")) << code;
    EXPECT_FALSE(done.contains("error")) << code;
  }
}

const std::vector<std::string> refused_values = {
    "1n",
    "() => 1",
    "(function () {})",
    "class A {}; A",
    "Symbol()",
    "Symbol.iterator",
    "NaN",
    "Infinity",
    "-Infinity",
    "const a = {}; a.a = a; a",
    "const a = []; a[0] = [a]; a",
    "new Date(0)",
    "new Map()",
    "new Set()",
    "/x/",
    "new (class A {})()",
    "new Error('x')",
    "new Uint8Array(2)",
    "new ArrayBuffer(2)",
    "new String('s')",
    "new Number(1)",
    "Object.create({})",
    "new WeakMap()",
    "(function* () {})()",
    "new Proxy({}, {getPrototypeOf() { throw 1 }})",
    "({get a() { throw new Error('x') }})",
};

TEST(ExecboxValues, RefuseResultsThatAreNotTransportSafe) {
  for (const std::string& value : refused_values) {
    const Value done = run(value);
    EXPECT_EQ(code_of(done), "serialization_error") << value;
    EXPECT_EQ(message_of(done), "Guest code returned a non-serializable value") << value;
    EXPECT_FALSE(done.contains("result")) << value;
  }
}

TEST(ExecboxValues, RefuseThemInside) {
  for (const char* value : {"[1n]", "({a: () => 1})", "[[Symbol()]]", "({a: {b: NaN}})",
                            "[new Date(0)]", "({m: new Map()})"}) {
    EXPECT_EQ(code_of(run(value)), "serialization_error") << value;
  }
}

TEST(ExecboxValues, RefuseInputsWithoutTellingTheHost) {
  Host host;
  std::string code = "const codes = [];\n";
  for (const char* value : {"1n", "() => 1", "Symbol()", "NaN", "new Date()", "[new Map()]"})
    code += "codes.push(await tools.echo(" + std::string(value) + ").catch(e => e.code));\n";
  host.execute({.code = code + "codes.join()"});
  EXPECT_EQ(host.until_done()["result"],
            Value("serialization_error,serialization_error,serialization_error,"
                  "serialization_error,serialization_error,serialization_error"));
  EXPECT_THAT(host.calls, IsEmpty());
  const Value uncaught = run("await tools.echo(new Date())");
  EXPECT_EQ(code_of(uncaught), "serialization_error");
  EXPECT_EQ(message_of(uncaught), "Guest code returned a non-serializable value");
}

TEST(ExecboxValues, RefuseResultsOfToolsThatAreNotTransportSafe) {
  Host host;
  host.execute({.code = "await tools.echo(1)"});
  host.receive("started");
  host.receive("tool_call");
  host.send(R"({"type":"tool_result","callId":"call-1","ok":true,"result":[1e999]})");
  EXPECT_EQ(code_of(host.receive("done")), "serialization_error");

  Host deep;
  deep.execute({.code = "await tools.echo(1).catch(e => e.code)"});
  deep.receive("started");
  deep.receive("tool_call");
  deep.send(R"({"type":"tool_result","callId":"call-1","ok":true,"result":)" +
            std::string(5000, '[') + std::string(5000, ']') + "}");
  EXPECT_EQ(deep.receive("done")["result"], Value("serialization_error"));
}

TEST(ExecboxValues, AreJsonsWhereTheOperatorSaysSo) {
  const std::pair<const char*, const char*> values[] = {
      {"new Date(0)", "\"1970-01-01T00:00:00.000Z\""},
      {"NaN", "null"},
      {"({a: () => 1, b: [Symbol(), 1]})", "{\"b\":[null,1]}"},
      {"new Map([[1, 2]])", "{}"},
      {"new (class A { x = 1 })()", "{\"x\":1}"},
      {"new Uint8Array([7])", "{\"0\":7}"},
      {"({toJSON() { return 'mine' }})", "\"mine\""},
      {"await tools.echo(new Date(0))", "\"1970-01-01T00:00:00.000Z\""},
  };
  for (const auto& [code, expected] : values) {
    const Value done = run(Request{.code = code}, {"--values", "json"});
    EXPECT_EQ(done["result"], json(expected)) << code << *to_json(done);
  }
  for (const char* code : {"1n", "() => 1", "Symbol()", "const a = {}; a.a = a; a"}) {
    EXPECT_EQ(code_of(run(Request{.code = code}, {"--values", "json"})), "serialization_error");
  }
}

// Logs.

TEST(ExecboxLogs, HaveALineForEachCall) {
  EXPECT_THAT(logs_of(run("console.log('a'); console.info('b'); console.warn('c'); "
                          "console.error('d'); console.log()")),
              ElementsAre("a", "b", "c", "d", ""));
}

TEST(ExecboxLogs, JoinFormattedArgumentsWithSpaces) {
  EXPECT_THAT(logs_of(run("console.log('a', 1, true, null, undefined, {b: [2]}, 'x y')")),
              ElementsAre("a 1 true null undefined {\"b\":[2]} x y"));
}

TEST(ExecboxLogs, FallBackToStringConversion) {
  EXPECT_THAT(logs_of(run("console.log(1n, Symbol('s'), NaN, new Date(0))")),
              ElementsAre("1 Symbol(s) null \"1970-01-01T00:00:00.000Z\""));
  // The specification leaves open which conversion: not one that says only [object Object].
  EXPECT_THAT(
      logs_of(run("const a = {}; a.a = a; console.log(a, {n: 1n}, {m: new Map([[1, 2]])})")),
      ElementsAre("<ref *1> { a: [Circular *1] } { n: 1n } { m: Map(1) { 1 => 2 } }"));
  // What throws is still a line, and no reason for the program to fail.
  EXPECT_THAT(logs_of(run("console.log({toJSON() { throw 1 }}); console.log('next')")),
              ElementsAre("{ toJSON: [Function: toJSON] }", "next"));
}

TEST(ExecboxLogs, HaveNoDirectives) {
  EXPECT_THAT(logs_of(run("console.log('%s is %d%%', 'a', 1)")), ElementsAre("%s is %d%% a 1"));
}

TEST(ExecboxLogs, ShowErrorsAsJson) {
  EXPECT_THAT(logs_of(run("const e = new TypeError('no'); e.stack = 'where'; console.log(e)")),
              ElementsAre(R"({"name":"TypeError","message":"no","stack":"where"})"));
}

TEST(ExecboxLogs, KeepEveryCharacter) {
  EXPECT_THAT(logs_of(run("console.log('a\\u0000b\\nc\\ud83d\\ude00')")),
              ElementsAre(std::string("a\0b\nc\U0001F600", 9)));
}

TEST(ExecboxLogs, KeepTheEarliestLines) {
  EXPECT_THAT(logs_of(run(Request{.code = "for (let i = 0; i < 9; i++) console.log(i)",
                                  .max_log_lines = 3})),
              ElementsAre("0", "1", "2"));
  EXPECT_THAT(logs_of(run(Request{.code = "console.log(1)", .max_log_lines = 0})), IsEmpty());
}

TEST(ExecboxLogs, CountCharactersThroughAllLinesAndClipTheLast) {
  const std::string code = "console.log('abc'); console.log('def'); console.log('ghi')";
  EXPECT_THAT(logs_of(run(Request{.code = code, .max_log_chars = 5})), ElementsAre("abc", "de"));
  EXPECT_THAT(logs_of(run(Request{.code = code, .max_log_chars = 6})), ElementsAre("abc", "def"));
  EXPECT_THAT(logs_of(run(Request{.code = code, .max_log_chars = 0})), IsEmpty());
  EXPECT_THAT(logs_of(run(Request{.code = "console.log('a\\ud83d\\ude00b')", .max_log_chars = 3})),
              ElementsAre("a\U0001F600"));
}

TEST(ExecboxLogs, ApplyTheLimitOfLinesFirst) {
  EXPECT_THAT(logs_of(run(Request{.code = "console.log('aaaa'); console.log('b'); console.log('c')",
                                  .max_log_lines = 2,
                                  .max_log_chars = 5})),
              ElementsAre("aaaa", "b"));
}

TEST(ExecboxLogs, ComeWithFailuresToo) {
  EXPECT_THAT(logs_of(run("console.log('seen'); throw 1")), ElementsAre("seen"));
  EXPECT_THAT(logs_of(run(Request{.code = "console.log('seen'); for (;;);", .timeout_ms = 50})),
              ElementsAre("seen"));
  EXPECT_THAT(logs_of(run(Request{.code = "console.log('seen'); new Uint8Array(1e9)",
                                  .memory_limit_bytes = 16 << 20})),
              ElementsAre("seen"));
}

// Final result contract.

TEST(ExecboxDone, HasEitherAResultOrAnError) {
  const Value good = run("5");
  EXPECT_TRUE(good.contains("result") && !good.contains("error"));
  const Value bad = run("throw new Error('x')");
  EXPECT_TRUE(bad.contains("error") && !bad.contains("result"));
  EXPECT_TRUE(bad["error"]["code"].is_string() && bad["error"]["message"].is_string());
}

TEST(ExecboxDone, MeasuresWallTime) {
  Host host;
  host.execute({.code = "await tools.hang()"});
  host.receive("started");
  host.receive("tool_call");
  std::this_thread::sleep_for(80ms);
  host.send(result_line(Value("call-1"), Value(1)));
  const double duration = host.receive("done")["durationMs"].as_number();
  EXPECT_GE(duration, 80);
  EXPECT_LT(duration, 2000);
  EXPECT_EQ(duration, static_cast<int>(duration)) << "whole milliseconds";
}

// Error mapping.

TEST(ExecboxErrors, TellGuestErrorsAsRuntimeErrors) {
  const std::pair<const char*, const char*> programs[] = {
      {"throw new Error('boo')", "boo"},
      {"throw new TypeError('')", ""},
      {"throw 42", "42"},
      {"throw null", "null"},
      {"throw undefined", "undefined"},
      {"throw 'text'", "text"},
      {"throw {message: 'of an object'}", "of an object"},
      {"await Promise.reject(new Error('rejected'))", "rejected"},
      {"missing", "missing is not defined"},
      {"throw Symbol('s')", "Symbol(s)"},
      {"throw new Error('a\\nb\\u0007')", "a\nb\x07"},
  };
  for (const auto& [code, message] : programs) {
    const Value done = run(code);
    EXPECT_EQ(code_of(done), "runtime_error") << code;
    EXPECT_EQ(message_of(done), message) << code;
  }
}

TEST(ExecboxErrors, LeaveRejectionsToNobodyThatNobodyAwaits) {
  for (const char* code : {"Promise.reject(new Error('lost')); 5",
                           "(async () => { throw new Error('lost') })(); await tools.echo(1); 5",
                           "tools.fail({code: 'tool_error', message: 'm'}); await tools.echo(1); 5",
                           "tools.echo(1n); 5"}) {
    const Value done = run(code);
    EXPECT_EQ(done["result"], Value(5)) << code << ": " << message_of(done);
  }
  // Nor do they end one that waits for something else.
  const char* const waits = "Promise.reject(new Error('lost')); await new Promise(() => {})";
  EXPECT_EQ(code_of(run(Request{.code = waits, .timeout_ms = 50})), "timeout");
}

TEST(ExecboxErrors, TellSyntaxErrorsAsRuntimeErrorsWithoutPositions) {
  const Value done = run("let let = 1 +");
  EXPECT_EQ(code_of(done), "runtime_error");
  EXPECT_THAT(message_of(done), testing::Not(testing::ContainsRegex("[0-9]+:[0-9]+|at ")));
}

TEST(ExecboxErrors, ReserveTimeoutForRealTimeouts) {
  const Value real = run(Request{.code = "for (;;);", .timeout_ms = 30});
  EXPECT_EQ(code_of(real), "timeout");
  EXPECT_EQ(message_of(real), "Execution timed out");
  EXPECT_EQ(code_of(run(Request{.code = "await tools.hang()", .timeout_ms = 30})), "timeout");
  EXPECT_EQ(code_of(run("throw new Error('Execution timed out')")), "runtime_error");
}

TEST(ExecboxErrors, ReserveMemoryLimitForRealMemoryFailures) {
  for (const char* code : {"new Uint8Array(300e6)", "'x'.repeat(300e6)",
                           "const a = []; for (;;) a.push({a: [a.length]})",
                           "try { new Uint8Array(300e6) } catch {} 'caught'"}) {
    EXPECT_EQ(code_of(run(Request{.code = code, .memory_limit_bytes = 32 << 20})), "memory_limit")
        << code;
  }
  EXPECT_EQ(code_of(run("throw new Error('Memory limit of 1 bytes exceeded')")), "runtime_error");
  EXPECT_EQ(code_of(run("throw new InternalError('out of memory')")), "runtime_error");
}

TEST(ExecboxErrors, TellAStackThatIsUsedUpAsARuntimeError) {
  EXPECT_EQ(code_of(run("(function f() { f() })()")), "runtime_error");
  EXPECT_EQ(code_of(run("JSON.parse('['.repeat(1e5))")), "runtime_error");
}

// What is known beside code and message.

TEST(ExecboxDiagnostics, SayWhatTheErrorWasAndWhere) {
  const Value done = run("const a = {};\nfunction f() { return a.b.c }\nf()");
  const ValueView error = done.find("error");
  EXPECT_EQ(error["name"], Value("TypeError"));
  EXPECT_EQ(error["location"]["file"], Value("program.js"));
  EXPECT_EQ(error["location"]["line"], Value(2));
  EXPECT_EQ(error["location"]["column"], Value(27));
  EXPECT_THAT(std::string(error["stack"].as_string()),
              testing::HasSubstr("at f (program.js:2:27)"));
}

TEST(ExecboxDiagnostics, SayWhatToWriteInstead) {
  const Value near = run("await tools.ecko(1)");
  EXPECT_EQ(near["error"]["hint"], Value("there is no ecko; did you mean echo?"));
  EXPECT_EQ(Value::copy_of(near["error"]["suggestions"]), json(R"(["echo"])"));
  EXPECT_EQ(run("await fetch('https://example.com')")["error"]["hint"],
            Value("there is no network; its tools are tools.echo, tools.fail, tools.hang"));
  EXPECT_THAT(std::string(run("process.env.KEY")["error"]["hint"].as_string()),
              testing::Not(testing::HasSubstr("input")))
      << "which no execbox program has";
  EXPECT_EQ(
      run("await tools.fail({code: 'tool_error', message: 'no'})")["error"]["hint"],
      Value("it is the failure of tools.fail({\"code\": \"tool_error\", \"message\": \"no\"})"));
}

TEST(ExecboxDiagnostics, NameThePlaceInAValue) {
  const Value done = run("({rows: [1, {when: new Date()}]})");
  EXPECT_EQ(done["error"]["place"], Value("rows[1].when"));
  EXPECT_EQ(done["error"]["hint"], Value("write rows[1].when.toISOString()"));
  EXPECT_EQ(done["error"]["reason"], Value("an object of class Date"));
  EXPECT_EQ(message_of(done), "Guest code returned a non-serializable value");
}

TEST(ExecboxDiagnostics, AreOnlyThereWhereTheyAreKnown) {
  const Value done = run(Request{.code = "for (;;);", .timeout_ms = 30});
  EXPECT_EQ(done["error"].size(), 2u) << *to_json(done);
  EXPECT_FALSE(run("1").contains("error"));
}

TEST(ExecboxDiagnostics, NameTheCauses) {
  const Value done =
      run("throw new Error('mine', {cause: new TypeError('why', {cause: new Error('deep')})})");
  EXPECT_EQ(done["error"]["cause"]["name"], Value("TypeError"));
  EXPECT_EQ(done["error"]["cause"]["message"], Value("why"));
  EXPECT_EQ(done["error"]["cause"]["cause"]["message"], Value("deep"));
}

TEST(ExecboxDiagnostics, AreShort) {
  const Value done =
      run("const e = new Error('m'); e.name = 'n'.repeat(1e6); e.stack = '\\ud800'.repeat(1e6); "
          "throw e");
  EXPECT_LT(to_json(done)->size(), 20'000u);
  EXPECT_EQ(message_of(done), "m");
}

TEST(ExecboxErrors, UseOnlyTheStableCodes) {
  for (const std::string& code : {std::string("throw 1"), std::string("x y"), std::string("1n"),
                                  std::string("import('fs')"), std::string("import 'fs'")}) {
    EXPECT_THAT(code_of(run(code)),
                testing::AnyOf("timeout", "memory_limit", "validation_error", "tool_error",
                               "runtime_error", "serialization_error", "internal_error"))
        << code;
  }
}

}  // namespace
}  // namespace cordon::conformance
