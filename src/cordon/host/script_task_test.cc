// Tasks as sandboxed modules, as a server has them.

#include "cordon/host/script_task.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/builder.h"

namespace cordon::host {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// Answers at once with what it was given, or later when the test says so.
class TestSource final : public ByteSource {
 public:
  explicit TestSource(std::vector<std::string> pieces = {}, bool ends = true)
      : pieces_(pieces.begin(), pieces.end()), ends_(ends) {}
  void read(Next next) override {
    ++reads;
    EXPECT_FALSE(next_) << "one read at a time";
    next_ = std::move(next);
    serve();
  }
  void close() override {
    closed = true;
    if (next_) std::exchange(next_, {})(fail(ErrorCode::cancelled, "closed"));
  }
  void push(std::string piece) {
    pieces_.push_back(std::move(piece));
    serve();
  }
  void end() {
    ends_ = true;
    serve();
  }
  void break_off() {
    is_broken_ = true;
    serve();
  }

  bool closed = false;
  int reads = 0;

 private:
  void serve() {
    if (!next_ || (pieces_.empty() && !ends_ && !is_broken_)) return;
    if (pieces_.empty() && is_broken_) {
      std::exchange(next_, {})(fail(ErrorCode::closed, "the client went away"));
      return;
    }
    std::string piece;
    if (!pieces_.empty()) {
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    std::exchange(next_, {})(Bytes(piece.begin(), piece.end()));
  }

  std::deque<std::string> pieces_;
  bool ends_;
  bool is_broken_ = false;
  Next next_;
};

// So many bytes of ones, made as they are read.
class ManyBytes final : public ByteSource {
 public:
  ManyBytes(std::uint64_t total, std::size_t piece) : left_(total), piece_(piece) {}
  void read(Next next) override {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, left_));
    left_ -= size;
    next(Bytes(size, 1));
  }
  void close() override {}

 private:
  std::uint64_t left_;
  std::size_t piece_;
};

class ScriptTaskTest : public testing::Test {
 protected:
  ScriptTask task(std::string_view module, ScriptTaskOptions options = {}) {
    options.execute.name = options.execute.name == "program.js" ? "task.js" : options.execute.name;
    Result<Module> loaded = ScriptTask::load(engine, module, options.execute);
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return {*std::move(loaded), std::move(options)};
  }

  // Drives the engine until `over`.
  template <class Over>
  void drive(Over over) {
    const Clock::time_point end = Clock::now() + 20s;
    while (!over()) {
      ASSERT_LT(Clock::now(), end) << "nothing came";
      const Clock::time_point next = engine.run_some(5ms);
      if (!over() && next > Clock::now()) std::this_thread::sleep_for(100us);
    }
  }

  TaskAnswer answer(TaskHandler& handler, TaskCall call = {}) {
    std::optional<TaskAnswer> given;
    handler.call(std::move(call), [&](TaskAnswer made) { given = std::move(made); });
    drive([&] { return given.has_value(); });
    return given ? *std::move(given) : TaskAnswer();
  }

  Value result(std::string_view module, TaskCall call = {}, ScriptTaskOptions options = {}) {
    ScriptTask made = task(module, std::move(options));
    TaskAnswer given = answer(made, std::move(call));
    if (const auto* failure = std::get_if<ExecutionError>(&given)) {
      ADD_FAILURE() << failure->message << "\n" << failure->stack;
    }
    Value* value = std::get_if<Value>(&given);
    if (value == nullptr) ADD_FAILURE() << "no value but " << given.index();
    return value != nullptr ? std::move(*value) : Value();
  }

  ExecutionError failure(std::string_view module, TaskCall call = {},
                         ScriptTaskOptions options = {}) {
    ScriptTask made = task(module, std::move(options));
    TaskAnswer given = answer(made, std::move(call));
    const auto* failed = std::get_if<ExecutionError>(&given);
    if (failed == nullptr) ADD_FAILURE() << "no failure but " << given.index();
    return failed != nullptr ? *failed : ExecutionError();
  }

  StreamedResult stream(TaskHandler& handler, TaskCall call = {}) {
    TaskAnswer given = answer(handler, std::move(call));
    auto* streamed = std::get_if<StreamedResult>(&given);
    if (streamed == nullptr) throw std::runtime_error("no stream");
    return std::move(*streamed);
  }

  Result<Bytes> next(ByteSource& source) {
    std::optional<Result<Bytes>> piece;
    source.read([&](Result<Bytes> made) { piece = std::move(made); });
    drive([&] { return piece.has_value(); });
    return piece ? *std::move(piece) : Result<Bytes>(fail(ErrorCode::timeout, "nothing came"));
  }

  // All of a stream, or what its error says.
  std::string text(ByteSource& source) {
    std::string all;
    for (;;) {
      Result<Bytes> piece = next(source);
      if (!piece) return all + "!" + piece.error().message;
      if (piece->empty()) return all;
      all += as_text(*piece);
    }
  }

  void expect_no_sandbox() {
    drive([&] { return engine.figures().running == 0; });
    EXPECT_EQ(engine.figures().queued, 0u);
  }

  int logged_ = 0;
  Engine engine = *Engine::create({.workers = 0, .slots = 4, .queue = 2});
};

TaskCall with_body(std::shared_ptr<ByteSource> body) {
  TaskCall call;
  call.body = std::move(body);
  return call;
}

TEST_F(ScriptTaskTest, CallsTheDefaultExportWithTheInput) {
  EXPECT_EQ(result("export default async (input) => input.a + input.b;",
                   {.input = Value::object({{"a", 1}, {"b", 2}})}),
            Value(3));
  EXPECT_EQ(result("export default function (input) { return typeof input; }"), Value("undefined"));
  EXPECT_EQ(result("export default () => undefined"), Value());
}

TEST_F(ScriptTaskTest, IsRefusedWhereTheModuleHasNoFunctionToCall) {
  for (const std::string_view module : {"export default 1", "export const a = () => 1", "1 + 1"}) {
    const Result<Module> loaded = ScriptTask::load(engine, module, {});
    ASSERT_FALSE(loaded.has_value());
    EXPECT_THAT(loaded.error().message, HasSubstr("default export"));
  }
  const Result<Module> broken = ScriptTask::load(engine, "export default {", {.name = "a.js"});
  ASSERT_FALSE(broken.has_value());
  EXPECT_THAT(broken.error().message, HasSubstr("a.js:1"));
}

TEST_F(ScriptTaskTest, MayBeAnyFunctionOfAModule) {
  const Result<Module> module = ScriptTask::load(
      engine, "export default () => 0; export const size = (input, {url}) => [input, url]", {});
  ScriptTask size(*module, {.function = "size"});
  EXPECT_EQ(std::get<Value>(answer(size, {.url = "/a", .input = 7})), Value::array({7, "/a"}));
  ScriptTask absent(*module, {.function = "absent"});
  EXPECT_EQ(std::get<ExecutionError>(answer(absent)).message,
            "the module exports no function 'absent'");
}

TEST_F(ScriptTaskTest, GivesTheRequestAsContext) {
  TaskCall call{.request_id = "r1",
                .method = "POST",
                .url = "/__runner/task/a?x=1",
                .headers = Value::object({{"x-a", "1"}}),
                .contexts = Value::object({{"app.tenant", Value::object({{"id", 7}})}})};
  const Value seen = result(
      "export default async (input, {method, url, headers, contexts, body, signal}) =>"
      "({method, url, headers, tenant: contexts['app.tenant'], noBody: body === undefined,"
      "aborted: signal.aborted, isSignal: signal instanceof AbortSignal})",
      call);
  EXPECT_EQ(seen["method"].value_or(std::string()), "POST");
  EXPECT_EQ(seen["url"].value_or(std::string()), "/__runner/task/a?x=1");
  EXPECT_EQ(seen["headers"]["x-a"].value_or(std::string()), "1");
  EXPECT_EQ(seen["tenant"]["id"].value_or(0), 7);
  EXPECT_TRUE(seen["noBody"].value_or(false));
  EXPECT_FALSE(seen["aborted"].value_or(true));
  EXPECT_TRUE(seen["isSignal"].value_or(false));
  EXPECT_EQ(result("export default (input, context) => Object.keys(context).join()", call),
            Value("method,url,headers,signal,body,contexts"));
  EXPECT_EQ(result("export default (i, context) => { context.url = 1; context.headers.a = 2;"
                   "return [context.url, context.headers.a, {...context}.method].join() }",
                   call),
            Value("1,2,POST"));
}

TEST_F(ScriptTaskTest, TakesAndGivesRichValues) {
  const Value seen = result(
      "export default (input) => ({when: input.when, isDate: input.when instanceof Date,"
      "map: new Map([[1, new Set(['a'])]]), big: 12345678901234567890n, re: /a+/gi,"
      "bytes: new Uint8Array([1, 2])})",
      {.input = Value::object({{"when", Value::date(1000)}})});
  EXPECT_EQ(seen["when"].date_ms(), 1000);
  EXPECT_TRUE(seen["isDate"].value_or(false));
  EXPECT_EQ(seen["map"].entries()[0].value.items()[0].as_string(), "a");
  EXPECT_EQ(seen["big"].bigint_text(), "12345678901234567890");
  EXPECT_EQ(seen["re"].regexp_flags(), "gi");
  EXPECT_THAT(seen["bytes"].as_bytes(), ElementsAre(1, 2));
}

TEST_F(ScriptTaskTest, KeepsCyclesAndSharedReferencesBothWays) {
  Builder builder;
  const ValueView shared = builder.object({{"n", 1}});
  const Value input = builder.finish(builder.array({shared, shared}));
  const Value seen = result(
      "export default (input) => { const made = {same: input[0] === input[1], list: input};"
      "made.self = made; return made; }",
      {.input = input});
  EXPECT_TRUE(seen["same"].value_or(false));
  EXPECT_EQ(seen.find("self").identity(), seen.identity());
  EXPECT_EQ(seen.find("list").at(0).identity(), seen.find("list").at(1).identity());
}

TEST_F(ScriptTaskTest, AnswersWithATypedErrorWhereOneIsThrown) {
  ScriptTask made = task(
      "import { TaskError } from 'cordon:task';"
      "class Gone extends TaskError {}"
      "export default async (input) => { if (input === 1) throw new TaskError('app.low', 'too low',"
      "{least: 5, at: new Date(5)}); if (input === 2) throw new Gone('app.gone');"
      "await null; try { throw new TaskError('a', 'b', 1) } catch (e) { e.data = 2; throw e } }");
  TaskAnswer given = answer(made, {.input = Value(1)});
  const auto* first = std::get_if<TypedError>(&given);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->id, "app.low");
  EXPECT_EQ(first->message, "too low");
  EXPECT_EQ(first->data["least"].value_or(0), 5);
  EXPECT_EQ(first->data["at"].date_ms(), 5);
  const TaskAnswer second = answer(made, {.input = Value(2)});
  ASSERT_TRUE(std::holds_alternative<TypedError>(second));
  EXPECT_EQ(std::get<TypedError>(second).id, "app.gone");
  EXPECT_TRUE(std::get<TypedError>(second).data.is_undefined());
  EXPECT_EQ(std::get<TypedError>(answer(made, {.input = Value(3)})).data, Value(2));
}

TEST_F(ScriptTaskTest, AnswersWithTheStatusOfATypedError) {
  ScriptTask made = task(
      "import { TaskError } from 'cordon:task';"
      "class Gone extends TaskError { constructor() { super('app.gone', 'gone', undefined, "
      "{httpCode: 410}) } }"
      "export default async (input) => { if (input === 1) throw new TaskError('a', 'b', 1, "
      "{httpCode: 404}); if (input === 2) throw new Gone();"
      "if (input === 3) throw Object.assign(new TaskError('a', 'b'), {httpCode: 599});"
      "throw new TaskError('a', 'b', 1, 400) }");
  const auto code = [&](int input) {
    return std::get<TypedError>(answer(made, {.input = Value(input)})).http_code;
  };
  EXPECT_EQ(code(1), 404u);
  EXPECT_EQ(code(2), 410u);
  EXPECT_EQ(code(3), 599u);
  EXPECT_EQ(code(4), 400u);
  for (const char* wrong : {"200", "399", "600", "404.5", "'404'", "null", "NaN", "404n"}) {
    const ExecutionError failed = failure(
        "import { TaskError } from 'cordon:task'; export default () => {"
        "throw new TaskError('a', 'b', 1, {httpCode: " +
        std::string(wrong) + "}) }");
    EXPECT_THAT(failed.message, HasSubstr("The httpCode of a TaskError must be a whole number from "
                                          "400 to 599"))
        << wrong;
  }
}

TEST_F(ScriptTaskTest, FailsWithMessageAndStackWhereSomethingElseIsThrown) {
  const ExecutionError thrown =
      failure("export default async function inner() {\n  throw new TypeError('secret');\n}");
  EXPECT_EQ(thrown.code, ErrorCode::runtime_error);
  EXPECT_THAT(thrown.message, HasSubstr("secret"));
  EXPECT_THAT(thrown.stack, HasSubstr("inner (task.js:2"));
  EXPECT_EQ(failure("export default () => { throw {id: 'a', data: 1, name: 'TaskError'} }").code,
            ErrorCode::runtime_error);
  // An object that only looks like a TaskError does not count as one.
  EXPECT_EQ(failure("import { TaskError } from 'cordon:task'; export default () => {"
                    "throw Object.setPrototypeOf(new Error('x'), TaskError.prototype) }")
                .code,
            ErrorCode::runtime_error);
}

TEST_F(ScriptTaskTest, SaysWhatCannotLeave) {
  const ExecutionError refused = failure("export default () => ({a: [1, () => 2]})");
  EXPECT_EQ(refused.code, ErrorCode::serialization_error);
  EXPECT_THAT(refused.message, HasSubstr("a[1]"));
  const ExecutionError data = failure(
      "import { TaskError } from 'cordon:task';"
      "export default () => { throw new TaskError('a', 'b', {f() {}}) }");
  EXPECT_EQ(data.code, ErrorCode::serialization_error);
  EXPECT_THAT(data.message, HasSubstr("data.f"));
}

TEST_F(ScriptTaskTest, TellsLimitsApart) {
  ScriptTaskOptions options;
  options.execute.limits.time.computing = 30ms;
  EXPECT_EQ(failure("export default () => { for (;;); }", {}, options).code, ErrorCode::timeout);
  options.execute.limits.memory_bytes = 8u << 20;
  options.execute.limits.time.computing = 5s;
  EXPECT_EQ(failure("export default () => { const a = []; for (;;) a.push(new Uint8Array(1e5)) }",
                    {}, options)
                .code,
            ErrorCode::memory_limit);
}

TEST_F(ScriptTaskTest, CountsWhatATaskSleepsAndNotWhatItsClientTakes) {
  ScriptTaskOptions options;
  options.execute.limits.time.computing = 60ms;
  for (const std::string_view module :
       {"export default () => new Promise((done) => setTimeout(done, 60000))",
        "export default async () => { for (;;) await new Promise((done) => setTimeout(done, 5)) }",
        "export default async function* () { await new Promise((done) => setTimeout(done, 60000)); "
        "yield 'never' }"}) {
    SCOPED_TRACE(module);
    const Clock::time_point before = Clock::now();
    EXPECT_EQ(failure(module, {}, options).code, ErrorCode::timeout);
    EXPECT_GE(Clock::now() - before, 60ms);
    EXPECT_LT(Clock::now() - before, 2s);
    expect_no_sandbox();
  }
  for (const std::string_view module :
       {"export default () => new Promise(() => {})",
        "export default async function* () { await new Promise(() => {}); yield 'never' }"}) {
    EXPECT_EQ(failure(module, {}, options).code, ErrorCode::runtime_error) << "it waits in vain";
    expect_no_sandbox();
  }
  EXPECT_EQ(result("export default () => new Promise((done) => setTimeout(done, 5, 'soon'))", {},
                   options),
            Value("soon"));
  // A client that takes its time, in both directions.
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{}, false);
  ScriptTask made = task(
      "export default async function* (i, {body}) { for await (const piece of body) yield piece; "
      "for (let i = 0; i < 4; i++) yield new Uint8Array(100000) }",
      options);
  const StreamedResult streamed = stream(made, with_body(body));
  const auto take_time = [&] {
    const Clock::time_point before = Clock::now();
    drive([&] { return Clock::now() - before > 150ms; });
  };
  take_time();
  body->push("abc");
  body->end();
  take_time();
  EXPECT_EQ(text(*streamed.bytes).size(), 400003u);
}

TEST_F(ScriptTaskTest, IsOverloadedWhereTheQueueIsFull) {
  ScriptTask made = task("export default () => new Promise((done) => setTimeout(done, 30))");
  int overloaded = 0;
  int done = 0;
  for (int i = 0; i < 10; ++i) {
    made.call({}, [&](const TaskAnswer& given) {
      ++done;
      const auto* failed = std::get_if<ExecutionError>(&given);
      if (failed != nullptr && failed->code == ErrorCode::overloaded) ++overloaded;
    });
  }
  EXPECT_EQ(overloaded, 4);
  drive([&] { return done == 10; });
  EXPECT_EQ(overloaded, 4);
}

TEST_F(ScriptTaskTest, LeavesNothingFromCallToCall) {
  ScriptTask made = task(
      "let count = 0; const kept = [];"
      "export default () => { count++; kept.push(1); globalThis.seen = (globalThis.seen ?? 0) + 1;"
      "Array.prototype.extra = (Array.prototype.extra ?? 0) + 1;"
      "return {count, kept: kept.length, seen: globalThis.seen, extra: [].extra,"
      "random: Math.random(), id: crypto.randomUUID()} }");
  std::set<double> randoms;
  std::set<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    const TaskAnswer given = answer(made);
    const Value& seen = std::get<Value>(given);
    EXPECT_EQ(seen["count"].value_or(0), 1);
    EXPECT_EQ(seen["kept"].value_or(0), 1);
    EXPECT_EQ(seen["seen"].value_or(0), 1);
    EXPECT_EQ(seen["extra"].value_or(0), 1);
    randoms.insert(seen["random"].value_or(0.0));
    ids.insert(seen["id"].value_or(std::string()));
  }
  EXPECT_EQ(randoms.size(), 5u);
  EXPECT_EQ(ids.size(), 5u);
}

TEST_F(ScriptTaskTest, EndsWithItsAnswerWhateverItLeftRunning) {
  std::vector<std::string> logged;
  ScriptTaskOptions options;
  options.on_log = [&](const CallOrigin&, const LogLine& line) { logged.push_back(line.text); };
  EXPECT_EQ(result("export default () => { setInterval(() => console.log('alive'), 1);"
                   "(async () => { for (;;) await new Promise((d) => setTimeout(d, 1)) })();"
                   "return 1 }",
                   {}, options),
            Value(1));
  EXPECT_EQ(engine.figures().running, 0u);
  std::this_thread::sleep_for(20ms);
  engine.run_some(5ms);
  EXPECT_THAT(logged, ElementsAre(HasSubstr("the program ended before a timer was due")));
}

TEST_F(ScriptTaskTest, ShowsTheProgramNothingOfItsOwnWays) {
  EXPECT_EQ(result("export default (input, context) => {"
                   "const names = [];"
                   "for (let o = globalThis; o; o = Object.getPrototypeOf(o))"
                   "names.push(...Reflect.ownKeys(o).map(String));"
                   "names.push(...Reflect.ownKeys(context.body).map(String));"
                   "names.push(...Reflect.ownKeys(context.body.constructor).map(String));"
                   "return names.filter((n) => /port|cordon|natives|stream(id|number)/i.test(n)) }",
                   with_body(std::make_shared<TestSource>()))
                .size(),
            0u);
  // Streams are made by the host's word alone: a copy of the class reads nothing of another.
  EXPECT_EQ(result("export default async (input, context) => {"
                   "const Stream = context.body.constructor;"
                   "try { for await (const p of new Stream(7, 'x')); return 'read' }"
                   "catch (e) { return e.message } }",
                   with_body(std::make_shared<TestSource>())),
            Value("Illegal constructor"));
}

TEST_F(ScriptTaskTest, TellsWhatItLogsWithTheRequest) {
  std::vector<std::string> lines;
  ScriptTaskOptions options;
  options.on_log = [&](const CallOrigin& origin, const LogLine& line) {
    lines.push_back(origin.request_id + ":" + origin.traceparent + ":" + line.text);
  };
  result("export default () => { console.log('one'); console.warn('two'); }",
         {.request_id = "r7", .traceparent = "00-a-b-01"}, options);
  EXPECT_THAT(lines, ElementsAre("r7:00-a-b-01:one", "r7:00-a-b-01:two"));
}

TEST_F(ScriptTaskTest, TellsOnceThatItLogsTooMuch) {
  std::vector<std::string> lines;
  ScriptTaskOptions options;
  options.execute.limits.log_lines = 2;
  options.on_log = [&](const CallOrigin&, const LogLine& line) { lines.push_back(line.text); };
  result("export default () => { for (let i = 0; i < 1000; ++i) console.log(i); }", {}, options);
  EXPECT_THAT(lines,
              ElementsAre("0", "1", "998 lines more left out: it logs more than its limits allow"));
}

TEST_F(ScriptTaskTest, ItsToolsSeeTheRequest) {
  Provider tools("tools");
  tools.add_async("who", [](const Value&, Reply reply) {
    const CallOrigin origin = reply.origin();
    reply(Value(origin.request_id + " " + origin.traceparent));
  });
  ScriptTaskOptions options;
  options.execute.providers = {tools};
  EXPECT_EQ(result("export default async () => await tools.who()",
                   {.request_id = "r7", .traceparent = "00-a-b-01"}, options),
            Value("r7 00-a-b-01"));
}

TEST_F(ScriptTaskTest, CallsTheToolsOfItsProviders) {
  Provider tools("tools");
  tools.add("double", [](Value in) -> Result<Value> { return in.value_or(0) * 2; });
  ScriptTaskOptions options;
  options.execute.providers = {tools};
  EXPECT_EQ(
      result("export default async (n) => await tools.double(n)", {.input = Value(21)}, options),
      Value(42));
}

TEST_F(ScriptTaskTest, MayBeTypeScript) {
  ScriptTaskOptions options;
  options.execute.name = "add.ts";
  EXPECT_EQ(result("interface In { a: number }\nexport default (input: In): number => input.a",
                   {.input = Value::object({{"a", 4}})}, options),
            Value(4));
}

TEST_F(ScriptTaskTest, ImportsFromItsFolderWhenItLoadsAndWhenItIsCalled) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("script_task_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "lib");
  std::ofstream(folder / "lib/two.ts") << "export const two: number = 2;";
  std::ofstream(folder / "later.js") << "export default 'later';";
  ScriptTaskOptions options;
  options.execute.module_folder = folder;
  EXPECT_EQ(result("import { two } from './lib/two.ts';"
                   "export default async () => two + (await import('./later.js')).default;",
                   {}, options),
            Value("2later"));
  std::filesystem::remove_all(folder);
}

TEST_F(ScriptTaskTest, AnEventChangesItsPayloadOrReturnsAnother) {
  ScriptTaskOptions options;
  options.kind = ScriptKind::event;
  const Value payload = Value::object({{"n", 1}});
  EXPECT_EQ(result("export default async (p) => { p.n++; }", {.input = payload}, options),
            Value::object({{"n", 2}}));
  EXPECT_EQ(result("export default async (p) => ({other: p.n})", {.input = payload}, options),
            Value::object({{"other", 1}}));
  EXPECT_EQ(result("export default () => null", {.input = payload}, options), Value(nullptr));
  EXPECT_EQ(result("export default () => {}", {}, options), Value());
}

// Streams in.

TEST_F(ScriptTaskTest, ReadsTheBodyPieceByPiece) {
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{"ab", "c"});
  EXPECT_EQ(result("export default async (input, {body}) => { const seen = [];"
                   "for await (const piece of body) seen.push(piece.constructor.name, ...piece);"
                   "return seen.join() }",
                   with_body(body)),
            Value("Uint8Array,97,98,Uint8Array,99"));
  EXPECT_TRUE(body->closed);
  EXPECT_EQ(result("export default async (input, {body}) => (await body.text()).length",
                   with_body(std::make_shared<TestSource>(
                       std::vector<std::string>{std::string(10'000, 'x'), "\xc3", "\xa9"}))),
            Value(10'001));
  EXPECT_EQ(
      result(
          "export default async (i, {body}) => { const whole = await body.bytes();"
          "const moved = whole.buffer.transfer(2); return [moved.byteLength, whole.length] }",
          with_body(std::make_shared<TestSource>(std::vector<std::string>{std::string(9000, 'x')})))
          .size(),
      2u);
}

TEST_F(ScriptTaskTest, GivesPiecesWhoseBuffersBehaveAsAny) {
  EXPECT_EQ(result("export default async (i, {body}) => { const seen = [];"
                   "for await (const piece of body) {"
                   "const moved = piece.buffer.transfer(piece.length + 8); const view = new "
                   "Uint8Array(moved);"
                   "seen.push(piece.length, view.length, view[0], view.at(-1), view.at(-9)) }"
                   "return seen.join() }",
                   with_body(std::make_shared<TestSource>(
                       std::vector<std::string>{std::string(100'000, 'x'), std::string(3, 'y')}))),
            Value("0,100008,120,0,120,0,11,121,0,121"));
}

TEST_F(ScriptTaskTest, ReadsNothingThatItWasNotAskedFor) {
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{"a", "b", "c"});
  EXPECT_EQ(result("export default async (input, {body}) => {"
                   "for await (const piece of body) return piece.length; }",
                   with_body(body)),
            Value(1));
  EXPECT_EQ(body->reads, 1);
  EXPECT_TRUE(body->closed);
}

TEST_F(ScriptTaskTest, ABodyIsReadOnce) {
  EXPECT_EQ(result("export default async (input, {body}) => { for await (const p of body);"
                   "try { for await (const p of body); } catch (e) { return e.message } }",
                   with_body(std::make_shared<TestSource>(std::vector<std::string>{"a"}))),
            Value("The body of a request can be read only once"));
}

TEST_F(ScriptTaskTest, MayAskForManyPiecesAtOnce) {
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{"a", "b", "c"});
  EXPECT_EQ(
      result("export default async (input, {body}) => { const it = body[Symbol.asyncIterator]();"
             "const steps = await Promise.all([it.next(), it.next(), it.next(), it.next(), "
             "it.next()]);"
             "return steps.map((s) => s.done ? '-' : String.fromCharCode(...s.value)).join('') }",
             with_body(body)),
      Value("abc--"));
}

TEST_F(ScriptTaskTest, HearsOfABodyThatBreaksOff) {
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{"a"}, false);
  ScriptTask made = task(
      "export default async (input, {body}) => { let n = 0;"
      "try { for await (const p of body) n++; } catch (e) { return n + e.message } }");
  std::optional<TaskAnswer> given;
  made.call(with_body(body), [&](TaskAnswer answer) { given = std::move(answer); });
  drive([&] { return body->reads == 2; });
  EXPECT_FALSE(given);
  body->break_off();
  drive([&] { return given.has_value(); });
  EXPECT_EQ(std::get<Value>(*given), Value("1the client went away"));
}

TEST_F(ScriptTaskTest, FilesOfTheInputHaveTheirStreams) {
  const auto first = std::make_shared<TestSource>(std::vector<std::string>{"one"});
  const auto second = std::make_shared<TestSource>(std::vector<std::string>{"two", "2"});
  TaskCall call{
      .input = Value::object({{"file", Value::object({{"name", "a.txt"}, {"type", "text/plain"}})},
                              {"more", Value::array({Value::object({{"name", "b.txt"}})})}})};
  call.files = {{{"file"}, first}, {{"more", std::size_t{0}}, second}};
  const Value seen = result(
      "export default async (input) => { const {stream} = await input.more[0].resolve();"
      "const b = await stream.text(); const a = await (await input.file.resolve()).stream.text();"
      "let again; try { await input.file.resolve() } catch (e) { again = e.message }"
      "return {a, b, again, input} }",
      call);
  EXPECT_EQ(seen["a"].value_or(std::string()), "one");
  EXPECT_EQ(seen["b"].value_or(std::string()), "two2");
  EXPECT_THAT(seen["again"].value_or(std::string()), HasSubstr("only once"));
  EXPECT_EQ(seen["input"]["file"]["name"].value_or(std::string()), "a.txt");
  EXPECT_TRUE(first->closed);
  EXPECT_TRUE(second->closed);
}

TEST_F(ScriptTaskTest, ClosesStreamsThatItNeverRead) {
  const auto file = std::make_shared<TestSource>(std::vector<std::string>{"one"});
  TaskCall call{.input = Value::object({{"file", Value::object({{"name", "a"}})}})};
  call.files = {{{"file"}, file}};
  EXPECT_EQ(result("export default (input) => input.file.name", call), Value("a"));
  EXPECT_EQ(file->reads, 0);
  EXPECT_TRUE(file->closed);
}

// Streams out.

TEST_F(ScriptTaskTest, StreamsWhatAnAsyncIterableGives) {
  ScriptTask made = task(
      "export default async function* () { yield 'h\u00e9'; yield new Uint8Array([33]); yield '';"
      "yield new Uint8Array([48, 49, 50]).buffer; yield new DataView(new Uint8Array([65, "
      "66]).buffer, 1);"
      "yield new Uint16Array([0x4443]) }");
  StreamedResult streamed = stream(made);
  EXPECT_EQ(streamed.content_type, "application/octet-stream");
  EXPECT_EQ(text(*streamed.bytes), "h\u00e9!012BCD");
  expect_no_sandbox();
}

TEST_F(ScriptTaskTest, StreamsWhatTheMemberStreamGives) {
  ScriptTask made = task(
      "export default async (input) => input === 1"
      "? {stream: ReadableStream.from(['a', 'b']), contentType: 'text/csv; charset=utf-8'}"
      ": input === 2 ? {stream: (function* () { yield 'c' })()} : ReadableStream.from(['d'])");
  StreamedResult streamed = stream(made, {.input = Value(1)});
  EXPECT_EQ(streamed.content_type, "text/csv; charset=utf-8");
  EXPECT_EQ(text(*streamed.bytes), "ab");
  EXPECT_EQ(text(*stream(made, {.input = Value(2)}).bytes), "c");
  EXPECT_EQ(text(*stream(made, {.input = Value(3)}).bytes), "d");
  // An ordinary object with such a key is a value.
  EXPECT_EQ(result("export default () => ({stream: ['a']})"),
            Value::object({{"stream", Value::array({"a"})}}));
  EXPECT_EQ(
      failure("export default () => ({stream: (async function* () {})(), contentType: 'a\\nb'})")
          .code,
      ErrorCode::runtime_error);
}

TEST_F(ScriptTaskTest, StreamsWithStatusAndHeaders) {
  ScriptTask made = task(
      "export default (input) => ({stream: (async function* () { yield 'a' })(), status: 206,"
      "headers: input === 1 ? {'X-B': 'b', 'x-a': 1} : input === 2 ? new Headers([['x-a', '1'],"
      "['set-cookie', 'a'], ['set-cookie', 'b']]) : undefined, contentType: input === 3 ? 'a/b' : "
      "undefined})");
  using Headers = std::vector<std::pair<std::string, std::string>>;
  StreamedResult first = stream(made, {.input = Value(1)});
  EXPECT_EQ(first.status, 206u);
  EXPECT_EQ(first.content_type, "application/octet-stream");
  EXPECT_EQ(first.headers, (Headers{{"x-a", "1"}, {"x-b", "b"}}));
  EXPECT_EQ(text(*first.bytes), "a");
  const StreamedResult second = stream(made, {.input = Value(2)});
  EXPECT_EQ(second.headers, (Headers{{"set-cookie", "a"}, {"set-cookie", "b"}, {"x-a", "1"}}));
  const StreamedResult third = stream(made, {.input = Value(3)});
  EXPECT_EQ(third.content_type, "a/b");
  EXPECT_EQ(third.headers, Headers());
}

TEST_F(ScriptTaskTest, FailsWhereTheHeadOfAStreamIsNone) {
  const auto message = [&](const std::string& members) {
    return failure("export default () => ({stream: (async function* () { yield 'a' })(), " +
                   members + "})")
        .message;
  };
  for (const char* status : {"199", "600", "'200'", "null", "200.5", "-1", "4294967496"}) {
    EXPECT_THAT(
        message(std::string("status: ") + status),
        HasSubstr("The status of a streamed result must be a whole number from 200 to 599"));
  }
  EXPECT_THAT(message("headers: 'a: b'"), HasSubstr("Headers wants an object"));
  EXPECT_THAT(message("headers: {'a b': 'c'}"), HasSubstr("Invalid header name: a b"));
  EXPECT_THAT(message("headers: {a: 'b\\nc: d'}"), HasSubstr("Invalid header value"));
}

TEST_F(ScriptTaskTest, AnEmptyStreamIsAStream) {
  ScriptTask made = task("export default async function* () {}");
  EXPECT_EQ(text(*stream(made).bytes), "");
}

TEST_F(ScriptTaskTest, AStreamThatFailsBeforeItsFirstByteIsAnOrdinaryFailure) {
  EXPECT_THAT(failure("export default async function* () { throw new Error('early') }").message,
              HasSubstr("early"));
  ScriptTask made = task(
      "import { TaskError } from 'cordon:task';"
      "export default async function* () { throw new TaskError('a', 'b', 1); yield 'x' }");
  EXPECT_TRUE(std::holds_alternative<TypedError>(answer(made)));
}

TEST_F(ScriptTaskTest, AStreamThatFailsMidwayEndsWithAnError) {
  ScriptTask made =
      task("export default async function* () { yield 'a'; throw new Error('late') }");
  EXPECT_EQ(text(*stream(made).bytes), "a!late");
  ScriptTask wrong = task("export default async function* () { yield 'a'; yield {} }");
  EXPECT_THAT(text(*stream(wrong).bytes), HasSubstr("bytes or strings"));
}

TEST_F(ScriptTaskTest, AnswersADuplexTaskWhileItWaitsForItsClient) {
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{}, false);
  ScriptTask made = task(
      "export default async function* (input, {body}) {"
      "for await (const p of body) yield new TextDecoder().decode(p).toUpperCase() }");
  const StreamedResult streamed = stream(made, with_body(body));
  body->push("abc");
  Result<Bytes> piece = next(*streamed.bytes);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(as_text(*piece), "ABC");
  body->push("def");
  body->end();
  EXPECT_EQ(text(*streamed.bytes), "DEF");
}

TEST_F(ScriptTaskTest, WaitsForAReaderThatIsSlow) {
  ScriptTask made = task(
      "export default async function* () { for (let i = 0; i < 1000; i++) {"
      "console.log(i); yield new Uint8Array(65536) } }",
      {.execute = {.limits = {.time = {.total = {}}, .log_lines = 2000}},
       .on_log = [this](const CallOrigin&, const LogLine&) { ++logged_; }});
  const StreamedResult streamed = stream(made);
  for (int i = 0; i < 20; ++i) engine.run_some(5ms);
  EXPECT_LT(logged_, 10);
  std::size_t bytes = 0;
  for (;;) {
    const Result<Bytes> piece = next(*streamed.bytes);
    ASSERT_TRUE(piece.has_value());
    if (piece->empty()) break;
    bytes += piece->size();
  }
  EXPECT_EQ(bytes, 1000u * 65536);
}

TEST_F(ScriptTaskTest, CutsLargePiecesBothWays) {
  const auto body =
      std::make_shared<TestSource>(std::vector<std::string>{std::string(5'000'000, 'x')});
  ScriptTask made = task(
      "export default async function* (i, {body}) { let most = 0, all = 0;"
      "for await (const p of body) { most = Math.max(most, p.length); all += p.length }"
      "yield new Uint8Array(all); if (most > 2 ** 20) throw new Error('large: ' + most) }");
  const StreamedResult streamed = stream(made, with_body(body));
  std::size_t bytes = 0;
  for (;;) {
    const Result<Bytes> piece = next(*streamed.bytes);
    ASSERT_TRUE(piece.has_value()) << piece.error().message;
    if (piece->empty()) break;
    EXPECT_LE(piece->size(), 1u << 20);
    bytes += piece->size();
  }
  EXPECT_EQ(bytes, 5'000'000u);
}

TEST_F(ScriptTaskTest, StreamsAGigabyteBothWaysInBoundedMemory) {
  constexpr std::uint64_t total = std::uint64_t{1} << 30;
  std::uint64_t memory = 0;
  ScriptTask made = task("export default async function* (i, {body}) { yield* body }",
                         {.execute = {.limits = {.time = {.total = {}}}},
                          .on_end = [&](const CallOrigin&, const Report& report) {
                            EXPECT_TRUE(report.ok()) << report.error.message;
                            memory = report.memory_bytes;
                          }});
  const StreamedResult streamed =
      stream(made, with_body(std::make_shared<ManyBytes>(total, 256u << 10)));
  std::uint64_t seen = 0;
  for (;;) {
    const Result<Bytes> piece = next(*streamed.bytes);
    ASSERT_TRUE(piece.has_value()) << piece.error().message;
    if (piece->empty()) break;
    seen += piece->size();
  }
  EXPECT_EQ(seen, total);
  drive([&] { return memory != 0; });
  EXPECT_LT(memory, 16u << 20);
}

// Abort.

TEST_F(ScriptTaskTest, HearsThatItsClientWentAway) {
  std::stop_source client;
  const auto body = std::make_shared<TestSource>(std::vector<std::string>{}, false);
  std::vector<std::string> lines;
  ScriptTask made = task(
      "export default async (input, {body, signal}) => {"
      "signal.addEventListener('abort', () => console.log('signal', signal.reason.name));"
      "try { for await (const p of body); } catch (e) { console.log('read', e.name) }"
      "finally { await null; console.log('end', signal.aborted) } }",
      {.on_log = [&](const CallOrigin&, const LogLine& line) { lines.push_back(line.text); }});
  TaskCall call = with_body(body);
  call.aborted = client.get_token();
  std::optional<TaskAnswer> given;
  made.call(std::move(call), [&](TaskAnswer answer) { given = std::move(answer); });
  drive([&] { return body->reads > 0; });
  client.request_stop();
  EXPECT_TRUE(body->closed);
  drive([&] { return given.has_value(); });
  EXPECT_THAT(lines, ElementsAre("signal AbortError", "read AbortError", "end true"));
  expect_no_sandbox();
}

TEST_F(ScriptTaskTest, EndsSoonAfterAnAbortWhateverItDoes) {
  for (const std::string_view module :
       {"export default (i, {signal}) => new Promise(() => { signal.onabort = () => { for (;;); } "
        "})",
        "export default () => new Promise((done) => setTimeout(done, 60000))",
        "export default () => { for (;;); }"}) {
    SCOPED_TRACE(module);
    std::stop_source client;
    std::string end;
    ScriptTask made =
        task(module, {.execute = {.limits = {.time = {.total = {}, .computing = 60s}}},
                      .on_end = [&](const CallOrigin&, const Report& report) {
                        end = report.error.code_text();
                      }});
    TaskCall call;
    call.aborted = client.get_token();
    std::optional<TaskAnswer> given;
    made.call(std::move(call), [&](TaskAnswer answer) { given = std::move(answer); });
    engine.run_some(5ms);
    const Clock::time_point before = Clock::now();
    client.request_stop();
    drive([&] { return given.has_value(); });
    EXPECT_LT(Clock::now() - before, 1500ms);
    ASSERT_TRUE(std::holds_alternative<ExecutionError>(*given));
    EXPECT_EQ(std::get<ExecutionError>(*given).code, ErrorCode::cancelled);
    EXPECT_EQ(end, "cancelled");
    expect_no_sandbox();
  }
}

TEST_F(ScriptTaskTest, DoesNotBeginWhereItsClientIsGoneAlready) {
  std::stop_source client;
  client.request_stop();
  int logged = 0;
  ScriptTask made = task("export default () => { console.log('ran') }",
                         {.on_log = [&](const CallOrigin&, const LogLine&) { ++logged; }});
  TaskCall call;
  call.aborted = client.get_token();
  const TaskAnswer given = answer(made, std::move(call));
  ASSERT_TRUE(std::holds_alternative<ExecutionError>(given));
  EXPECT_EQ(std::get<ExecutionError>(given).code, ErrorCode::cancelled);
  EXPECT_EQ(logged, 0);
  EXPECT_EQ(engine.figures().queued, 0u);
  EXPECT_EQ(engine.figures().running, 0u);
}

TEST_F(ScriptTaskTest, AReaderThatClosesAStreamEndsItsTask) {
  std::vector<std::string> lines;
  ScriptTask made = task(
      "export default async function* () { try { for (;;) yield new Uint8Array(300000) }"
      "finally { console.log('closed') } }",
      {.on_log = [&](const CallOrigin&, const LogLine& line) { lines.push_back(line.text); }});
  StreamedResult streamed = stream(made);
  ASSERT_TRUE(next(*streamed.bytes).has_value());
  streamed.bytes->close();
  expect_no_sandbox();
  EXPECT_THAT(lines, ElementsAre("closed"));
  EXPECT_FALSE(next(*streamed.bytes).has_value());
  // Dropping it is the same.
  streamed = stream(made);
  streamed.bytes.reset();
  expect_no_sandbox();
}

TEST_F(ScriptTaskTest, ACallThatIsQueuedGoesWithItsClient) {
  ScriptTask made = task("export default () => new Promise((done) => setTimeout(done, 50))");
  int done = 0;
  for (int i = 0; i < 4; ++i) made.call({}, [&](const TaskAnswer&) { ++done; });
  std::stop_source client;
  TaskCall call;
  call.aborted = client.get_token();
  std::optional<TaskAnswer> given;
  made.call(std::move(call), [&](TaskAnswer answer) { given = std::move(answer); });
  engine.run_some(5ms);
  EXPECT_EQ(engine.figures().queued, 1u);
  client.request_stop();
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(std::get<ExecutionError>(*given).code, ErrorCode::cancelled);
  EXPECT_EQ(engine.figures().queued, 0u);
  drive([&] { return done == 4; });
}

// The example, which docs/tasks.md leads to.

class TunnelExample : public ScriptTaskTest {
 protected:
  ScriptTask script(const std::string& name, ScriptTaskOptions options = {}) {
    std::ifstream file("examples/tunnel/" + name);
    const std::string module(std::istreambuf_iterator<char>(file), {});
    EXPECT_FALSE(module.empty());
    options.execute.name = name;
    return task(module, std::move(options));
  }
};

TEST_F(TunnelExample, Adds) {
  ScriptTask add = script("add.js");
  EXPECT_EQ(std::get<Value>(answer(add, {.input = Value::object({{"a", 1}, {"b", 2}})})), Value(3));
  const TaskAnswer large = answer(add, {.input = Value::object({{"a", 1e308}, {"b", 1e308}})});
  ASSERT_TRUE(std::holds_alternative<TypedError>(large));
  EXPECT_EQ(std::get<TypedError>(large).id, "app.errors.range");
}

TEST_F(TunnelExample, CountsAnUpload) {
  ScriptTask upload = script("upload.js");
  TaskCall call{.input = Value::object({{"file", Value::object({{"name", "doc.txt"}})}})};
  call.files = {{{"file"}, std::make_shared<TestSource>(std::vector<std::string>{"abc", "de"})}};
  EXPECT_EQ(std::get<Value>(answer(upload, std::move(call))), Value::object({{"bytes", 5}}));
}

TEST_F(TunnelExample, TransformsWhatComes) {
  ScriptTask transform = script("transform.js");
  const auto body =
      std::make_shared<TestSource>(std::vector<std::string>{"stra\xc3", "\x9f", "e \xc3\xa9"});
  EXPECT_EQ(text(*stream(transform, with_body(body)).bytes), "STRASSE \u00c9");
}

TEST_F(TunnelExample, NotifiesAndChecks) {
  ScriptTask notify = script("notify.js", {.kind = ScriptKind::event});
  EXPECT_EQ(std::get<Value>(answer(notify, {.input = Value::object({{"message", "hi"}})})),
            Value::object({{"message", "hi"}, {"seen", true}}));
  ScriptTask check = script("check.js");
  const auto headers = [](const char* text) {
    return Value::object({{"headers", Value::object({{"authorization", text}})}});
  };
  EXPECT_EQ(std::get<Value>(answer(check, {.input = headers("Bearer open-sesame")})),
            Value::object({{"ok", true}}));
  EXPECT_EQ(std::get<Value>(answer(check, {.input = headers("Bearer x")})),
            Value::object({{"ok", false}}));
}

}  // namespace
}  // namespace cordon::host
