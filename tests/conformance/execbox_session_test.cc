// The execbox runner specification, rule by rule: sessions, states, ids, cancellation and the end
// of the transport. docs/execbox.md maps each rule to its test.

#include <chrono>
#include <set>

#include "execbox_host.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::conformance {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto cancel_grace = 25ms;
// A machine that is busy with other tests may be late by this much.
constexpr auto slack = 500ms;

// Session model and state machine.

TEST(ExecboxSession, CarriesOneExecutionOnOneTransport) {
  Host host;
  host.execute({.code = "(await tools.echo(1)) + (await tools.echo(2))"});
  EXPECT_EQ(host.receive("started")["id"], "exec-1");
  const Value done = host.until_done();
  EXPECT_EQ(done["result"], Value(3));
  EXPECT_EQ(host.calls.size(), 2u);
  host.expect_end();
}

TEST(ExecboxSession, StartsAFreshOneForEachExecution) {
  EXPECT_EQ(run("globalThis.left = 1; left")["result"], Value(1));
  EXPECT_EQ(run("typeof left")["result"], Value("undefined"));
}

TEST(ExecboxSession, RefusesASecondExecuteWhileOneIsActive) {
  Host host;
  host.execute({.code = "await tools.echo('first')"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  host.execute({.code = "2", .id = "exec-2"});
  const Value refused = host.receive("done");
  EXPECT_EQ(refused["id"], "exec-2");
  EXPECT_EQ(code_of(refused), "internal_error");
  EXPECT_EQ(message_of(refused), "QuickJS endpoint already has an active execution");
  EXPECT_EQ(refused["durationMs"], Value(0));
  host.send(result_line(call["callId"], Value("still there")));
  const Value done = host.receive("done");
  EXPECT_EQ(done["id"], "exec-1");
  EXPECT_EQ(done["result"], Value("still there"));
  host.expect_end();
}

TEST(ExecboxSession, NeverTellsADoneTwiceUnderOneId) {
  Host host;
  host.execute({.code = "await tools.echo(1)"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  host.execute({.code = "2"});
  host.send(result_line(call["callId"], Value(1)));
  EXPECT_EQ(host.receive("done")["result"], Value(1));
  host.expect_end();
}

TEST(ExecboxStates, EndASuccessfulSessionWithExactlyOneDone) {
  Host host;
  host.execute({.code = "tools.hang(); 1"});
  host.receive("started");
  host.receive("tool_call");
  EXPECT_EQ(code_of(host.receive("done")), "ok");
  host.expect_end();
}

TEST(ExecboxStates, TellStartedOnceBeforeCallsAndDone) {
  Host host;
  host.execute({.code = "await tools.echo(1)"});
  std::vector<std::string> types;
  while (const std::optional<Value> message = host.receive_any()) {
    types.emplace_back((*message)["type"].as_string());
    if (types.back() == "tool_call") host.send(result_line((*message)["callId"], Value(1)));
  }
  EXPECT_THAT(types, ElementsAre("started", "tool_call", "done"));
  EXPECT_EQ(run("syntax error")["ok"], Value(false)) << "also where the text does not parse";
}

TEST(ExecboxStates, LetCallsRepeatZeroOrMoreTimes) {
  EXPECT_EQ(run("0")["result"], Value(0));
  Host host;
  host.execute({.code = "let n = 0; for (let i = 0; i < 500; i++) n += await tools.echo(1); n"});
  EXPECT_EQ(host.until_done()["result"], Value(500));
  EXPECT_EQ(host.calls.size(), 500u);
}

TEST(ExecboxStates, TakeNothingAfterDone) {
  Host host;
  host.execute({.code = "1"});
  host.receive("started");
  host.receive("done");
  host.execute({.code = "2", .id = "late"});
  host.send(cancel_line());
  host.expect_end();
}

// Inputs to the runner.

TEST(ExecboxInputs, KeepTheIdAsItIs) {
  for (const char* id : {"", "exec-1", "a\"b\\c", "line\nbreak", "\u00e9\U0001F600", "__proto__"}) {
    Host host;
    host.execute({.code = "1", .id = id});
    EXPECT_EQ(host.receive("started")["id"], std::string_view(id));
    EXPECT_EQ(host.receive("done")["id"], std::string_view(id));
  }
  Host host;
  const std::string odd = execute_line({.code = "1", .id = "ID"});
  host.send(std::string(odd).replace(odd.find("ID"), 2, "\\ud800\\u0000"));
  EXPECT_EQ(host.receive("started")["id"], std::string_view("\xED\xA0\x80\0", 4));
}

TEST(ExecboxInputs, RunTheWholeCode) {
  EXPECT_EQ(run("const a = 20;\nconst b = 22; // two\na + b\n")["result"], Value(42));
  EXPECT_EQ(run("```js\n1 + 1;\n```")["result"], Value(2));
  EXPECT_EQ(run("return 7")["result"], Value(7));
  EXPECT_EQ(run("")["ok"], Value(true));
  EXPECT_EQ(run("async () => 5")["result"], Value(5));
  EXPECT_EQ(run("function main() { return 6 }")["result"], Value(6));
}

TEST(ExecboxInputs, HoldTheLimitsThatOptionsCarry) {
  EXPECT_EQ(code_of(run(Request{.code = "for (;;);", .timeout_ms = 30})), "timeout");
  EXPECT_EQ(code_of(run(Request{.code = "const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)",
                                .memory_limit_bytes = 8 << 20})),
            "memory_limit");
  EXPECT_THAT(
      logs_of(run(Request{.code = "console.log('abc'); console.log('d')", .max_log_lines = 1})),
      ElementsAre("abc"));
}

TEST(ExecboxInputs, ClampNumbersThatAreOutOfRange) {
  for (const double odd : {0.0, -1.0, -1e300, 0.5, 1e300}) {
    const Value timeout = run(Request{.code = "1", .timeout_ms = odd});
    EXPECT_TRUE(code_of(timeout) == "ok" || code_of(timeout) == "timeout") << odd;
    const Value memory = run(Request{.code = "1", .memory_limit_bytes = odd});
    EXPECT_TRUE(code_of(memory) == "ok" || code_of(memory) == "memory_limit") << odd;
    const Value lines = run(Request{.code = "console.log('a'); 1", .max_log_lines = odd});
    EXPECT_EQ(logs_of(lines).size(), odd > 1 ? 1u : 0u) << odd;
    const Value chars = run(Request{.code = "console.log('a'); 1", .max_log_chars = odd});
    EXPECT_EQ(logs_of(chars).size(), odd > 1 ? 1u : 0u) << odd;
  }
}

TEST(ExecboxInputs, LowerARequestToTheOperatorsCeilings) {
  const auto start = Clock::now();
  EXPECT_EQ(
      code_of(run(Request{.code = "for (;;);", .timeout_ms = 60000}, {"--max-timeout", "50"})),
      "timeout");
  EXPECT_LT(Clock::now() - start, 5s);
  const Value memory =
      run(Request{.code = "new Uint8Array(32 << 20).length", .memory_limit_bytes = 1e12},
          {"--max-memory", "16MiB"});
  EXPECT_EQ(code_of(memory), "memory_limit");
  EXPECT_EQ(logs_of(run(Request{.code = "for (let i = 0; i < 9; i++) console.log(i)"},
                        {"--max-log-lines", "3"}))
                .size(),
            3u);
  EXPECT_THAT(logs_of(run(Request{.code = "console.log('abcdef')"}, {"--max-log-chars", "2"})),
              ElementsAre("ab"));
}

TEST(ExecboxInputs, TakeProvidersForMetadataAlone) {
  Host host;
  std::string line = execute_line({.code = "Object.keys(tools).join()"});
  line.replace(line.find("declare namespace"), 17, "process.exit(1); globalThis.pwned = 1;");
  host.send(line);
  EXPECT_EQ(host.until_done()["result"], Value("echo,fail,hang"));
}

TEST(ExecboxInputs, AnswerAMalformedExecuteThatHasAnId) {
  for (
      const char* line : {
          R"({"type":"execute","id":"bad"})",
          R"({"type":"execute","id":"bad","code":1,"options":{},"providers":[]})",
          R"({"type":"execute","id":"bad","code":"1","options":{},"providers":[]})",
          R"({"type":"execute","id":"bad","code":"1","options":null,"providers":[]})",
          R"({"type":"execute","id":"bad","code":"1","options":{"timeoutMs":"9","memoryLimitBytes":1,"maxLogLines":1,"maxLogChars":1},"providers":[]})",
          R"({"type":"execute","id":"bad","code":"1","options":{"timeoutMs":9,"memoryLimitBytes":1,"maxLogLines":1,"maxLogChars":1},"providers":{}})",
          R"({"type":"execute","id":"bad","code":"1","options":{"timeoutMs":9,"memoryLimitBytes":1,"maxLogLines":1,"maxLogChars":1},"providers":[{"name":1,"tools":{}}]})",
      }) {
    Host host;
    host.send(line);
    const Value done = host.receive("done");
    EXPECT_EQ(done["id"], "bad");
    EXPECT_EQ(code_of(done), "validation_error") << line;
    EXPECT_THAT(message_of(done), HasSubstr("Invalid execute message"));
    EXPECT_THAT(logs_of(done), IsEmpty());
    host.expect_end();
  }
}

// Noise.

TEST(ExecboxNoise, IsIgnoredBeforeDuringAndAfter) {
  const std::vector<std::string> noise = {
      "",
      "   ",
      "\r",
      "garbage",
      "{",
      "}",
      "[]",
      "{}",
      "null",
      "true",
      "1e999",
      "\"execute\"",
      R"({"type":"execute"})",
      R"({"type":"execute","id":1,"code":"9"})",
      R"({"type":"unknown"})",
      R"({"type":"started","id":"exec-1"})",
      R"({"type":"done","id":"exec-1","ok":true})",
      R"({"type":"tool_result","callId":"call-1"})",
      R"({"type":"tool_result","callId":"call-1","ok":"true"})",
      R"({"type":"tool_result","callId":"call-1","ok":false})",
      R"({"type":"tool_result","callId":"call-7","ok":true,"result":1})",
      R"({"type":"cancel"})",
      R"({"type":"cancel","id":"other"})",
      "\xff\xfe\xfd",
      std::string("{\"type\":\"cancel\",\"id\":\"\xff\"}"),
      std::string("\0\0", 2),
      std::string("{\"type\":\"can\0cel\"}", 18),
      "{\"type\":\"cancel\",",
      "\"id\":\"exec-1\"}",
      std::string(100'000, '['),
      std::string(1 << 20, 'x')};
  Host host;
  for (const std::string& line : noise) host.send(line);
  host.execute({.code = "await tools.echo('through')"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  for (const std::string& line : noise) host.send(line);
  host.send(result_line(call["callId"], Value("through")));
  EXPECT_EQ(host.receive("done")["result"], Value("through"));
  for (const std::string& line : noise) host.conversation().send(line);
  host.expect_end();
}

TEST(ExecboxNoise, IsALineThatIsTooLarge) {
  Host host({"--max-message", "1MiB"});
  host.send(std::string(3 << 20, 'x'));
  host.execute({.code = "1"});
  host.receive("started");
  EXPECT_EQ(host.receive("done")["result"], Value(1));
}

TEST(ExecboxNoise, IsNoReasonToLeaveAHostWaiting) {
  Host large({"--max-message", "1MiB"});
  large.execute({.code = "'" + std::string(3 << 20, 'x') + "'", .id = "large"});
  const Value refused = large.receive("done");
  EXPECT_EQ(refused["id"], "large");
  EXPECT_EQ(code_of(refused), "validation_error");

  Host answered({"--max-message", "1MiB"});
  answered.execute({.code = "await tools.echo().catch(e => e.code)"});
  answered.receive("started");
  const Value call = answered.receive("tool_call");
  answered.send(result_line(call["callId"], Value(std::string(3 << 20, 'x'))));
  EXPECT_EQ(answered.receive("done")["result"], Value("serialization_error"));
}

TEST(ExecboxNoise, LeavesSixtyFourMebibytesForAMessage) {
  Host host;
  host.execute(
      {.code = "'" + std::string(20 << 20, 'x') + "'.length", .memory_limit_bytes = 512 << 20});
  host.receive("started");
  EXPECT_EQ(host.receive("done")["result"], Value(20 << 20));
}

// Cancellation and transport failure.

Value cancelled(const std::string& code, bool waits_for_call, std::chrono::milliseconds after) {
  Host host;
  host.execute({.code = code, .timeout_ms = 20000});
  host.receive("started");
  if (waits_for_call) host.receive("tool_call");
  std::this_thread::sleep_for(after);
  const auto start = Clock::now();
  host.send(cancel_line());
  const Value done = host.receive("done");
  EXPECT_LT(Clock::now() - start, cancel_grace + slack) << code;
  EXPECT_EQ(code_of(done), "timeout") << code;
  EXPECT_EQ(message_of(done), "Execution timed out");
  host.expect_end();
  return done;
}

TEST(ExecboxCancel, EndsAGuestPromptlyWhereverItIs) {
  cancelled("await tools.hang()", true, 0ms);
  cancelled("for (;;);", false, 30ms);
  cancelled("await new Promise(() => {})", false, 10ms);
  cancelled("for (;;) await null", false, 10ms);
  cancelled("/(a+)+$/.test('a'.repeat(40) + 'b')", false, 20ms);
  cancelled("[].indexOf.call({length: 2 ** 53 - 1}, 1)", false, 20ms);
  cancelled("'x'.repeat(1e7).replace(/x/g, () => 'y'.repeat(1e3))", false, 10ms);
  cancelled("({get a() { for (;;); }})", false, 20ms);
  cancelled("throw {get message() { for (;;); }}", false, 20ms);
}

TEST(ExecboxCancel, KeepsTheLogsSoFar) {
  EXPECT_THAT(logs_of(cancelled("console.log('before'); await tools.hang()", true, 0ms)),
              ElementsAre("before"));
}

TEST(ExecboxCancel, RunsNoGuestCodeAfterwards) {
  const Value done = cancelled(
      "try { await tools.hang() } catch { console.log('caught') } finally { console.log('finally') "
      "}"
      " console.log('after')",
      true, 0ms);
  EXPECT_THAT(logs_of(done), IsEmpty());
}

TEST(ExecboxCancel, MayComeBeforeAnyCall) {
  Host host;
  host.send(execute_line({.code = "for (;;);"}) + "\n" + cancel_line());
  host.receive("started");
  EXPECT_EQ(code_of(host.receive("done")), "timeout");
  host.expect_end();
}

TEST(ExecboxCancel, MeansOnlyTheActiveExecution) {
  Host host;
  host.send(cancel_line());  // nothing is active: it is forgotten
  host.execute({.code = "await tools.echo(1)"});
  host.receive("started");
  host.send(cancel_line("exec-2"));
  host.send(cancel_line(""));
  EXPECT_EQ(host.until_done()["result"], Value(1));
}

TEST(ExecboxCancel, MayCrossWithDone) {
  for (int i = 0; i < 20; ++i) {
    Host host;
    host.execute({.code = "1"});
    host.send(cancel_line());
    host.receive("started");
    const Value done = host.receive("done");
    EXPECT_TRUE(code_of(done) == "ok" || code_of(done) == "timeout");
    host.expect_end();
  }
}

TEST(ExecboxTransport, EndsQuietlyWhereItClosesBeforeAnExecute) {
  Host host;
  host.conversation().end_input();
  host.expect_end();
  Host noise;
  noise.send("noise");
  noise.conversation().end_input();
  noise.expect_end();
}

TEST(ExecboxTransport, EndsAtOnceWhereAGuestWaitsForATool) {
  Host host;
  host.execute({.code = "await tools.hang()", .timeout_ms = 60000});
  host.receive("started");
  host.receive("tool_call");
  const auto start = Clock::now();
  host.conversation().end_input();
  const Value done = host.receive("done");
  EXPECT_LT(Clock::now() - start, 1s);
  EXPECT_EQ(code_of(done), "internal_error");
  host.expect_end();
}

TEST(ExecboxTransport, LetsAGuestFinishThatComputes) {
  Host host;
  host.execute({.code = "const end = Date.now() + 100; while (Date.now() < end); 'finished'"});
  host.conversation().end_input();
  host.receive("started");
  EXPECT_EQ(host.receive("done")["result"], Value("finished"));
  host.expect_end();

  Host endless;
  endless.execute({.code = "for (;;);", .timeout_ms = 50});
  endless.conversation().end_input();
  endless.receive("started");
  EXPECT_EQ(code_of(endless.receive("done")), "timeout");
  endless.expect_end();
}

TEST(ExecboxTransport, TakesALastLineWithoutItsEnd) {
  Host host;
  host.conversation().send_bytes(execute_line({.code = "6 * 7"}));
  host.conversation().end_input();
  host.receive("started");
  EXPECT_EQ(host.receive("done")["result"], Value(42));
  host.expect_end();
}

TEST(ExecboxTransport, TakesMessagesInAnyPieces) {
  Host host;
  const std::string line = execute_line({.code = "'\u00e9'"}) + "\r\n";
  for (const char c : line) {
    host.conversation().send_bytes(std::string_view(&c, 1));
  }
  host.receive("started");
  EXPECT_EQ(host.receive("done")["result"], Value("\u00e9"));
}

TEST(ExecboxTransport, EndsWhereNobodyReads) {
  Host host;
  host.execute({.code = "await tools.hang()", .timeout_ms = 60000});
  host.receive("started");
  host.conversation().close_output();
  host.send(cancel_line());
  EXPECT_EQ(host.conversation().wait(), 70);
}

TEST(ExecboxTransport, WaitsForASlowReaderAndStillHearsItsHost) {
  // More calls than a pipe holds, and answers to all of them before any is read.
  Host host;
  const std::string text(1000, 'x');
  host.execute({.code = "const all = await Promise.all(Array.from({length: 3000}, () => "
                        "tools.echo('" +
                        text + "'))); all.length",
                .timeout_ms = 60000});
  for (int i = 1; i <= 3000; ++i) {
    host.send(result_line(Value("call-" + std::to_string(i)), Value(text)));
  }
  std::this_thread::sleep_for(50ms);
  for (int i = 1; i <= 3000; ++i) {
    host.send(result_line(Value("call-" + std::to_string(i)), Value(text)));
  }
  EXPECT_EQ(host.until_done()["result"], Value(3000));
}

// Ids and correlation.

TEST(ExecboxCorrelation, GivesEachCallAnIdOfItsOwn) {
  Host host;
  host.execute({.code = "await Promise.all([1, 2, 3].map(n => tools.echo(n)))"});
  EXPECT_EQ(host.until_done()["result"], Value::array({1, 2, 3}));
  std::set<std::string> ids;
  for (const Value& call : host.calls) ids.emplace(call["callId"].as_string());
  EXPECT_EQ(ids.size(), 3u);
}

TEST(ExecboxCorrelation, MatchesResultsByCallIdInAnyOrder) {
  Host host;
  host.execute({.code = "await Promise.all([tools.echo('a'), tools.echo('b')])"});
  host.receive("started");
  const Value first = host.receive("tool_call");
  const Value second = host.receive("tool_call");
  host.send(result_line(second["callId"], Value("of b")));
  host.send(result_line(first["callId"], Value("of a")));
  EXPECT_EQ(host.receive("done")["result"], Value::array({"of a", "of b"}));
}

TEST(ExecboxCorrelation, IgnoresUnknownForeignAndSettledCallIds) {
  Host host;
  host.execute(
      {.code = "const a = await tools.echo('a'); const b = await tools.echo('b'); [a, b]"});
  host.receive("started");
  const Value first = host.receive("tool_call");
  for (const char* id : {"call-2", "call-999", "", "exec-1", "CALL-1"}) {
    host.send(result_line(Value(id), Value("forged")));
  }
  host.send(result_line(first["callId"], Value(1)));
  host.send(result_line(first["callId"], Value("again")));
  const Value second = host.receive("tool_call");
  EXPECT_NE(first["callId"].as_string(), second["callId"].as_string());
  host.send(failure_line(first["callId"], "tool_error", "late"));
  host.send(result_line(second["callId"], Value(2)));
  EXPECT_EQ(host.receive("done")["result"], Value::array({1, 2}));
}

// The transcripts of the specification, to the letter.

TEST(ExecboxTranscript, OfSuccess) {
  Host host;
  host.send(
      R"({"type":"execute","id":"exec-1","code":"const value = await tools.echo({\"ok\":true}); value.ok","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"echo":{"safeName":"echo","originalName":"echo","description":"Echo input"}},"types":"declare namespace tools { ... }"}]})");
  EXPECT_EQ(host.conversation().receive(), R"({"type":"started","id":"exec-1"})");
  EXPECT_EQ(
      host.conversation().receive(),
      R"({"type":"tool_call","callId":"call-1","providerName":"tools","safeToolName":"echo","input":{"ok":true}})");
  host.send(R"({"type":"tool_result","callId":"call-1","ok":true,"result":{"ok":true}})");
  EXPECT_THAT(
      *host.conversation().receive(),
      testing::MatchesRegex(
          R"(\{"type":"done","id":"exec-1","ok":true,"durationMs":[0-9]+,"logs":\[\],"result":true\})"));
  host.expect_end();
}

TEST(ExecboxTranscript, OfCancellation) {
  Host host;
  host.send(
      R"x({"type":"execute","id":"exec-2","code":"await tools.hang({})","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"hang":{"safeName":"hang","originalName":"hang"}},"types":"declare namespace tools { ... }"}]})x");
  EXPECT_EQ(host.conversation().receive(), R"({"type":"started","id":"exec-2"})");
  EXPECT_EQ(
      host.conversation().receive(),
      R"({"type":"tool_call","callId":"call-1","providerName":"tools","safeToolName":"hang","input":{}})");
  host.send(R"({"type":"cancel","id":"exec-2"})");
  EXPECT_THAT(
      *host.conversation().receive(),
      testing::MatchesRegex(
          R"(\{"type":"done","id":"exec-2","ok":false,"durationMs":[0-9]+,"logs":\[\],"error":\{"code":"timeout","message":"Execution timed out"\}\})"));
  host.expect_end();
}

TEST(ExecboxTranscript, OfTheProtocolReference) {
  Host host;
  host.execute({.code = "await tools.echo({\"ok\":true})"});
  host.receive("started");
  const Value call = host.receive("tool_call");
  host.send(result_line(call["callId"], Value::object({{"ok", true}})));
  EXPECT_EQ(host.receive("done")["result"], Value::object({{"ok", true}}));
}

}  // namespace
}  // namespace cordon::conformance
