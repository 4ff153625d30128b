#include "cordon/sandbox/jail.h"

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <linux/capability.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cordon::sandbox {
namespace {

constexpr std::uint64_t guest_bytes = std::uint64_t{64} << 20;

// How a process ends that enters the jail and then does this.
int status_after(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    Result<JailDoor> door = enter_jail();
    if (!door) _exit(99);
    door->close();
    if (!seal_jail(guest_bytes)) _exit(99);
    _exit(act());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void expect_killed(const char* what, const std::function<int()>& act) {
  const int status = status_after(act);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << what << ": status " << status;
}

void expect_done(const char* what, const std::function<int()>& act) {
  const int status = status_after(act);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << what << ": status " << status;
}

TEST(Jail, KillsAtEveryWayOut) {
  expect_killed("open", [] { return open("/etc/passwd", O_RDONLY) < 0 ? 1 : 0; });
  expect_killed("socket", [] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? 1 : 0; });
  expect_killed("fork", [] { return static_cast<int>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); });
  expect_killed("execve", [] {
    char* const arguments[] = {nullptr};
    return execve("/bin/true", arguments, arguments);
  });
  expect_killed("kill", [] { return kill(getppid(), 0); });
  expect_killed("ptrace", [] { return static_cast<int>(syscall(SYS_ptrace, 0, 0, 0, 0)); });
  expect_killed("unshare", [] { return static_cast<int>(syscall(SYS_unshare, 0)); });
  expect_killed("prctl", [] { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); });
  expect_killed("dup", [] { return dup(1); });
  expect_killed("sendmsg", [] {
    msghdr message{};
    return static_cast<int>(sendmsg(1, &message, 0));
  });
}

// What namespace this thread is in, by its number.
std::string network() {
  char name[64] = {};
  return readlink("/proc/thread-self/ns/net", name, sizeof name - 1) > 0 ? name : "";
}

TEST(Jail, HasANetworkOfItsOwnWhereThatIsGranted) {
  const std::string before = network();
  ASSERT_NE(before, "");
  const auto child_says = [](const std::function<int()>& act) {
    const pid_t child = fork();
    if (child == 0) _exit(act());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  if (child_says([] { return unshare(CLONE_NEWUSER | CLONE_NEWNET); }) != 0) {
    GTEST_SKIP() << "the system grants no namespaces";
  }
  EXPECT_EQ(child_says([&] {
              Result<JailDoor> door = enter_jail();
              if (!door) return 1;
              door->close();
              if (network() == before) return 2;
              rlimit processes{};
              getrlimit(RLIMIT_NPROC, &processes);
              return processes.rlim_cur == 0 ? 0 : 3;
            }),
            0);
}

TEST(Jail, HasNoCapabilities) {
  const pid_t child = fork();
  if (child == 0) {
    Result<JailDoor> door = enter_jail();
    if (!door) _exit(99);
    door->close();
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct found[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capget, &header, found) != 0) _exit(98);
    std::uint32_t all = 0;
    for (const auto& part : found) all |= part.effective | part.permitted | part.inheritable;
    _exit(all == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

TEST(Jail, GivesNoMemoryThatCanBeExecuted) {
  expect_killed("mmap", [] {
    return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
           MAP_FAILED;
  });
  expect_killed("mprotect", [] {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
  });
}

TEST(Jail, LeavesWhatAGuestNeeds) {
  expect_done("memory, time and random bytes", [] {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    timespec time{};
    char random[8];
    const bool well =
        page != MAP_FAILED && syscall(SYS_clock_gettime, CLOCK_REALTIME, &time) == 0 &&
        syscall(SYS_getrandom, random, sizeof random, 0) == sizeof random && write(2, "", 0) == 0;
    return well ? 0 : 1;
  });
}

TEST(Jail, ClosesOtherDescriptors) {
  const int file = open("/dev/null", O_WRONLY);
  ASSERT_GE(file, 3);
  expect_done("write", [file] { return write(file, "x", 1) < 0 ? 0 : 1; });
  close(file);
}

}  // namespace
}  // namespace cordon::sandbox
