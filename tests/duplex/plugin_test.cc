// The class Plugin with real processes: the guest of these tests as a program and as a module.

#include "cordon/plugin.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <signal.h>
#include <string>
#include <thread>
#include <vector>

#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

std::string code_of(const PluginResult<Value>& result) {
  return result ? "a result" : result.error().code;
}

TEST(Plugin, CallsAFunction) {
  Plugin plugin = make(native());
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
  EXPECT_EQ(*plugin.call_as<int>("add", Value::array({40, 2})), 42);
  EXPECT_EQ(plugin.call_as<std::string>("add", Value::array({1, 2})).error().code, "type_mismatch");
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

TEST(Plugin, AFunctionErrorLeavesTheProcess) {
  Plugin plugin = make(native());
  const auto failed = plugin.call("divide", Value::array({1, 0}));
  EXPECT_EQ(code_of(failed), "function_error");
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
  shop.add("boom", [](Value) -> Result<Value> { return fail(Errc::tool_error, "no"); });
  PluginOptions options = native();
  options.callbacks = shop;
  Plugin plugin = make(std::move(options));
  const Value params = Value::object({{"name", "price"}, {"params", Value::object({{"id", 21}})}});
  EXPECT_EQ(*plugin.call("callBack", params), Value(42));
  EXPECT_EQ(*plugin.call("callBack", Value::object({{"name", "slow"}})), "later");
  EXPECT_EQ(code_of(plugin.call("callBack", Value::object({{"name", "boom"}}))), "function_error");
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
  EXPECT_EQ(lost.next().error().code, "stream_error");

  PluginStream cut = plugin.stream("exit", Value::object({}), "toolStreamId");
  EXPECT_EQ(cut.next().error().code, "exited");
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

// Our processes, whichever thread has started them.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child; list >> child;) all.push_back(child);
  }
  return all;
}

TEST(Plugin, ChaosLosesNoAnswerSilently) {
  PluginOptions options = native();
  options.processes = 3;
  options.spares = 1;
  options.timeout = 5s;
  options.first_delay = 1ms;
  options.longest_delay = 5ms;
  Plugin plugin = make(std::move(options));
  std::atomic<bool> over = false;
  std::atomic<int> results = 0;
  std::atomic<int> failures = 0;
  std::atomic<int> wrong = 0;
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
      callers.emplace_back([&, t] {
        for (int i = 0; i < calls; ++i) {
          const PluginResult<Value> sum = plugin.call("add", Value::array({i, t}));
          if (!sum) {
            ++failures;
            if (sum.error().code != "exited" && sum.error().code != "unavailable") ++wrong;
          } else {
            ++results;
            if (*sum != Value(i + t)) ++wrong;
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
}

}  // namespace
}  // namespace cordon
