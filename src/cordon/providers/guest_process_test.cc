#include "cordon/providers/guest_process.h"

#include <fstream>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/descriptor.h"
#include "cordon/providers/guest_command.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;

Result<GuestProcess> shell(const std::string& script) {
  return GuestProcess::start({"sh", "-c", script});
}

std::string read_all(int descriptor) {
  std::string text;
  while (true) {
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 30'000) <= 0) return text + "(nothing comes)";
    char buffer[256];
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

// Not one that has ended, and that its new parent has not taken note of.
bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return static_cast<bool>(file >> number >> name >> state) && state != "Z";
}

TEST(GuestProcess, HasItsThreeStreams) {
  Result<GuestProcess> process = shell("read line; echo \"got $line\"; echo careful >&2");
  ASSERT_TRUE(process.has_value());
  ASSERT_EQ(write(process->input(), "hello\n", 6), 6);
  process->close_input();
  EXPECT_EQ(process->input(), -1);
  EXPECT_EQ(read_all(process->output()), "got hello\n");
  EXPECT_EQ(read_all(process->errors()), "careful\n");
}

TEST(GuestProcess, TellsHowItEnded) {
  Result<GuestProcess> well = shell("exit 0");
  EXPECT_TRUE(well->wait(30s));
  EXPECT_TRUE(well->ended_well());
  EXPECT_FALSE(well->is_alive());
  Result<GuestProcess> badly = shell("exit 3");
  EXPECT_TRUE(badly->wait(30s));
  EXPECT_FALSE(badly->ended_well());
  EXPECT_EQ(badly->end_text(), "it exited with code 3");
  Result<GuestProcess> signalled = shell("kill -TERM $$");
  EXPECT_TRUE(signalled->wait(30s));
  EXPECT_EQ(signalled->end_text(), "signal 15 ended it");
}

TEST(GuestProcess, IsKilledWithAllThatItStarted) {
  Result<GuestProcess> process = shell("sleep 1000 & echo $!; wait");
  pollfd waiting{.fd = process->output(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&waiting, 1, 30'000), 1);
  char buffer[32] = {};
  ASSERT_GT(read(process->output(), buffer, sizeof buffer - 1), 0);
  const pid_t child = std::stoi(buffer);
  EXPECT_TRUE(process->is_alive());
  EXPECT_EQ(process->end_text(), "it still runs");
  process->kill();
  EXPECT_TRUE(process->has_ended());
  for (int i = 0; i < 3000 && is_running(child); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(is_running(child));
}

TEST(GuestProcess, HasALifelineOnlyWhereItIsGivenOne) {
  // A descriptor that this process has inherited is not the guest's.
  const Descriptor inherited(dup(STDERR_FILENO));
  const std::string script = "if [ -e /proc/self/fd/3 ]; then echo yes; else echo no; fi";
  Result<GuestProcess> without = shell(script);
  EXPECT_EQ(read_all(without->output()), "no\n");
  Result<GuestProcess> with = GuestProcess::start({"sh", "-c", script}, Lifeline::given);
  EXPECT_EQ(read_all(with->output()), "yes\n");
}

TEST(GuestProcess, SaysWhatItCannotStart) {
  const Result<GuestProcess> process = GuestProcess::start({"no-such-program-at-all"});
  EXPECT_TRUE(process.error().is(ErrorCode::unavailable));
  EXPECT_THAT(process.error().message, testing::HasSubstr("'no-such-program-at-all'"));
}

TEST(GuestCommand, HasTheLimitsAndThenTheModule) {
  EXPECT_THAT(
      words_of({.cordon = "/usr/bin/cordon",
                .wasm = "--odd.wasm",
                .memory_bytes = 65536,
                .compile = {.timeout = 5s, .memory_bytes = 1024}}),
      testing::ElementsAre("/usr/bin/cordon", "guest", "--lifeline=3", "--memory=65536",
                           "--compile-timeout=5000", "--compile-memory=1024", "--", "--odd.wasm"));
}

}  // namespace
}  // namespace cordon::providers
