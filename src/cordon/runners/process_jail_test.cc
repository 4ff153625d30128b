#include "cordon/runners/process_jail.h"

#include <fstream>
#include <linux/landlock.h>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/runners/child.h"

namespace cordon::runners {
namespace {

// What a shell prints that runs this in the jail, its errors included.
std::string jailed(const std::string& script) {
  const auto child = Child::start({"sh", "-c", "exec 2>&1; " + script}, environment_of_runners(),
                                  Confinement::jail);
  if (!child) return child.error().message;
  std::string text;
  char buffer[4096];
  while (true) {
    pollfd waiting{child->output().number(), POLLIN, 0};
    if (poll(&waiting, 1, 10'000) <= 0) return text + "(it hangs)";
    const ssize_t size = read(child->output().number(), buffer, sizeof buffer);
    if (size <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

TEST(ProcessJail, LetsProgramsReadAndStartOthers) {
  EXPECT_EQ(jailed("cat /dev/null; echo one | cat; ls / | grep -c '^etc$'"), "one\n1\n");
}

TEST(ProcessJail, LetsNothingBeWritten) {
  const std::string file = "/tmp/cordon_jail_test_" + std::to_string(getpid());
  std::ofstream(file) << "kept";
  EXPECT_NE(jailed("echo x > " + file), "");
  EXPECT_NE(jailed("echo x >> " + file), "");
  EXPECT_NE(jailed("rm -f " + file), "");
  EXPECT_NE(jailed("mv " + file + " " + file + "2"), "");
  EXPECT_NE(jailed("chmod 777 " + file), "");
  EXPECT_NE(jailed("touch " + file), "");
  EXPECT_NE(jailed("ln " + file + " " + file + "3"), "");
  EXPECT_NE(jailed("mkdir " + file + "4"), "");
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "kept");
  for (const char* more : {"2", "3", "4"})
    EXPECT_NE(access((file + more).c_str(), F_OK), 0) << more;
  EXPECT_EQ(unlink(file.c_str()), 0);
}

TEST(ProcessJail, LetsNoAttributesBeChanged) {
  const std::string file = "/tmp/cordon_jail_attributes_" + std::to_string(getpid());
  std::ofstream(file) << "kept";
  EXPECT_NE(jailed("chattr +d " + file), "");
  const std::string call =
      "python3 -c 'import ctypes; c = ctypes.CDLL(None); value = b\"x\"; "
      "a = (ctypes.c_uint64 * 2)(ctypes.addressof(ctypes.c_char_p(value)), 1); ";
  // setxattrat(AT_FDCWD, …), of Linux 6.13, and file_setattr, of 6.17.
  EXPECT_THAT(
      jailed(call + "print(c.syscall(463, -100, b\"" + file + "\", 0, b\"user.t\", a, 16))'"),
      testing::AnyOf("-1\n", testing::HasSubstr("not found")));
  EXPECT_THAT(jailed(call + "print(c.syscall(469, -100, b\"" + file +
                     "\", (ctypes.c_char * 24)(), 24, 0))'"),
              testing::AnyOf("-1\n", testing::HasSubstr("not found")));
  // A segment of shared memory would outlive the process.
  EXPECT_THAT(jailed(call + "print(c.shmget(0, 4096, 0o1600))'"),
              testing::AnyOf("-1\n", testing::HasSubstr("not found")));
  EXPECT_EQ(unlink(file.c_str()), 0);
}

TEST(ProcessJail, SignalsOnlyItsOwn) {
  EXPECT_EQ(jailed("sleep 9 & kill $! && echo ended"), "ended\n");
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 6)
    GTEST_SKIP() << "this kernel's Landlock knows no signals";
  EXPECT_THAT(jailed("kill -0 " + std::to_string(getpid())), testing::HasSubstr("not permitted"));
}

TEST(ProcessJail, LetsDevicesBeWrittenToThatKeepNothingWhereItCanTell) {
  if (!ProcessJail().has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(jailed("echo x > /dev/null && echo fine"), "fine\n");
}

TEST(ProcessJail, HasNoNetworkAndNoWayIntoOthers) {
  EXPECT_THAT(
      jailed("python3 -c 'import socket; socket.socket()' | tail -1"),
      testing::AnyOf(testing::HasSubstr("Permission denied"), testing::HasSubstr("not found")));
  EXPECT_NE(jailed("cat /proc/" + std::to_string(getpid()) + "/environ > /dev/stdout"), "");
  EXPECT_THAT(jailed("grep -a PATH /proc/" + std::to_string(getpid()) + "/environ"),
              testing::HasSubstr("Permission denied"));
  EXPECT_THAT(jailed("grep NoNewPrivs /proc/self/status"), testing::HasSubstr("1"));
}

TEST(ProcessJail, KnowsWhetherItHolds) {
  const auto tried = try_jail();
  ASSERT_TRUE(tried) << tried.error();
  EXPECT_THAT(*tried, testing::StartsWith("no network, no writing: seccomp"));
}

}  // namespace
}  // namespace cordon::runners
