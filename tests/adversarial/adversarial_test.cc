// Each file of tests/adversarial/ is a program that tries to crash, stop, slow or deceive its host.
// It gets what its head says, in time and within its memory, and the engine that ran it goes on as
// if nothing had been.

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "attack_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/engine.h"

namespace cordon::adversarial {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// How late an end may come on a machine that is busy with other things.
constexpr auto slack = 3s;
// What all of this process may take while it runs one guest of 64 MiB at most.
constexpr std::uint64_t max_resident_bytes = std::uint64_t{1} << 30;

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// The tools that the programs may call: they answer at once, never, with a failure, and with keys
// that look like more.
class Tools {
 public:
  Tools() {
    provider.add("echo", [](Value input) -> Result<Value> { return input; });
    provider.add("fail", [](Value) -> Result<Value> {
      return fail(ErrorCode::tool_error, "the tool says no");
    });
    provider.add("refuse", [](Value) -> Result<Value> {
      return fail(ErrorCode::invalid_argument, "not like this");
    });
    provider.add("tricky", [](Value) -> Result<Value> {
      return Value::object({{"__proto__", Value::object({{"polluted", true}})},
                            {"then", 1},
                            {"constructor", nullptr}});
    });
    provider.add("large", [](Value) -> Result<Value> { return Value(std::string(8 << 20, 'x')); });
    provider.add_async("keep", [this](Value input, Reply reply) {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(reply));
      kept_.push_back(std::move(input));
    });
    provider.add_async("hold", [this](Value, Reply reply) {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(reply));
    });
  }

  Provider provider{"tools"};

 private:
  std::mutex mutex_;
  std::vector<Reply> held_;
  std::vector<Value> kept_;
};

ExecuteOptions options_for(const AttackFile& attack, const Tools& tools) {
  return {.limits = {.time = {.total = attack.timeout}, .memory_bytes = attack.memory_bytes},
          .providers = {tools.provider},
          .name = "attack.js",
          .modules = {{"./friend.js", "export const friendly = true"}}};
}

std::vector<std::string> texts_of(const std::vector<LogLine>& lines) {
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const LogLine& line : lines) texts.push_back(line.text);
  return texts;
}

void expect_end(const AttackFile& attack, const Report& report) {
  if (attack.result) {
    ASSERT_TRUE(report.ok()) << report.error.code << ": " << report.error.message << "\n"
                             << report.error.stack;
    EXPECT_EQ(report.result, *attack.result);
  } else {
    ASSERT_FALSE(report.ok()) << "it gave " << debug_text(report.result);
    EXPECT_EQ(report.error.code_text(), attack.code) << report.error.message << "\n"
                                                     << report.error.stack;
    EXPECT_THAT(report.error.message, HasSubstr(attack.message));
  }
  if (!attack.log.empty()) {
    EXPECT_EQ(texts_of(report.logs), attack.log);
  }
}

void expect_within_limits(const AttackFile& attack, const Report& report) {
  EXPECT_LE(report.memory_bytes, attack.memory_bytes);
  EXPECT_LE(report.duration, attack.timeout + slack);
  if (attack.code == "timeout") {
    EXPECT_GE(report.duration, attack.timeout);
  }
  EXPECT_LE(report.logs.size(), 100u);
  EXPECT_LE(report.calls.size(), 10'000u);
  EXPECT_NE(report.error.code, ErrorCode::sandbox_error)
      << "a program reached what only a broken sandbox does";
  EXPECT_NE(report.error.code, ErrorCode::internal_error);
}

class Attack : public testing::Test {
 public:
  explicit Attack(std::filesystem::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const AttackFile attack = read_attack(path_);
    Engine engine = *Engine::create({.workers = 0, .slots = 2});
    const Tools tools;
    const Report report = engine.execute(attack.source, options_for(attack, tools)).get();
    expect_end(attack, report);
    expect_within_limits(attack, report);

    const Report after = engine.execute("1 + 1").get();
    EXPECT_TRUE(after.ok()) << after.error.message;
    EXPECT_EQ(after.result, Value(2));
    EXPECT_EQ(engine.figures().running, 0u);
    if (!is_sanitized) {
      EXPECT_LT(peak_resident_bytes(), max_resident_bytes) << "the host paid for the guest";
    }
  }

 private:
  std::filesystem::path path_;
};

// All programs that never end, at once: their neighbours hardly notice, and each is ended at its
// own time.
TEST(Attacks, LeaveRoomForOthersWhileTheyRun) {
  std::vector<AttackFile> attacks;
  for (const auto& path : attack_paths()) {
    AttackFile attack = read_attack(path);
    if (attack.code == "timeout") attacks.push_back(std::move(attack));
  }
  ASSERT_GE(attacks.size(), 20u);
  Engine engine = *Engine::create({.workers = 2, .slots = 256});
  const Tools tools;
  std::vector<std::future<Report>> running;
  for (const AttackFile& attack : attacks) {
    ExecuteOptions options = options_for(attack, tools);
    options.limits.time.total = 1500ms;
    running.push_back(engine.execute(attack.source, std::move(options)).future());
  }
  for (int i = 0; i < 50; ++i) {
    const Report neighbour =
        engine.execute("1 + 1", {.limits = {.time = {.total = is_sanitized ? 10s : 1s}}}).get();
    EXPECT_TRUE(neighbour.ok()) << neighbour.error.code;
  }
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    EXPECT_EQ(running[i].get().error.code, ErrorCode::timeout) << attacks[i].path;
  }
}

// The same slot again and again, after every kind of end: nothing of one guest is seen by the next.
TEST(Attacks, LeaveNothingBehindInTheirSlot) {
  Engine engine = *Engine::create({.workers = 0, .slots = 1});
  for (const char* ending : {"", "throw 1", "for (;;) {}", "new Uint8Array(1 << 30)",
                             "await new Promise(() => {})", "(function f() { f() })()"}) {
    const std::string dirty =
        "globalThis.secret = 'left'; Object.prototype.secret = 'left'; Array.prototype.push = "
        "null;";
    (void)engine.execute(dirty + ending, {.limits = {.time = {.total = 50ms}}}).get();
    const Report next = engine.execute("[typeof secret, typeof ({}).secret, typeof [].push]").get();
    EXPECT_EQ(next.result, Value::array({"undefined", "undefined", "function"})) << ending;
  }
}

}  // namespace
}  // namespace cordon::adversarial

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cordon::adversarial::register_attacks<cordon::adversarial::Attack>("Attack");
  return RUN_ALL_TESTS();
}
