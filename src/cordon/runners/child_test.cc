#include "cordon/runners/child.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::runners {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Child shell(const std::string& script) {
  return Child::start({"sh", "-c", script}, environment_of_runners()).value();
}

// All that comes until the other side closes it, or has `until` in it.
std::string read_all(const Descriptor& from, const std::string& until = "") {
  std::string text;
  char buffer[4096];
  while (until.empty() || !text.contains(until)) {
    pollfd waiting{from.number(), POLLIN, 0};
    if (poll(&waiting, 1, 10'000) <= 0) break;
    const ssize_t size = read(from.number(), buffer, sizeof buffer);
    if (size <= 0) break;
    text.append(buffer, static_cast<std::size_t>(size));
  }
  return text;
}

std::string end_text(Child& child) {
  pollfd waiting{child.status().number(), POLLIN, 0};
  poll(&waiting, 1, 10'000);
  return child.end_text().value_or("runs");
}

bool is_alive(pid_t process) {
  // A zombie is not.
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(") ");
  return end != std::string::npos && text[end + 2] != 'Z';
}

bool ends_soon(pid_t process) {
  for (int i = 0; i < 2000 && is_alive(process); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !is_alive(process);
}

TEST(RunnerChild, HasThreeStreamsAndAnEnd) {
  Child child = shell("cat; echo problem >&2; exit 3");
  ASSERT_EQ(write(child.input().number(), "text", 4), 4);
  EXPECT_EQ(read_all(child.output(), "text"), "text");
  EXPECT_EQ(child.end_text(), std::nullopt);
  Child other = shell("echo problem >&2; exit 3");
  EXPECT_EQ(read_all(other.errors()), "problem\n");
  EXPECT_EQ(end_text(other), "exited with code 3");
  Child killed = shell("kill -KILL $$");
  EXPECT_EQ(end_text(killed), "was ended by signal 9 (Killed)");
}

TEST(RunnerChild, HasItsOwnGroupAndNothingElseOpen) {
  Child child = shell("ls /proc/self/fd | tr '\\n' ' '; cut -d' ' -f5 /proc/$$/stat; echo $$");
  const std::string text = read_all(child.output());
  EXPECT_THAT(text, StartsWith("0 1 2 3 "));  // 3 is ls's own
  EXPECT_FALSE(text.contains(" 4 ")) << text;
  const std::size_t line = text.find_last_of(' ') + 1;
  const std::string numbers = text.substr(line);
  EXPECT_EQ(numbers.substr(0, numbers.find('\n')),
            numbers.substr(numbers.find('\n') + 1, numbers.size() - numbers.find('\n') - 2));
}

TEST(RunnerChild, HasOnlyAFewVariables) {
  setenv("CORDON_TEST_SECRET", "s3cret", 1);
  setenv("LANG", "C.UTF-8", 1);
  Child child = shell("env");
  const std::string text = read_all(child.output());
  EXPECT_FALSE(text.contains("s3cret")) << text;
  EXPECT_THAT(text, HasSubstr("LANG=C.UTF-8"));
}

TEST(RunnerChild, SaysWhyItCannotStart) {
  const auto why = [](const std::string& word) {
    const auto child = Child::start({word}, {});
    return child ? "" : child.error().message;
  };
  EXPECT_EQ(why("no-such-program-at-all"),
            "cannot start 'no-such-program-at-all': No such file or directory");
  const std::string file = "/tmp/cordon_child_test_plain_" + std::to_string(getpid());
  std::ofstream(file) << "text\n";
  EXPECT_EQ(why(file), "cannot start '" + file + "': Permission denied");
  std::filesystem::remove(file);
  EXPECT_EQ(why("/tmp"), "cannot start '/tmp': Permission denied");
}

TEST(RunnerChild, RunsAScriptThatNamesNoInterpreter) {
  const std::string file = "/tmp/cordon_child_test_" + std::to_string(getpid());
  std::ofstream(file) << "echo plain $1\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const auto child = Child::start({file, "word"}, environment_of_runners());
  ASSERT_TRUE(child) << child.error();
  EXPECT_EQ(read_all(child->output()), "plain word\n");
  std::filesystem::remove(file);
}

TEST(RunnerChild, IsKilledWithAllThatItStarted) {
  // One in its group, one in a group of its own that nobody waits for.
  Child child = shell(
      "sleep 100 & echo $!; setsid sh -c 'sleep 100 & echo $!; exec sleep 100' & "
      "sleep 0.2; echo ready; wait");
  const std::string text = read_all(child.output(), "ready");
  const auto first = static_cast<pid_t>(std::stol(text));
  const auto second = static_cast<pid_t>(std::stol(text.substr(text.find('\n') + 1)));
  EXPECT_TRUE(is_alive(first));
  EXPECT_TRUE(is_alive(second));
  child.end();
  EXPECT_TRUE(ends_soon(first));
  EXPECT_TRUE(ends_soon(second));
}

TEST(RunnerChild, IsKilledWhenWeAre) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t host = fork();
  if (host == 0) {
    Child child = shell("sleep 100 & echo $!; setsid sleep 100 & echo $!; echo ready; wait");
    const std::string text = read_all(child.output(), "ready");
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    pause();
    _exit(0);
  }
  Descriptor read_end(ends[0]);
  close(ends[1]);
  const std::string text = read_all(read_end, "ready");
  const auto first = static_cast<pid_t>(std::stol(text));
  const auto second = static_cast<pid_t>(std::stol(text.substr(text.find('\n') + 1)));
  kill(host, SIGKILL);
  waitpid(host, nullptr, 0);
  EXPECT_TRUE(ends_soon(first));
  EXPECT_TRUE(ends_soon(second));
}

TEST(RunnerChild, TellsItsEndThoughOthersHoldItsPipes) {
  Child child = shell("sleep 100 & exit 5");
  EXPECT_EQ(end_text(child), "exited with code 5");
}

}  // namespace
}  // namespace cordon::runners
