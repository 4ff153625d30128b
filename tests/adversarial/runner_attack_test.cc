// The programs of tests/adversarial/ again, as guests of `cordon runner`: whatever they do, the
// host gets well-formed messages, one `done` in time, and a runner that exits well.

#include <chrono>
#include <string>

#include "../conformance/execbox_host.h"
#include "attack_file.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::adversarial {
namespace {

using namespace std::chrono_literals;
using conformance::Host;
using testing::HasSubstr;

constexpr auto slack = 3s;

// What the protocol makes of the engine's codes.
std::string expected_code(const AttackFile& attack) {
  if (attack.result) return "ok";
  if (attack.code == "syntax_error" || attack.code == "stack_overflow") return "runtime_error";
  return attack.code;
}

// Those that need what a runner's guests do not have: modules of the host's.
bool needs_modules(const AttackFile& attack) { return attack.source.contains("./friend.js"); }

conformance::Request request_for(const AttackFile& attack) {
  return {.code = attack.source,
          .timeout_ms = static_cast<double>(attack.timeout.count()),
          .memory_limit_bytes = static_cast<double>(attack.memory_bytes),
          .providers = {{"tools", {"echo", "fail", "refuse", "tricky", "large", "keep", "hold"}}}};
}

// As the tools of adversarial_test.cc, seen from the other end.
// Large answers come a hundred times at most: they are the host's own time, not the runner's.
void answer(Host& host, const Value& call, int& large_answers) {
  const ValueView id = call.find("callId");
  const std::string tool(call["safeToolName"].as_string());
  if (tool == "echo") {
    host.send(conformance::result_line(id, call.share(call.find("input"))));
  } else if (tool == "fail") {
    host.send(conformance::failure_line(id, "tool_error", "the tool says no"));
  } else if (tool == "refuse") {
    host.send(conformance::failure_line(id, "validation_error", "not like this"));
  } else if (tool == "tricky") {
    host.send(conformance::result_line(
        id, Value::object({{"__proto__", Value::object({{"polluted", true}})},
                           {"then", 1},
                           {"constructor", nullptr}})));
  } else if (tool == "large" && large_answers++ < 100) {
    host.send(conformance::result_line(id, Value(std::string(8 << 20, 'x'))));
  }
}

Value until_done(Host& host) {
  EXPECT_EQ(host.receive("started")["id"], "exec-1");
  int large_answers = 0;
  for (std::uint64_t calls = 1;; ++calls) {
    const std::optional<Value> message = host.receive_any();
    if (!message) throw std::runtime_error("no done");
    if ((*message)["type"] == "done") return *message;
    EXPECT_EQ((*message)["type"], "tool_call");
    EXPECT_EQ((*message)["callId"], "call-" + std::to_string(calls));
    EXPECT_EQ((*message)["providerName"], "tools");
    answer(host, *message, large_answers);
  }
}

class RunnerAttack : public testing::Test {
 public:
  explicit RunnerAttack(std::filesystem::path path) : path_(std::move(path)) {}

  void TestBody() override {
    const AttackFile attack = read_attack(path_, RunBy::runner);
    if (needs_modules(attack)) return;
    Host host;
    host.execute(request_for(attack));
    const Value done = until_done(host);
    // Not by our own clock: a host that answers with gigabytes is slow itself.
    const std::chrono::milliseconds duration(done["durationMs"].value_or(0));
    EXPECT_LT(duration, attack.timeout + slack);
    EXPECT_EQ(done["id"], "exec-1");
    EXPECT_EQ(conformance::code_of(done), expected_code(attack)) << conformance::message_of(done);
    EXPECT_THAT(conformance::message_of(done), HasSubstr(attack.message));
    if (attack.result) {
      EXPECT_EQ(done["result"], *attack.result);
    }
    if (!attack.log.empty()) {
      EXPECT_EQ(conformance::logs_of(done), attack.log);
    }
    EXPECT_LE(done["logs"].size(), 100u);
    host.expect_end();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace
}  // namespace cordon::adversarial

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cordon::adversarial::register_attacks<cordon::adversarial::RunnerAttack>("RunnerAttack");
  return RUN_ALL_TESTS();
}
