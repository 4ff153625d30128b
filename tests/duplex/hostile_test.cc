// The class Plugin against processes that mean harm. Whatever they do, each call has one result,
// the host's memory has a bound, nothing of them is left, and another plugin notices nothing.

#include <atomic>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/plugin.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;

constexpr std::size_t mib = std::size_t{1} << 20;

std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// Our processes, whichever thread has started them; those that only wait to be asked for included.
std::size_t processes() {
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child = 0; list >> child;) ++count;
  }
  return count;
}

// A line of /proc/self/status that counts KiB.
std::size_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoul(line.substr(key.size() + 1)) * 1024;
  }
  return 0;
}

std::size_t resident_bytes() { return status_bytes("VmRSS"); }

// The most that was resident since forget().
class Peak {
 public:
  static void forget() { std::ofstream("/proc/self/clear_refs") << "5"; }
  static std::size_t bytes() { return status_bytes("VmHWM"); }
};

constexpr bool memory_is_our_own = !is_sanitized;

class HostilePlugin : public testing::Test {
 protected:
  HostilePlugin() : good_(*Plugin::create({.command = {CORDON_TEST_GUEST_PROGRAM}})) {
    EXPECT_EQ(*good_.call("add", Value::array({1, 2})), Value(3));
    // Before anything is counted, something of everything was there.
    call({"answer-twice"});
    descriptors_ = entries_of("/proc/self/fd");
    threads_ = entries_of("/proc/self/task");
    processes_ = processes();
    Peak::forget();
    resident_ = resident_bytes();
    neighbour_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const Result<Value> sum = good_.call("add", Value::array({1, 2}));
        if (!sum || *sum != Value(3)) ++disturbed_;
        std::this_thread::sleep_for(1ms);
      }
    });
  }

  ~HostilePlugin() override {
    neighbour_.request_stop();
    neighbour_.join();
    EXPECT_EQ(disturbed_, 0) << "calls of another plugin that failed";
    EXPECT_EQ(good_.figures().starts, 1u);
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors_);
    EXPECT_EQ(entries_of("/proc/self/task"), threads_);
    EXPECT_EQ(processes(), processes_);
    if (memory_is_our_own) {
      EXPECT_LE(Peak::bytes(), resident_ + memory_) << "bytes of memory at once";
    }
  }

  static PluginOptions hostile(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CORDON_TEST_HOSTILE_PROGRAM);
    PluginOptions options{.command = std::move(arguments)};
    options.timeout = 20s;
    Provider tools = Provider::with_exact_names("tools");
    tools.add("note", [](Value) -> Result<Value> { return Value(std::string(1000, 'n')); });
    // It never answers, and keeps the Reply, since dropping it would answer.
    tools.add_async("never", [kept = std::make_shared<Kept>()](Value, Reply reply) {
      const std::lock_guard lock(kept->mutex);
      kept->replies.push_back(std::move(reply));
    });
    options.callbacks = std::move(tools);
    return options;
  }

  // The code of the failure, or "a result".
  static std::string code_of(const Result<Value>& result) {
    return result ? "a result" : to_string(result.error());
  }

  static std::string call(std::vector<std::string> arguments) {
    Plugin plugin = *Plugin::create(hostile(std::move(arguments)));
    return code_of(plugin.call("attack"));
  }

  // With a process that is not going to answer, for those who expect that.
  static void expect_timeout(std::vector<std::string> arguments, const Value& params = {}) {
    SCOPED_TRACE(arguments[0]);
    Plugin plugin = *Plugin::create(hostile(std::move(arguments)));
    EXPECT_THAT(code_of(plugin.call("attack", params, {.timeout = 300ms})), HasSubstr("timeout"));
  }

  // What the host's memory may grow by, whatever a process does.
  std::size_t memory_ = 200 * mib;

 private:
  struct Kept {
    std::mutex mutex;
    std::vector<Reply> replies;
  };

  Plugin good_;
  std::size_t descriptors_ = 0;
  std::size_t threads_ = 0;
  std::size_t processes_ = 0;
  std::size_t resident_ = 0;
  std::atomic<int> disturbed_ = 0;
  std::jthread neighbour_;
};

TEST_F(HostilePlugin, ThatStopsInTheMiddleOfAFrameIsATimeout) {
  expect_timeout({"half-frame"});
  expect_timeout({"large-half-frame", std::to_string(16 * mib)});
  expect_timeout({"announce", std::to_string(16 * mib)});
}

TEST_F(HostilePlugin, ThatAnnouncesAFramePastTheLimitIsEnded) {
  EXPECT_THAT(call({"announce", std::to_string(16 * mib + 1)}), HasSubstr("too_large"));
  EXPECT_THAT(call({"announce", "4294967295"}), HasSubstr("too_large"));
}

TEST_F(HostilePlugin, ThatFloodsItsOutputIsEnded) {
  EXPECT_THAT(call({"flood-answers"}), HasSubstr("unknown_id"));
  EXPECT_THAT(call({"open-streams"}), HasSubstr("unknown_id"));
  EXPECT_THAT(call({"flood-zeros"}), HasSubstr("bad_"));
}

TEST_F(HostilePlugin, ThatFloodsItsErrorsIsATimeout) {
  PluginOptions options = hostile({"flood-errors"});
  std::size_t lines = 0;
  options.on_error_line = [&](std::string_view line) {
    ++lines;
    EXPECT_LE(line.size(), 4200u);
  };
  {
    Plugin plugin = *Plugin::create(std::move(options));
    EXPECT_THAT(code_of(plugin.call("attack", {}, {.timeout = 500ms})), HasSubstr("timeout"));
    EXPECT_EQ(plugin.errors().size(), std::size_t{64} << 10);
  }
  EXPECT_GT(lines, 0u);
  EXPECT_LE(lines, 10'000u);
}

TEST_F(HostilePlugin, ThatFloodsItsErrorsIsHeardAllTheSame) {
  Plugin plugin = *Plugin::create(hostile({"flood-errors-and-answer"}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code_of(plugin.call("attack")), "a result");
}

TEST_F(HostilePlugin, ThatClosesAStreamAndLivesIsEnded) {
  EXPECT_THAT(call({"close-output"}), HasSubstr("exited: it closed its output"));
  expect_timeout({"close-input"});
}

TEST_F(HostilePlugin, ThatNeverReadsIsATimeoutForEveryCall) {
  const Value large = Value::bytes(Bytes(15 * mib, 1));
  expect_timeout({"never-read"}, large);
  // Many calls: none of them is written before the one ahead of it was read.
  Plugin plugin = *Plugin::create(hostile({"never-read"}));
  std::vector<PluginCall> calls;
  for (int i = 0; i < 100; ++i) {
    calls.push_back(plugin.start("attack", large, {.timeout = 300ms}));
  }
  for (PluginCall& waiting : calls) EXPECT_THAT(code_of(waiting.get()), HasSubstr("timeout"));
}

TEST_F(HostilePlugin, ThatExitsAnywhereIsToldSo) {
  EXPECT_THAT(call({"exit-at-once"}), HasSubstr("exited: it exited with code 3"));
  for (const int bytes : {0, 1, 4, 5, 6, 20}) {
    EXPECT_THAT(call({"exit-after-reading", std::to_string(bytes)}), HasSubstr("exited"));
  }
  for (int bytes = 0; bytes < 40; bytes += 3) {
    EXPECT_THAT(call({"exit-in-answer", std::to_string(bytes)}),
                AnyOf(HasSubstr("exited: it exited with code 3"), "a result"));
  }
}

TEST_F(HostilePlugin, ThatAnswersTwiceIsEndedBeforeItAnswersAgain) {
  Plugin plugin = *Plugin::create(hostile({"answer-twice"}));
  EXPECT_EQ(code_of(plugin.call("attack")), "a result");
  // The next call may meet the second answer instead of its own.
  EXPECT_THAT(code_of(plugin.call("add", Value::array({1, 2}))), HasSubstr("unknown_id"));
  EXPECT_EQ(*plugin.call("add", Value::array({1, 2})), Value(3));
}

TEST_F(HostilePlugin, ThatAsksWithoutReadingTheAnswersIsEnded) {
  EXPECT_THAT(call({"flood-callbacks"}), HasSubstr("too_large: the guest does not read"));
}

TEST_F(HostilePlugin, ThatAsksForMoreThanItsShareIsEnded) {
  for (const char* way : {"flood-slow-callbacks", "flood-slow-notifications"}) {
    EXPECT_THAT(call({way}), HasSubstr("too_large: more than 10000 open"));
  }
}

TEST_F(HostilePlugin, ThatKeepsLargeCallbacksOpenIsEndedByWhatTheyTake) {
  const std::pair<const char*, std::size_t> ways[] = {
      {"flood-large-callbacks", 8 * mib},
      {"flood-large-notifications", 8 * mib},
      {"flood-callbacks-of-maps", 100'000},
  };
  for (const auto& [way, size] : ways) {
    EXPECT_THAT(call({way, std::to_string(size)}), HasSubstr("too_large: callbacks that are open"));
  }
}

TEST_F(HostilePlugin, ThatAnswersWithEmptyMapsIsEndedByWhatTheyTake) {
  EXPECT_THAT(call({"answer-maps", std::to_string(16 * mib - 64)}), HasSubstr("too_large"));
  EXPECT_THAT(call({"answer-maps", "1000000"}), "a result");
}

TEST_F(HostilePlugin, ThatStreamsEmptyMapsIsHeldBackByWhatTheyTake) {
  Plugin plugin = *Plugin::create(hostile({"flood-chunks", "100000"}));
  PluginStream stream = plugin.stream("attack", {}, "stream");
  // Somebody who waits for something else has to take the chunks.
  const Value numbers = Value::array({1, 2});
  EXPECT_THAT(code_of(plugin.call("add", numbers, {.timeout = 1s})), HasSubstr("timeout"));
  std::size_t chunks = 0;
  Result<std::optional<Value>> chunk = stream.next();
  for (; chunk && *chunk; chunk = stream.next()) ++chunks;
  EXPECT_GT(chunks, 0u);
  EXPECT_LE(chunks, 11u) << "of 1.6 MB each, which have 0.1 MB on the wire";
  EXPECT_EQ(chunk.error().code, ErrorCode::too_large);
}

// They cost what the functions that are called cost, and are over with the call.
TEST_F(HostilePlugin, ThatNotifiesForEverIsATimeout) { expect_timeout({"flood-notifications"}); }

TEST_F(HostilePlugin, IsNotKeptByAChildThatHoldsItsPipes) {
  EXPECT_THAT(call({"leave-child"}), HasSubstr("exited: it exited with code 0"));
}

// What left the group of its process cannot be found; it has no pipe to us that anybody reads.
TEST_F(HostilePlugin, IsNotKeptByADaemonThatHoldsItsPipes) {
  EXPECT_THAT(call({"leave-daemon"}), HasSubstr("exited: it exited with code 0"));
  expect_timeout({"leave-daemon-and-hang"});
}

TEST_F(HostilePlugin, ThatTakesNoSignalsIsEnded) {
  expect_timeout({"ignore-signals"});
  expect_timeout({"stop"});
}

}  // namespace
}  // namespace cordon
