// The class Plugin with real processes: the guest of these tests as a program and as a module.

#include "cordon/plugin.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <random>
#include <set>
#include <signal.h>
#include <string>
#include <thread>
#include <vector>

#include "costly_modules.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/coroutine.h"
#include "cordon/json.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string program = CORDON_TEST_GUEST_PROGRAM;

PluginOptions native() { return {.command = {program}}; }

Plugin make(PluginOptions options) {
  Result<Plugin> plugin = Plugin::create(std::move(options));
  EXPECT_TRUE(plugin.has_value());
  return *std::move(plugin);
}

std::string code_of(const Result<Value>& result) {
  return result ? "a result" : std::string(name_of(result.error().code));
}

TEST(Plugin, CallsAFunction) {
  Plugin plugin = make(native());
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(*plugin.call_as<int>("add", Value::array({40, 2})), 42);
  EXPECT_EQ(plugin.call_as<std::string>("add", Value::array({1, 2})).error().code,
            ErrorCode::type_mismatch);
}

TEST(Plugin, RunsAModuleInItsJail) {
  const e2e::Folder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  Plugin plugin = make({.wasm = CORDON_TEST_GUEST_WASM,
                        .cordon = e2e::cordon_program(),
                        .memory_bytes = std::uint64_t{32} << 20});
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(*plugin.call("doors"), Value(0));
  EXPECT_LT(plugin.call_as<int>("grow").value_or(1000), 32);
}

// The kernel can end a process with the thread that started it; a plugin's process must not be.
TEST(Plugin, AModulesProcessOutlivesTheThreadThatStartedIt) {
  const e2e::Folder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  Plugin plugin = make({.wasm = CORDON_TEST_GUEST_WASM, .cordon = e2e::cordon_program()});
  std::thread([&] { EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3)); }).join();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(plugin.figures().starts, 1u);
}

TEST(Plugin, WhatCompilingAModuleMayCostHasALimit) {
  const e2e::Folder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const std::string file =
      folder.file("costly.wasm", e2e::module_of(1000, 200, e2e::joining_code(50'000, 200)));
  PluginOptions options{.wasm = file, .cordon = e2e::cordon_program()};
  options.compile.timeout = 200ms;
  Plugin limited = make(options);
  EXPECT_EQ(code_of(limited.call("add")), "exited");
  EXPECT_THAT(limited.errors(), HasSubstr("compiling it takes longer than 200 ms"));
  options.compile = {};
  options.timeout = 200ms;
  Plugin late = make(options);
  EXPECT_EQ(code_of(late.call("add")), "timeout");
}

TEST(Plugin, AFunctionErrorLeavesTheProcess) {
  Plugin plugin = make(native());
  const auto failed = plugin.call("divide", Value::array({1, 0}));
  EXPECT_EQ(code_of(failed), "tool_error");
  EXPECT_EQ(failed.error().message, "Division by zero");
  EXPECT_EQ(*plugin.call("divide", Value::array({6, 2})), Value(3));
  EXPECT_EQ(plugin.figures().starts, 1u);
  EXPECT_EQ(plugin.figures().failures, 0u);
}

TEST(Plugin, AfterEachViolationTheNextCallGetsAFreshProcess) {
  Plugin plugin = make(native());
  const std::pair<const char*, const char*> ways[] = {
      {"print", "bad_version"},
      {"badFrame", "bad_frame"},
      {"noMap", "bad_message"},
      {"hugeFrame", "too_large"},
      {"exit", "exited"},
      {"answerUnasked", "unknown_id"},
      {"callBack", "unauthorized_callback"},
  };
  std::uint64_t restarts = 0;
  for (const auto& [function, code] : ways) {
    EXPECT_EQ(code_of(plugin.call(function, Value::object({{"name", "rm"}}))), code) << function;
    EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3)) << "after " << function;
    EXPECT_EQ(plugin.figures().restarts, ++restarts);
  }
  EXPECT_EQ(plugin.figures().failures, restarts);
}

TEST(Plugin, ATimeoutFailsEveryCallThatWaits) {
  Plugin plugin = make(native());
  PluginCall hangs = plugin.start("spin", {}, {.timeout = 200ms});
  PluginCall behind = plugin.start("add", Value::array({1, 2}));
  EXPECT_EQ(code_of(hangs.get()), "timeout");
  EXPECT_EQ(code_of(behind.get()), "timeout");
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
}

TEST(Plugin, ManyCallsAreUnderWayAtOnce) {
  Plugin plugin = make(native());
  std::vector<PluginCall> calls;
  for (int i = 0; i < 1000; ++i) calls.push_back(plugin.start("add", Value::array({i, 1})));
  for (int i = 999; i >= 0; --i) {
    EXPECT_EQ(*calls[static_cast<std::size_t>(i)].get(), Value(i + 1));
  }
}

TEST(Plugin, NamedCallbacksAreTheProvidersTools) {
  Provider shop("shop");
  shop.add("price",
           [](Value input) -> Result<Value> { return Value(input["id"].value_or(0) * 2); });
  shop.add_blocking("slow", [](Value) -> Result<Value> {
    std::this_thread::sleep_for(20ms);
    return Value("later");
  });
  shop.add("boom", [](Value) -> Result<Value> { return fail(ErrorCode::tool_error, "no"); });
  PluginOptions options = native();
  options.callbacks = shop;
  Plugin plugin = make(std::move(options));
  const Value params = Value::object({{"name", "price"}, {"params", Value::object({{"id", 21}})}});
  EXPECT_EQ(*plugin.call("callBack", params), Value(42));
  EXPECT_EQ(*plugin.call("callBack", Value::object({{"name", "slow"}})), "later");
  EXPECT_EQ(code_of(plugin.call("callBack", Value::object({{"name", "boom"}}))), "tool_error");
  EXPECT_EQ(plugin.figures().restarts, 0u);
}

TEST(Plugin, ACallbackByReferenceGoesIntoTheParams) {
  Plugin plugin = make(native());
  PluginCallOptions options;
  options.callbacks.emplace_back("name", [](Value input, Reply reply) { reply(std::move(input)); });
  EXPECT_EQ(*plugin.call("callBack", Value::object({{"params", "hi"}}), options), "hi");
}

TEST(Plugin, AStreamComesChunkByChunk) {
  Plugin plugin = make(native());
  PluginStream items = plugin.stream("listItems", {}, "toolStreamId");
  EXPECT_EQ(**items.next(), "Hammer");
  EXPECT_EQ(**items.next(), "Wrench");
  EXPECT_FALSE(items.next()->has_value());
  EXPECT_TRUE(items.result()->is_undefined());

  PluginStream lost = plugin.stream("lostItems", {}, "toolStreamId");
  EXPECT_EQ(**lost.next(), "Hammer");
  EXPECT_EQ(lost.next().error().code, ErrorCode::io);

  PluginStream cut = plugin.stream("exit", Value::object({}), "toolStreamId");
  EXPECT_EQ(cut.next().error().code, ErrorCode::exited);
}

TEST(Plugin, AStreamGoesToTheGuest) {
  Plugin plugin = make(native());
  PluginCallOptions options;
  options.streams.emplace_back("stream", [i = 0]() mutable -> Result<std::optional<Value>> {
    if (i == 100'000) return std::nullopt;
    return Value(++i % 100);
  });
  EXPECT_EQ(*plugin.call("sum", {}, options), Value(4'950'000));
}

TEST(Plugin, NotifyWaitsForNothing) {
  Plugin plugin = make(native());
  EXPECT_TRUE(plugin.notify("logEvent").has_value());
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_THAT(plugin.errors(), HasSubstr("logged"));
}

TEST(Plugin, AProcessIsReplacedAfterItsCalls) {
  PluginOptions options = native();
  options.recycle_calls = 10;
  Plugin plugin = make(std::move(options));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*plugin.call("add", Value::array({i, 1})), Value(i + 1));
  EXPECT_EQ(plugin.figures().recycled, 10u);
  EXPECT_EQ(plugin.figures().restarts, 0u);
}

TEST(Plugin, SparesAreReady) {
  PluginOptions options = native();
  options.spares = 2;
  Plugin plugin = make(std::move(options));
  EXPECT_EQ(plugin.figures().starts, 2u);
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(plugin.figures().starts, 3u);
}

TEST(Plugin, AGuestThatEndsAtOnceIsStartedLaterAndLater) {
  PluginOptions options{.command = {"/bin/false"}};
  options.first_delay = 20ms;
  Plugin plugin = make(std::move(options));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(code_of(plugin.call("f")), "exited");
  EXPECT_GE(std::chrono::steady_clock::now() - start, 140ms) << "20 + 40 + 80";
  EXPECT_EQ(code_of(plugin.call("f", {}, {.timeout = 10ms})), "unavailable");
}

TEST(Plugin, AProgramThatIsNotThereIsUnavailable) {
  Plugin plugin = make({.command = {"/no/such/program"}});
  EXPECT_EQ(code_of(plugin.call("f")), "unavailable");
  EXPECT_FALSE(Plugin::create({}).has_value());
}

Value schema(const char* text) { return from_json(text).value(); }

TEST(Plugin, ChecksParamsAndResultsOnTheirWay) {
  PluginOptions options = native();
  options.functions["add"] = {
      .params = schema(R"({"type": "array", "items": {"type": "integer"}, "minItems": 2})"),
      .result = schema(R"({"maximum": 10})")};
  options.functions["spin"] = {.timeout = 100ms};
  Plugin plugin = make(std::move(options));
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  const auto wrong = plugin.call("add", Value::array({1}));
  EXPECT_EQ(code_of(wrong), "invalid_argument");
  EXPECT_THAT(wrong.error().message, HasSubstr("2 items"));
  EXPECT_EQ(code_of(plugin.call("add", Value::array({10, 2}))), "validation_error");
  EXPECT_EQ(*plugin.call("echo", Value::array({1})), Value::array({1})) << "asked of others only";
  EXPECT_EQ(plugin.figures().starts, 1u) << "none of it is the end of the process";
  EXPECT_EQ(code_of(plugin.call("spin")), "timeout");

  options = native();
  options.functions["f"] = {.params = schema(R"({"type": "nothing"})")};
  EXPECT_FALSE(Plugin::create(std::move(options)).has_value());
}

// What a callback gives the guest: its answer, or that it failed.
std::string called_back(Plugin& plugin, const char* name, const Value& params) {
  const Result<Value> answer =
      plugin.call("callBack", Value::object({{"name", name}, {"params", params}}));
  return answer ? debug_text(*answer) : answer.error().message;
}

TEST(Plugin, ChecksCallbacksAndTheirTime) {
  std::atomic<int> prices = 0;
  std::atomic<bool> was_stopped = false;
  Provider shop("shop");
  shop.add("price", [&](Value input) -> Result<Value> {
    ++prices;
    return input["id"].value_or(0) == 1 ? Value(2) : Value("none");
  });
  shop.add_blocking("slow", [&](Value, std::stop_token stop) -> Result<Value> {
    for (int i = 0; i < 500 && !stop.stop_requested(); ++i) std::this_thread::sleep_for(10ms);
    was_stopped = stop.stop_requested();
    return Value(1);
  });
  PluginOptions options = native();
  options.callbacks = shop;
  options.callback_functions["price"] = {.params = schema(R"({"required": ["id"]})"),
                                         .result = schema(R"({"type": "integer"})")};
  options.callback_functions["slow"] = {.timeout = 50ms};
  {
    Plugin plugin = make(std::move(options));
    EXPECT_EQ(called_back(plugin, "price", Value::object({{"id", 1}})), "2");
    EXPECT_EQ(called_back(plugin, "price", Value::object({{"id", 2}})), "the callback failed");
    EXPECT_EQ(prices, 2);
    EXPECT_EQ(called_back(plugin, "price", Value::object({})), "the callback failed");
    EXPECT_EQ(prices, 2) << "it was not called";
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(called_back(plugin, "slow", Value(1)), "the callback failed");
    EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
    EXPECT_EQ(plugin.figures().restarts, 0u);
  }
  for (int i = 0; i < 300 && !was_stopped; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(was_stopped) << "a callback that is late is told";
}

Coroutine<Result<Value>> add_up(Plugin& plugin) {
  std::int64_t sum = 0;
  for (int i = 1; i <= 100; ++i) {
    const Value params = Value::array({sum, i});
    Result<Value> next = co_await plugin.start("add", params);
    if (!next) co_return fail(ErrorCode::tool_error, next.error().message);
    sum = next->value_or(std::int64_t{0});
  }
  // A coroutine that goes on by a thread of the plugin's may wait as well.
  const Result<Value> last = plugin.call("add", Value::array({sum, 1}));
  co_return last.value_or(Value());
}

TEST(Plugin, ACoroutineAwaitsCalls) {
  Plugin plugin = make(native());
  std::vector<std::future<Result<Value>>> sums;
  for (int i = 0; i < 8; ++i) sums.push_back(start(add_up(plugin)));
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3)) << "others may wait beside them";
  for (auto& sum : sums) EXPECT_EQ(*sum.get(), Value(5051));
}

TEST(Plugin, ThenIsToldOfResultsAndOfEnds) {
  std::promise<std::string> first;
  std::promise<std::string> second;
  {
    Plugin plugin = make(native());
    plugin.start("add", Value::array({1, 2})).then([&](Result<Value> result) {
      first.set_value(debug_text(*result));
    });
    plugin.start("exit", Value::array({3})).then([&](const Result<Value>& result) {
      second.set_value(code_of(result));
    });
    // The plugin may go; what is under way has what it needs.
  }
  EXPECT_EQ(first.get_future().get(), "3");
  EXPECT_EQ(second.get_future().get(), "exited");
}

Coroutine<Result<Value>> read_items(Plugin& plugin) {
  PluginStream items = plugin.stream("listItems", {}, "toolStreamId");
  std::string all;
  while (true) {
    Result<std::optional<Value>> item = co_await items.async_next();
    if (!item) co_return fail(ErrorCode::tool_error, item.error().message);
    if (!*item) break;
    all += (*item)->as_string();
  }
  co_return Value(all);
}

TEST(Plugin, ACoroutineReadsAStream) {
  Plugin plugin = make(native());
  EXPECT_EQ(*start(read_items(plugin)).get(), "HammerWrench");
}

TEST(Plugin, AStreamThatNobodyReadsDoesNotGrow) {
  PluginOptions options = native();
  options.unread_bytes = std::size_t{1} << 20;
  Plugin plugin = make(std::move(options));
  // 64 MiB, of which somebody who waits for something else has to take some.
  const Value params = Value::object({{"count", 1024}});
  PluginStream stream = plugin.stream("chunks", params, "stream");
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  std::size_t chunks = 0;
  Result<std::optional<Value>> chunk = stream.next();
  for (; chunk && *chunk; chunk = stream.next()) ++chunks;
  EXPECT_EQ(chunks, 15u);
  ASSERT_FALSE(chunk.has_value());
  EXPECT_EQ(chunk.error().code, ErrorCode::too_large);
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(plugin.figures().restarts, 0u);
}

TEST(Plugin, AStreamThatIsReadAsItComesHasNoLimit) {
  PluginOptions options = native();
  options.unread_bytes = 1;
  Plugin plugin = make(std::move(options));
  PluginStream stream = plugin.stream("chunks", Value::object({{"count", 200}}), "stream");
  std::size_t chunks = 0;
  for (auto chunk = stream.next(); chunk && *chunk; chunk = stream.next()) ++chunks;
  EXPECT_EQ(chunks, 200u);
}

TEST(Plugin, AStreamThatStandsStillIsATimeout) {
  Plugin plugin = make(native());
  // The function returns, and its stream never comes.
  PluginStream silent = plugin.stream("nothing", {}, "stream", {.timeout = 100ms});
  EXPECT_EQ(silent.next().error().code, ErrorCode::timeout);
  // The function fails, which is all that there will be.
  PluginStream failed = plugin.stream("nope", {}, "stream");
  EXPECT_EQ(failed.next().error().code, ErrorCode::tool_error);
}

// A call that hangs in the guest, and is known to have got there.
PluginCall start_hanging(Plugin& plugin) {
  const auto arrived = std::make_shared<std::promise<void>>();
  PluginCall call = plugin.start(
      "hang", {}, {.callbacks = {{"name", [arrived](Value, Reply) { arrived->set_value(); }}}});
  call.then([](const Result<Value>& result) { EXPECT_EQ(code_of(result), "cancelled"); });
  arrived->get_future().wait();
  return call;
}

TEST(Plugin, AProcessThatWorksForNobodyIsReplaced) {
  Plugin plugin = make(native());
  PluginCall call = start_hanging(plugin);
  call.cancel();
  call.cancel();
  EXPECT_EQ(code_of(call.get()), "cancelled");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s) << "long before the call's own time";
  const PluginFigures figures = plugin.figures();
  EXPECT_EQ(figures.starts, 2u);
  EXPECT_EQ(figures.recycled, 1u);
  EXPECT_EQ(figures.restarts, 0u) << "the guest has done nothing wrong";
  EXPECT_EQ(figures.failures, 0u);
}

TEST(Plugin, ItsProcessEndsThoughNobodyCallsAgain) {
  Plugin plugin = make(native());
  start_hanging(plugin).cancel();
  for (int i = 0; i < 1000 && plugin.figures().recycled == 0; ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(plugin.figures().recycled, 1u);
}

TEST(Plugin, AnAnswerThatComesSoonKeepsTheProcess) {
  PluginOptions options = native();
  options.cancel_grace = 20s;
  Plugin plugin = make(std::move(options));
  std::promise<Reply> asked;
  PluginCall call = plugin.start(
      "callBack", {},
      {.callbacks = {{"name", [&](Value, Reply reply) { asked.set_value(std::move(reply)); }}}});
  std::promise<std::string> code;
  call.then([&](const Result<Value>& result) { code.set_value(code_of(result)); });
  Reply reply = asked.get_future().get();
  call.cancel();
  EXPECT_EQ(code.get_future().get(), "cancelled");
  PluginCall next = plugin.start("add", Value::array({1, 2}));
  reply(Value(7));
  EXPECT_EQ(*next.get(), Value(3));
  EXPECT_EQ(plugin.figures().starts, 1u);
}

TEST(Plugin, ACancelledCallFailsNobodyElses) {
  Plugin plugin = make(native());
  PluginCall hanging = start_hanging(plugin);
  // Known to be sent as well, once its stream is asked for.
  std::promise<void> sent;
  const auto end_at_once = [&]() -> Result<std::optional<Value>> {
    sent.set_value();
    return std::nullopt;
  };
  std::promise<std::string> code;
  plugin.start("add", {}, {.timeout = 500ms, .streams = {{"stream", end_at_once}}})
      .then([&](const Result<Value>& result) { code.set_value(code_of(result)); });
  sent.get_future().wait();
  hanging.cancel();
  EXPECT_EQ(code.get_future().get(), "timeout") << "it had all of its time";
}

TEST(Plugin, WhatWasCancelledBeforeItWasSentNeverIs) {
  Plugin plugin = make(native());
  plugin.start("exit", Value::array({3})).cancel();
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(plugin.figures().starts, 1u);
}

TEST(Plugin, APluginMayGoWhileACancelledCallIsUnderWay) {
  PluginOptions options = native();
  options.cancel_grace = 60s;
  const auto start = std::chrono::steady_clock::now();
  {
    Plugin plugin = make(std::move(options));
    start_hanging(plugin).cancel();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(Plugin, TooManyCallsAtOnceAreRefused) {
  PluginOptions options = native();
  options.calls = 10;
  Plugin plugin = make(std::move(options));
  std::vector<PluginCall> calls;
  for (int i = 0; i < 12; ++i) calls.push_back(plugin.start("add", Value::array({i, 1})));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(*calls[static_cast<std::size_t>(i)].get(), Value(i + 1));
  }
  EXPECT_EQ(code_of(calls[10].get()), "overloaded");
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
}

// Our processes, whichever thread has started them.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child; list >> child;) all.push_back(child);
  }
  return all;
}

// One call in each of the ways that there are; whether all of its answer is right, or why it
// failed.
Result<bool> call_somehow(Plugin& plugin, int i) {
  const Value numbers = Value::array({i, 1});
  Result<Value> result;
  bool is_right = true;
  if (i % 4 == 0) {
    result = plugin.call("add", numbers);
    is_right = result && *result == Value(i + 1);
  } else if (i % 4 == 1) {
    std::promise<Result<Value>> answer;
    plugin.start("add", numbers).then([&](Result<Value> sum) { answer.set_value(std::move(sum)); });
    result = answer.get_future().get();
    is_right = result && *result == Value(i + 1);
  } else if (i % 4 == 2) {
    std::atomic<bool> was_called = false;
    const ToolFunction told = [&](const Value&, const Reply&) { was_called = true; };
    result = plugin.call("notify", {}, {.callbacks = {{"name", told}}});
    is_right = was_called;
  } else {
    PluginStream stream = plugin.stream("chunks", Value::object({{"count", 3}}), "stream");
    int chunks = 0;
    Result<std::optional<Value>> chunk = stream.next();
    for (; chunk && *chunk; chunk = stream.next()) ++chunks;
    if (!chunk) return std::unexpected(chunk.error());
    result = stream.result();
    is_right = chunks == 3;
  }
  if (!result) return std::unexpected(result.error());
  return is_right;
}

TEST(Plugin, ChaosLosesNoAnswerSilently) {
  PluginOptions options = native();
  options.processes = 3;
  options.spares = 1;
  options.timeout = 20s;
  options.first_delay = 1ms;
  options.max_delay = 5ms;
  Plugin plugin = make(std::move(options));
  std::atomic<bool> over = false;
  std::atomic<int> results = 0;
  std::atomic<int> failures = 0;
  std::atomic<int> wrong = 0;
  std::mutex mutex;
  std::set<std::string> codes;
  constexpr int threads = 4;
  constexpr int calls = 2000;
  {
    std::jthread killer([&] {
      std::mt19937 random(7);
      while (!over) {
        const std::vector<pid_t> all = children();
        if (!all.empty()) ::kill(all[random() % all.size()], SIGKILL);
        std::this_thread::sleep_for(2ms);
      }
    });
    std::vector<std::jthread> callers;
    for (int t = 0; t < threads; ++t) {
      callers.emplace_back([&] {
        for (int i = 0; i < calls; ++i) {
          const Result<bool> outcome = call_somehow(plugin, i);
          if (outcome) {
            ++results;
            if (!*outcome) ++wrong;
          } else {
            ++failures;
            const std::lock_guard lock(mutex);
            codes.insert(std::string(name_of(outcome.error().code)));
          }
        }
      });
    }
    callers.clear();
    over = true;
  }
  EXPECT_EQ(results + failures, threads * calls);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(results, threads * calls / 2);
  // What was lost was told, and by nothing that only time would tell.
  codes.erase("exited");
  codes.erase("unavailable");
  EXPECT_THAT(codes, testing::IsEmpty());
  EXPECT_GT(failures, 0);
  EXPECT_GT(plugin.figures().restarts, 0u);
}

}  // namespace
}  // namespace cordon
