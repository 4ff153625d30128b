#include "cordon/js/guest.h"

#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::js {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

struct Call {
  std::uint64_t id;
  std::uint32_t tool;
  Value input;
};

// Takes notes of all that a guest does.
class Notes final : public GuestEvents {
 public:
  void on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input, std::size_t) override {
    if (!input) {
      refused.push_back(input.error());
      return;
    }
    calls.push_back({call, tool, *std::move(input)});
  }
  void on_log(LogLevel, std::string_view text) override { logs.emplace_back(text); }
  void on_finish(Outcome end) override { outcome = std::move(end); }
  void on_ready(std::vector<std::string> functions) override { ready = std::move(functions); }
  void on_reply(std::uint64_t call, Outcome end) override { replies[call] = std::move(end); }
  const NameList* functions_of(std::uint32_t space) override {
    return space < spaces->size() ? &(*spaces)[space].functions : nullptr;
  }
  Result<std::string> resolve(std::string_view, std::string_view specifier, ImportKind) override {
    resolved.push_back(specifier.size());
    return std::string(specifier);
  }
  std::optional<Result<Stripped>> load(std::string_view name, ImportKind kind) override {
    kinds.push_back(kind);
    loads.emplace_back(name);
    if (takes_a_while) return std::nullopt;
    const auto found = modules.find(std::string(name));
    if (found == modules.end()) return fail(ErrorCode::not_found, "no module " + std::string(name));
    return Stripped(JavaScript{found->second});
  }

  const std::vector<Namespace>* spaces = nullptr;
  std::vector<ImportKind> kinds;  // of `loads`
  std::vector<Call> calls;
  std::vector<Error> refused;  // inputs of calls that the host may not hold
  std::vector<std::string> logs;
  std::optional<Outcome> outcome;
  std::vector<std::string> ready;
  std::map<std::uint64_t, Outcome> replies;
  std::map<std::string, std::string> modules;
  std::vector<std::string> loads;
  std::vector<std::size_t> resolved;
  bool takes_a_while = false;
};

const std::atomic<bool> never = false;

const GuestModule& module() {
  static const std::unique_ptr<GuestModule> loaded = *GuestModule::create({});
  return *loaded;
}

class GuestOf : public testing::Test {
 protected:
  Notes notes;
  std::unique_ptr<Guest> guest;
  std::vector<Namespace> spaces = {{"tools", {"echo", "fail"}}};

  GuestStep start(std::string_view source, Form form = Form::program, const Value* input = nullptr,
                  const GuestLimits& limits = {}) {
    guest = *Guest::create(module(), limits, notes);
    notes.spaces = &spaces;
    Program program{
        .form = form, .name = "main.js", .source = source, .namespaces = spaces, .input = input};
    EXPECT_TRUE(guest->start(program).has_value());
    return run();
  }
  GuestStep run() { return guest->run(std::chrono::steady_clock::now() + 1h, never); }
  void invoke(std::uint64_t call, std::string_view function, const std::vector<Value>& arguments) {
    EXPECT_TRUE(guest->invoke({.call = call, .function = function, .arguments = arguments}));
  }

  // The result of a program that calls no tools.
  Value value_of(std::string_view source) {
    notes = {};
    EXPECT_EQ(start(source), GuestStep::idle) << source;
    if (!notes.outcome || !std::holds_alternative<Value>(*notes.outcome)) {
      ADD_FAILURE() << source << " gave no value"
                    << (notes.outcome ? ": " + thrown().error.message : "");
      return {};
    }
    return std::get<Value>(*notes.outcome);
  }
  Thrown thrown() {
    const Thrown* found = notes.outcome ? std::get_if<Thrown>(&*notes.outcome) : nullptr;
    if (found == nullptr) ADD_FAILURE() << "nothing was thrown";
    return found == nullptr ? Thrown{} : *found;
  }
  Thrown error_of(std::string_view source) {
    notes = {};
    start(source);
    return thrown();
  }
  Unserializable refusal_of(std::string_view source) {
    notes = {};
    start(source);
    const Unserializable* found =
        notes.outcome ? std::get_if<Unserializable>(&*notes.outcome) : nullptr;
    if (found == nullptr) ADD_FAILURE() << source << " was not refused";
    return found == nullptr ? Unserializable{} : *found;
  }
};

TEST_F(GuestOf, GivesTheLastExpressionAsResult) {
  EXPECT_EQ(value_of("1 + 1"), Value(2));
  EXPECT_EQ(value_of("1 + 1;"), Value(2));
  EXPECT_EQ(value_of("1 + 1 // two"), Value(2));
  EXPECT_EQ(value_of("const a = 20\nconst b = 22\na + b\n\n/* done */\n"), Value(42));
  EXPECT_EQ(value_of("const v = await Promise.resolve(5); v * 2;;"), Value(10));
  EXPECT_EQ(value_of("[1, 'two', null, {a: true}]"),
            Value::array({1, "two", nullptr, Value::object({{"a", true}})}));
  EXPECT_EQ(value_of("`a\n${1}`"), Value("a\n1"));
}

TEST_F(GuestOf, SaysWhenItsNextTimerIsDue) {
  start("setTimeout(() => {}, 50); await new Promise((done) => setTimeout(done, 20, 'late'))");
  ASSERT_TRUE(guest->timer_after().has_value());
  EXPECT_LE(*guest->timer_after(), 20ms);
  EXPECT_GT(*guest->timer_after(), 10ms);
  guest->run_timers();  // too early is no harm
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_FALSE(notes.outcome.has_value());
  ASSERT_TRUE(guest->timer_after().has_value());
}

TEST_F(GuestOf, WantsNoWakingWithoutTimersAndAfterTheResult) {
  start("1 + 1");
  EXPECT_FALSE(guest->timer_after().has_value());
  start("await tools.echo({})");
  EXPECT_FALSE(guest->timer_after().has_value());
  notes = {};
  start("setTimeout(() => {}, 5); 'result'");
  EXPECT_TRUE(notes.outcome.has_value());
  EXPECT_FALSE(guest->timer_after().has_value());
}

TEST_F(GuestOf, FailsByARejectionThatNobodyHandles) {
  EXPECT_EQ(
      error_of("Promise.reject(new Error('first')); Promise.reject(2); 'result'").error.message,
      "first");
  EXPECT_EQ(
      error_of("Promise.reject(new Error('stuck')); await new Promise(() => {})").error.message,
      "stuck");
  EXPECT_EQ(error_of("async function f() { throw new Error('lost') } f(); ({})").error.message,
            "lost");
  EXPECT_EQ(error_of("queueMicrotask(() => { throw new Error('job') }); await 0; 1").error.message,
            "job");
  EXPECT_EQ(value_of("const p = Promise.reject(1); await 0; p.catch(() => {}); 5"), Value(5));
  EXPECT_EQ(value_of("() => { const p = Promise.reject(1); queueMicrotask(() => p.catch(() => "
                     "{})); return 6 }"),
            Value(6));
}

TEST_F(GuestOf, LeavesRejectionsToNobodyWhereExecboxDoes) {
  start("Promise.reject(new Error('first')); (async () => { throw 2 })(); 'result'", Form::execbox);
  ASSERT_TRUE(notes.outcome && std::holds_alternative<Value>(*notes.outcome));
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value("result"));
  notes = {};
  start("Promise.reject(new Error('stuck')); await new Promise(() => {})", Form::execbox);
  EXPECT_FALSE(notes.outcome.has_value());
}

TEST_F(GuestOf, NamesTheCallWhoseRejectionNobodyHandles) {
  start("tools.fail({}); await tools.echo({}); 'result'");
  ASSERT_EQ(notes.calls.size(), 2u);
  guest->settle(notes.calls[0].id, Error{ErrorCode::tool_error, "no"});
  ASSERT_TRUE(guest->settle(notes.calls[1].id, Value(1)).has_value());
  run();
  EXPECT_EQ(thrown().failed_call, notes.calls[0].id);
}

TEST_F(GuestOf, LogsWhatNobodyCatchesInAModuleThatLivesOn) {
  start("export function lose() { Promise.reject(new Error('lost')); return 1 }", Form::exports);
  invoke(7, "lose", {});
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_EQ(std::get<Value>(notes.replies.at(7)), Value(1));
  EXPECT_THAT(notes.logs, ElementsAre("Uncaught Error: lost"));
}

TEST_F(GuestOf, GivesNothingWhereTheLastStatementIsNoExpression) {
  EXPECT_EQ(value_of(""), Value());
  EXPECT_EQ(value_of("const a = 1"), Value());
  EXPECT_EQ(value_of("1; const a = 2;"), Value());
  EXPECT_EQ(value_of("const m = new Map(); for (const x of [1, 2]) m.set(x, x)"), Value());
  EXPECT_EQ(value_of("if (true) { 5 }"), Value());
  EXPECT_EQ(value_of("5; function f() {}"), Value());
  EXPECT_EQ(value_of("here: for (;;) { 5; break here }"), Value());
}

TEST_F(GuestOf, KeepsTheStandardCompletionValueOfEval) {
  EXPECT_EQ(value_of("eval('if (true) { 5 }')"), Value(5));
  EXPECT_EQ(value_of("(0, eval)('1; var a = 2')"), Value(1));
}

TEST_F(GuestOf, CallsAProgramThatIsOneFunction) {
  EXPECT_EQ(value_of("() => 42"), Value(42));
  EXPECT_EQ(value_of("async () => { return 42 };"), Value(42));
  EXPECT_EQ(value_of("(async () => 42)"), Value(42));
  EXPECT_EQ(value_of("function main() { return 42 }"), Value(42));
  EXPECT_EQ(value_of("// a comment\nasync function main() {\n  return await 42;\n}\n// the end"),
            Value(42));
  EXPECT_EQ(value_of("(function () { return 42 })"), Value(42));
  EXPECT_EQ(value_of("function main() { return 42 };"), Value(42));
}

TEST_F(GuestOf, CallsNoFunctionThatIsOnlyPartOfAProgram) {
  EXPECT_EQ(value_of("function f() { return 1 } f() + 1"), Value(2));
  EXPECT_EQ(value_of("(() => 42)()"), Value(42));
  EXPECT_EQ(value_of("const f = () => 1"), Value());
  EXPECT_EQ(refusal_of("Math.max").reason, "a function");
  EXPECT_EQ(refusal_of("const f = () => 1; f").reason, "a function");
}

TEST_F(GuestOf, TakesABodyWithReturn) {
  EXPECT_EQ(value_of("const x = await Promise.resolve(2); return x * 21"), Value(42));
  EXPECT_EQ(value_of("if (1) { return 'early' }\nreturn 'late'"), Value("early"));
  EXPECT_EQ(value_of("if (false) return 1\n5"), Value())
      << "where return gives the result, nothing else does";
  EXPECT_EQ(value_of("try { return 1 } finally { console.log('out') }"), Value(1));
  EXPECT_EQ(value_of("for (const x of [1, 2, 3]) { if (x == 2) return x }"), Value(2));
  EXPECT_EQ(value_of("const f = async () => { return 7 }; return f()"), Value(7));
  EXPECT_EQ(value_of("return"), Value());
  EXPECT_EQ(error_of("eval('return 1')").error.name, "SyntaxError");
  const Thrown error = error_of("return 1;\nconst x = ;");
  EXPECT_TRUE(error.is_syntax_error);
  EXPECT_EQ(location_of(error.error.stack)->line, 2u);
}

TEST_F(GuestOf, AwaitsTheResultAlsoWhenItIsNested) {
  EXPECT_EQ(value_of("Promise.resolve(Promise.resolve(3))"), Value(3));
  EXPECT_EQ(value_of("({then(resolve) { resolve(4) }})"), Value(4));
  EXPECT_EQ(value_of("async () => Promise.resolve({then(r) { r(5) }})"), Value(5));
}

TEST_F(GuestOf, RunsMicrotasksToTheirEnd) {
  EXPECT_EQ(value_of("Promise.resolve().then(() => console.log('later')); 'now'"), Value("now"));
  EXPECT_THAT(notes.logs, ElementsAre("later"));
}

TEST_F(GuestOf, TellsWhereTheTextDoesNotParse) {
  const Thrown error = error_of("const a = 1;\nconst b = = 2;");
  EXPECT_TRUE(error.is_syntax_error);
  EXPECT_EQ(error.error.name, "SyntaxError");
  const auto location = location_of(error.error.stack);
  ASSERT_TRUE(location.has_value());
  EXPECT_EQ(*location, (Location{"main.js", 2, 11}));
}

TEST_F(GuestOf, TellsWhatWasThrownAndWhere) {
  const Thrown error =
      error_of("function f() {\n  throw new TypeError('no', {cause: new Error('why')});\n}\nf()");
  EXPECT_FALSE(error.is_syntax_error);
  EXPECT_EQ(error.error.name, "TypeError");
  EXPECT_EQ(error.error.message, "no");
  EXPECT_EQ(location_of(error.error.stack)->line, 2u);
  ASSERT_EQ(error.causes.size(), 1u);
  EXPECT_EQ(error.causes[0].message, "why");
}

TEST_F(GuestOf, TellsOfThrownThingsThatAreNoErrors) {
  EXPECT_EQ(error_of("throw 42").error.message, "42");
  EXPECT_EQ(error_of("throw null").error.message, "null");
  EXPECT_EQ(error_of("throw undefined").error.message, "undefined");
  EXPECT_EQ(error_of("throw {message: 'text', name: 'Own'}").error.message, "text");
  EXPECT_EQ(error_of("throw {}").error.message, "{}");
  EXPECT_EQ(error_of("throw Symbol('s')").error.message, "Symbol(s)");
  EXPECT_EQ(error_of("throw {get message() { throw 1 }, toString() { throw 2 }}").error.message,
            "");
  EXPECT_EQ(error_of("Promise.reject(new Error('later'))").error.message, "later");
}

TEST_F(GuestOf, CallsToolsAndGoesOnWithTheirAnswers) {
  EXPECT_EQ(start("const [a, b] = await Promise.all([tools.echo(1), tools.fail('x')]); a + b"),
            GuestStep::idle);
  ASSERT_EQ(notes.calls.size(), 2u);
  EXPECT_EQ(notes.calls[0].tool, 0u);
  EXPECT_EQ(notes.calls[1].tool, 1u);
  EXPECT_EQ(notes.calls[1].input, Value("x"));
  EXPECT_NE(notes.calls[0].id, notes.calls[1].id);
  ASSERT_TRUE(guest->settle(notes.calls[1].id, Value(2)).has_value());
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_FALSE(notes.outcome.has_value());
  ASSERT_TRUE(guest->settle(notes.calls[0].id, Value(40)).has_value());
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value(42));
}

TEST_F(GuestOf, IgnoresAnswersToCallsThatItDoesNotWaitFor) {
  start("const first = await tools.echo(1); const second = await tools.echo(2); [first, second]");
  const std::uint64_t first = notes.calls[0].id;
  ASSERT_TRUE(guest->settle(first, Value("one")).has_value());
  ASSERT_TRUE(guest->settle(first, Value("again")).has_value());
  ASSERT_TRUE(guest->settle(123456789, Value("unknown")).has_value());
  run();
  ASSERT_EQ(notes.calls.size(), 2u);
  ASSERT_TRUE(guest->settle(first, Value("stale")).has_value());
  ASSERT_TRUE(guest->settle(notes.calls[1].id, Value("two")).has_value());
  run();
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value::array({"one", "two"}));
}

TEST_F(GuestOf, NamesTheCallBehindAFailureThroughCatchAndRethrow) {
  for (const std::string_view source : {
           "await tools.fail()",
           "try { await tools.fail() } catch (e) { throw e }",
           "await Promise.all([tools.fail(), 1])",
           "try { await tools.fail() } finally { 1 }",
           "async function f() { return await tools.fail() } await f()",
           "try { await tools.fail() } catch (e) { e.message = 'forged'; e.code = 'timeout'; throw "
           "e }",
       }) {
    notes = {};
    start(source);
    ASSERT_EQ(notes.calls.size(), 1u) << source;
    guest->settle(notes.calls[0].id, Error{ErrorCode::tool_error, "broken"});
    run();
    EXPECT_EQ(thrown().failed_call, notes.calls[0].id) << source;
  }
}

TEST_F(GuestOf, NamesNoCallForAnImitation) {
  for (const std::string_view copy : {
           "throw {...e}",
           "throw Object.assign(new Error(e.message), e)",
           "throw Object.create(e)",
           "throw new Proxy(e, {})",
           "throw Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(e))",
           "throw Object.setPrototypeOf(new Error('x'), e)",
           "class Wrap extends Error { constructor() { super(e.message); return Object.create(e) } "
           "} throw new Wrap()",
           "const o = {}; for (const k of Reflect.ownKeys(e)) o[k] = e[k]; throw o",
           "throw new Error(e.message, {cause: e})",
       }) {
    notes = {};
    start("try { await tools.fail() } catch (e) { " + std::string(copy) + " }");
    ASSERT_EQ(notes.calls.size(), 1u);
    guest->settle(notes.calls[0].id, Error{ErrorCode::tool_error, "broken"});
    run();
    EXPECT_EQ(thrown().failed_call, 0u) << copy;
  }
}

TEST_F(GuestOf, ShowsAFailureAsAnOrdinaryErrorWithACode) {
  start(
      "try { await tools.fail() } catch (e) {"
      " [e instanceof Error, e.name, e.message, e.code, typeof e.stack, Object.keys(e)] }\n"
      "let seen; try { await tools.fail() } catch (e) { seen = [e instanceof Error, e.name, "
      "e.message, e.code,"
      " typeof e.stack, Reflect.ownKeys(e).map(String)] } seen");
  for (int i = 0; i < 2; ++i) {
    guest->settle(notes.calls.back().id, Error{ErrorCode::tool_error, "broken"});
    run();
  }
  const Value seen = std::get<Value>(*notes.outcome);
  EXPECT_EQ(seen.at(0), Value(true));
  EXPECT_EQ(seen.at(1), Value("Error"));
  EXPECT_EQ(seen.at(2), Value("broken"));
  EXPECT_EQ(seen.at(3), Value("tool_error"));
  EXPECT_EQ(seen.at(4), Value("string"));
  std::set<std::string> keys;
  for (const ValueView key : seen.at(5).items()) keys.emplace(key.as_string());
  EXPECT_THAT(keys, ElementsAre("code", "message", "stack"));
}

TEST_F(GuestOf, RejectsAnInputThatCannotLeave) {
  start(
      "const seen = []; for (const bad of [1n, () => 1, Symbol(), NaN, new Date(), new Map()]) {"
      " const p = tools.echo(bad); try { await p; seen.push('passed') } catch (e) { "
      "seen.push(e.code) } } seen");
  EXPECT_TRUE(notes.calls.empty());
  const Value seen = std::get<Value>(*notes.outcome);
  ASSERT_EQ(seen.size(), 6u);
  for (const ValueView code : seen.items()) EXPECT_EQ(code, Value("serialization_error"));
}

TEST_F(GuestOf, RejectsMorePendingCallsThanAllowed) {
  GuestLimits limits;
  limits.pending_calls = 3;
  start(
      "for (let i = 0; i < 3; i++) tools.echo(i); try { await tools.echo(3) } catch (e) { return "
      "e.message }",
      Form::program, nullptr, limits);
  EXPECT_EQ(notes.calls.size(), 3u);
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value("Too many pending tool calls"));
}

TEST_F(GuestOf, TransportsValuesUnchanged) {
  const Value sent = Value::object({
      {"text", "héllo \xED\xA0\x80 😀"},
      {"numbers", Value::array({0, -0.0, 1.5, -2147483648.0, 2147483648.0, 1e300, 5e-324})},
      {"nested", Value::array({Value::array({}), Value::object({})})},
      {"__proto__", Value::object({{"polluted", true}})},
      {"constructor", 1},
      {"", nullptr},
  });
  start("input", Form::program, &sent);
  EXPECT_EQ(std::get<Value>(*notes.outcome), sent);
  notes = {};
  start("await tools.echo(input)", Form::program, &sent);
  EXPECT_EQ(notes.calls.at(0).input, sent);
  ASSERT_TRUE(guest->settle(notes.calls[0].id, sent).has_value());
  run();
  EXPECT_EQ(std::get<Value>(*notes.outcome), sent);
}

TEST_F(GuestOf, GivesADataKeyNamedProtoNoPower) {
  const Value sent = Value::object({{"__proto__", Value::object({{"polluted", true}})}});
  start(
      "[({}).polluted === undefined, Object.getPrototypeOf(input) === Object.prototype, "
      "Object.keys(input)]",
      Form::program, &sent);
  EXPECT_EQ(std::get<Value>(*notes.outcome),
            Value::array({true, true, Value::array({"__proto__"})}));
}

TEST_F(GuestOf, TransportsMessagesLargerThanTheInbox) {
  const Value sent = Value(std::string(3'000'000, 'x'));
  start("input + input", Form::program, &sent);
  EXPECT_EQ(std::get<Value>(*notes.outcome).size(), 6'000'000u);
  const std::string source = "/*" + std::string(1'000'000, '-') + "*/ 7";
  EXPECT_EQ(value_of(source), Value(7));
}

TEST_F(GuestOf, RefusesWhatMayNotLeaveAndSaysWhere) {
  EXPECT_EQ(refusal_of("({a: [1, {deep: () => 1}]})").place, "a[1].deep");
  EXPECT_EQ(refusal_of("({a: [1, {deep: () => 1}]})").reason, "a function");
  EXPECT_EQ(refusal_of("({'odd key': 10n})").place, "[\"odd key\"]");
  EXPECT_EQ(refusal_of("10n").reason, "a bigint");
  EXPECT_EQ(refusal_of("10n").place, "");
  EXPECT_EQ(refusal_of("[Symbol()]").reason, "a symbol");
  EXPECT_EQ(refusal_of("[0/0]").reason, "a number that is not finite");
  EXPECT_EQ(refusal_of("new Date()").reason, "an object of class Date");
  EXPECT_EQ(refusal_of("new (class Own {})").reason, "an instance of a class");
  EXPECT_EQ(refusal_of("[new Uint8Array(3)]").reason, "an object of class Uint8Array");
  EXPECT_EQ(refusal_of("const a = []; a.push(a); a").reason, "a cycle");
  EXPECT_EQ(refusal_of("const a = {big: new Array(100000).fill(1)}; a.self = a; a").reason,
            "a cycle");
  EXPECT_EQ(refusal_of("let a = []; for (let i = 0; i < 5000; i++) a = [a]; a").reason,
            "nested too deeply");
  EXPECT_EQ(refusal_of("const a = []; a.length = 4294967295; a").reason, "too large");
  EXPECT_THAT(refusal_of("({get a() { throw new Error('no') }})").reason, HasSubstr("no"));
}

TEST_F(GuestOf, LeavesOutUndefinedMembersAndFillsHoles) {
  EXPECT_EQ(value_of("({a: undefined, b: [undefined, , 1]})"),
            Value::object({{"b", Value::array({nullptr, nullptr, 1})}}));
  EXPECT_EQ(value_of("Object.create(null)"), Value::object({}));
  EXPECT_EQ(value_of("({get a() { return 5 }})"), Value::object({{"a", 5}}));
  EXPECT_EQ(value_of("({toJSON() { return 1 }}).toJSON = undefined; ({b: 1, 2: 'i', a: 2})"),
            Value::object({{"2", "i"}, {"b", 1}, {"a", 2}}));
}

TEST_F(GuestOf, FormatsLogLines) {
  value_of(
      "console.log('a', 1, true, null, undefined, {x: [1]}, NaN);"
      "console.warn(10n, Symbol('s'), new Map());"
      "console.error((x) => x); console.info(); console.debug('a\\0b');"
      "const c = {}; c.c = c; console.log(c)");
  EXPECT_THAT(notes.logs, ElementsAre("a 1 true null undefined {\"x\":[1]} NaN",
                                      "10n Symbol(s) Map(0) {}", "[Function (anonymous)]", "",
                                      std::string("a\0b", 3), "<ref *1> { c: [Circular *1] }"));
}

// Functions of many tools are made when they are touched, and nothing shows it.
TEST_F(GuestOf, ShowsManyToolsAsItShowsFew) {
  const auto with_tools = [&](std::size_t count, std::string_view program) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back("t" + std::to_string(count - i));
    names.insert(names.end(), {"a b", "[x", "7", "t1", "", "then"});
    spaces = {{"other", {"first"}}, {"tools", std::move(names)}};
    return value_of(program);
  };
  for (const char* program : {
           "const keys = Object.keys(tools).filter(k => !/^t[0-9]{2}|^t[4-9]/.test(k)); keys",
           "const { value, ...rest } = Object.getOwnPropertyDescriptor(tools, 't2'); "
           "[rest, typeof value, value.name, value.length, String(value), value === tools.t2]",
           "[Object.getOwnPropertyNames(tools.t3), Object.getOwnPropertyNames(tools['a b']), "
           "'prototype' in tools.t3, tools['a b'].name, tools['[x'].name, tools[''].name, "
           "tools[7].name]",
           "['t1' in tools, 't0' in tools, delete tools.t1, 't1' in tools, tools.t1]",
           "tools.t2 = 5; const before = tools.t3; [tools.t2, before === tools.t3, "
           "Object.keys(tools).includes('t2')]",
           "Object.freeze(tools); try { 'use strict'; tools.t2 = 1 } catch {} "
           "[typeof tools.t2, Object.isFrozen(tools)]",
           "Object.defineProperty(tools, 't3', { enumerable: false }); "
           "[Object.keys(tools).includes('t3'), typeof tools.t3]",
           "const copy = { ...tools }; [copy.t1 === tools.t1, Object.keys(copy).at(-1)]",
           "let n = 0; for (const name in tools) n += name === 't2'; n",
           "try { new tools.t2() } catch (e) { return [e.name, e.message] }",
           "try { tools.t_2() } catch (e) { return [e.name, e.message] }",
           "Object.entries(tools).map(([k, f]) => typeof f).every(t => t === 'function')",
           "Object.getPrototypeOf(tools.t2) === Function.prototype",
       }) {
    const Value few = with_tools(3, program);
    EXPECT_EQ(with_tools(500, program), few) << program;
  }
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("t" + std::to_string(i));
  names.emplace_back("t1");
  spaces[1].functions = names;
  start("tools.t7({ n: 1 }); other.first(2); tools.t1(3); await tools['t99'](4)");
  ASSERT_EQ(notes.calls.size(), 4u);
  EXPECT_EQ(notes.calls[0].tool, 8u);
  EXPECT_EQ(notes.calls[1].tool, 0u);
  EXPECT_EQ(notes.calls[2].tool, 101u);
  EXPECT_EQ(notes.calls[3].tool, 100u);
}

TEST_F(GuestOf, ShowsNothingButTheLanguageConsoleAndTools) {
  EXPECT_EQ(value_of("['fetch','process','require','Buffer','WebAssembly','std','os','scriptArgs','"
                     "print','Worker',"
                     "'XMLHttpRequest','Deno','Bun','global','navigator','__loadScript','gc']"
                     ".filter(n => n in globalThis)"),
            Value::array({}));
  EXPECT_EQ(value_of("typeof Atomics === 'undefined' || typeof Atomics.wait"), Value(true));
}

TEST_F(GuestOf, DiffersInItsSeedsFromRunToRun) {
  std::set<double> seen;
  for (int i = 0; i < 20; ++i) seen.insert(value_of("Math.random()").as_number());
  EXPECT_EQ(seen.size(), 20u);
}

TEST_F(GuestOf, KnowsTheTime) {
  const auto now = std::chrono::duration<double, std::milli>(
      std::chrono::system_clock::now().time_since_epoch());
  EXPECT_NEAR(value_of("Date.now()").as_number(), now.count(), 5000);
  EXPECT_EQ(value_of("new Date(0).getTimezoneOffset()"), Value(0));
}

TEST_F(GuestOf, RecursesDeeplyAndThenThrowsARangeError) {
  EXPECT_EQ(value_of("function f(n) { return n === 0 ? 0 : 1 + f(n - 1) } f(2000)"), Value(2000));
  EXPECT_EQ(
      value_of("function f() { return 1 + f() } try { f() } catch (e) { e instanceof RangeError }\n"
               "let ok; try { f() } catch (e) { ok = e instanceof RangeError } ok"),
      Value(true));
  EXPECT_EQ(error_of("function f() { return 1 + f() } f()").error.name, "RangeError");
}

TEST_F(GuestOf, EndsAtItsMemoryLimitCaughtOrNot) {
  for (const std::string_view source : {
           "const a = []; for (;;) a.push(new Array(1000).fill(1))",
           "try { const a = []; for (;;) a.push('x'.repeat(1 << 20) + a.length) } catch { 'caught' "
           "}",
           "try { new Uint8Array(1 << 30) } catch { 'caught' }",
           "const a = []; while (true) a.push(new Uint8Array(1 << 16))",
           "'x'.padStart(1 << 29)",
       }) {
    notes = {};
    EXPECT_EQ(start(source), GuestStep::ended) << source;
    EXPECT_EQ(guest->end(), GuestEnd::memory_limit) << source;
    EXPECT_FALSE(notes.outcome.has_value()) << source;
  }
}

TEST_F(GuestOf, CannotPretendToHaveRunOutOfMemory) {
  EXPECT_EQ(error_of("throw new Error('memory_limit')").error.message, "memory_limit");
  EXPECT_EQ(guest->end(), GuestEnd::none);
}

TEST_F(GuestOf, LoadsModulesFromTheHostAlone) {
  notes.modules = {
      {"./lib.js", "export const answer = 42; export default function () { return answer }"}};
  start("import main, { answer } from './lib.js'; export default [main(), answer]", Form::module);
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value::array({42, 42}));
  notes.outcome.reset();
  start("import { x } from './other.js'; export default x");
  EXPECT_THAT(thrown().error.message, HasSubstr("no module ./other.js"));
}

TEST_F(GuestOf, AsksForNoModuleWhoseNameIsLongerThanAPath) {
  const std::string source =
      "const r = []; for (const n of [4096, 4097, 28e6])"
      "  await import('x'.repeat(n)).catch((e) => r.push(e.message)); r";
  EXPECT_EQ(value_of(source), Value::array({"no module " + std::string(4096, 'x'),
                                            "The name of a module has more than 4096 bytes",
                                            "The name of a module has more than 4096 bytes"}));
  EXPECT_THAT(notes.resolved, testing::ElementsAre(4096u)) << "the others were not looked at";
}

TEST_F(GuestOf, WaitsInAnImportUntilItIsGivenTheModule) {
  notes.takes_a_while = true;
  ASSERT_EQ(
      start("import a from './a.ts'; const b = await import('./b.ts'); export default a + b.x"),
      GuestStep::wants_module);
  EXPECT_EQ(run(), GuestStep::wants_module);
  EXPECT_THAT(notes.loads, testing::ElementsAre("./a.ts")) << "it is asked for once";
  EXPECT_FALSE(guest->capture().has_value()) << "it is not at rest";
  EXPECT_FALSE(guest->hibernate().has_value());
  guest->give_module(Stripped(JavaScript{"export default 40"}));
  ASSERT_EQ(run(), GuestStep::wants_module);
  EXPECT_THAT(notes.loads, testing::ElementsAre("./a.ts", "./b.ts"));
  guest->give_module(Stripped(JavaScript{"export const x = 2"}));
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_EQ(std::get<Value>(*notes.outcome), Value(42));
}

TEST_F(GuestOf, IsToldLaterWhyThereIsNoModule) {
  notes.takes_a_while = true;
  ASSERT_EQ(start("import './a.ts'"), GuestStep::wants_module);
  guest->give_module(fail(ErrorCode::not_found, "there is none"));
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_EQ(thrown().error.name, "ReferenceError");
  EXPECT_EQ(thrown().error.message, "there is none");
  notes.outcome.reset();
  ASSERT_EQ(start("import './a.ts'"), GuestStep::wants_module);
  guest->give_module(Stripped(StripRefusal{StripRefusal::Kind::unsupported, "no enums", 3, 7}));
  EXPECT_EQ(run(), GuestStep::idle);
  EXPECT_EQ(thrown().error.name, "SyntaxError");
  EXPECT_THAT(thrown().error.stack, HasSubstr("a.ts:3:7"));
}

TEST_F(GuestOf, OffersTheFunctionsThatAModuleExports) {
  start(
      "let n = 0; export const notAFunction = 1; export function count() { return ++n }"
      "export async function fails({why}) { throw new Error(why) } export const twice = x => x * 2",
      Form::exports);
  EXPECT_THAT(notes.ready, testing::UnorderedElementsAre("count", "fails", "twice"));
  for (const std::uint64_t call : {1u, 2u}) invoke(call, "count", {});
  invoke(3, "fails", {Value::object({{"why", "because"}})});
  invoke(4, "twice", {Value(21)});
  run();
  EXPECT_EQ(std::get<Value>(notes.replies.at(1)), Value(1));
  EXPECT_EQ(std::get<Value>(notes.replies.at(2)), Value(2));
  EXPECT_EQ(std::get<Thrown>(notes.replies.at(3)).error.message, "because");
  EXPECT_EQ(std::get<Value>(notes.replies.at(4)), Value(42));
}

TEST_F(GuestOf, CallsAnExportedFunctionWithAnyFewArguments) {
  start(
      "export function all(...given) { return given } export const twice = x => 2 * x;"
      "export function again(x) { return this.twice(x) }",
      Form::exports);
  invoke(1, "all", {});
  invoke(2, "all", {Value(1), Value("b"), Value("c")});
  invoke(3, "again", {Value(4)});
  run();
  EXPECT_EQ(std::get<Value>(notes.replies.at(1)), Value::array({}));
  EXPECT_EQ(std::get<Value>(notes.replies.at(2)), Value::array({1, "b", "c"}));
  EXPECT_EQ(std::get<Value>(notes.replies.at(3)), Value(8)) << "as a method of its module";

  const std::vector<Value> many(9);
  const Result<> refused = guest->invoke({.call = 4, .function = "all", .arguments = many});
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
}

TEST_F(GuestOf, ThrowsWhereAModuleHasNoSuchFunction) {
  start("export const one = 1; export const f = () => 1", Form::exports);
  invoke(1, "g", {});
  invoke(2, "one", {});
  invoke(3, "default", {});
  run();
  for (const auto& [call, name] : {std::pair(1, "g"), {2, "one"}, {3, "default"}}) {
    const auto& thrown = std::get<Thrown>(notes.replies.at(static_cast<std::uint64_t>(call)));
    EXPECT_EQ(thrown.error.name, "TypeError");
    EXPECT_EQ(thrown.error.message, "the module exports no function '" + std::string(name) + "'");
  }
}

TEST(GuestModule, ImportsOnlyTheFewFunctionsItNeeds) {
  const auto engine = *sandbox::Engine::create({});
  const auto code = *sandbox::Module::load(engine, guest_code());
  EXPECT_THAT(code.imports(),
              testing::UnorderedElementsAre("cordon.emit", "cordon.grow", "cordon.room",
                                            "cordon.clock", "cordon.stage", "cordon.unstage"));
}

}  // namespace
}  // namespace cordon::js
