#include "cordon/sandbox/jail.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace cordon::sandbox {
namespace {

constexpr std::uint64_t guest_bytes = std::uint64_t{64} << 20;

// Enters the jail, does this, and ends.
[[noreturn]] void act_in_jail(const JailLimits& limits, const std::function<int()>& act) {
  Result<JailDoor> door = enter_jail();
  if (!door) _exit(99);
  door->close();
  if (!seal_jail(limits)) _exit(99);
  _exit(act());
}

// How such a process ends.
int status_after(const std::function<int()>& act,
                 const JailLimits& limits = {.guest_memory_bytes = guest_bytes}) {
  const pid_t child = fork();
  if (child == 0) act_in_jail(limits, act);
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

void* map(std::size_t bytes, int protection, int flags) {
  return mmap(nullptr, bytes, protection, flags, -1, 0);
}

constexpr int read_write = PROT_READ | PROT_WRITE;
constexpr std::size_t gib = std::size_t{1} << 30;

// None of these is data as RLIMIT_DATA counts it.
TEST(Jail, GivesNoMemoryThatIsNotCounted) {
  const std::pair<const char*, int> kinds[] = {
      {"shared", MAP_SHARED | MAP_ANONYMOUS},
      {"shared and checked", MAP_SHARED_VALIDATE | MAP_ANONYMOUS},
      {"a stack", MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN},
      {"huge pages", MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB},
      {"locked", MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED},
  };
  for (const auto& [name, flags] : kinds) {
    expect_killed(name, [kind = flags] { return map(8 * gib, read_write, kind) != MAP_FAILED; });
    expect_killed(name, [kind = flags] { return map(4096, PROT_READ, kind) != MAP_FAILED; });
  }
}

TEST(Jail, LimitsMemoryOfEveryKind) {
  if (has_shadow_memory) return;  // no limit can be set
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  expect_done("written", [] { return map(gib / 2, read_write, flags) == MAP_FAILED ? 0 : 1; });
  expect_done("by and by", [] {
    std::size_t bytes = 0;
    while (bytes < gib && map(1 << 20, read_write, flags) != MAP_FAILED) bytes += 1 << 20;
    return bytes < guest_bytes || bytes > gib / 2 ? 1 : 0;
  });
  expect_done("made writable later", [] {
    void* const room = map(gib, PROT_NONE, flags);
    return room != MAP_FAILED && mprotect(room, gib, read_write) != 0 ? 0 : 1;
  });
  expect_done("heap", [] { return sbrk(gib / 2) == reinterpret_cast<void*>(-1) ? 0 : 1; });
  // The kernel's own tables for pages that are only read would be gigabytes for a terabyte of them.
  expect_done("read only", [] { return map(64 * gib, PROT_READ, flags) == MAP_FAILED ? 0 : 1; });
  expect_done("reserved only",
              [] { return map(64 * gib, PROT_NONE, flags) == MAP_FAILED ? 0 : 1; });
  expect_done("what Wasmtime reserves",
              [] { return map(5 * gib, PROT_NONE, flags) == MAP_FAILED ? 1 : 0; });
}

void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

int spin_for_ever() {
  block_all_signals();
  volatile unsigned turns = 0;
  while (true) {
    const unsigned next = turns + 1;
    turns = next;
  }
}

int sleep_for_ever() {
  block_all_signals();
  while (true) ppoll(nullptr, 0, nullptr, nullptr);
}

TEST(Jail, KillsAtTheEndOfTheTimeWhateverIsBlocked) {
  const JailLimits limits{.guest_memory_bytes = guest_bytes, .time = std::chrono::milliseconds(50)};
  for (const auto& act : {spin_for_ever, sleep_for_ever}) {
    const int status = status_after(act, limits);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
  }
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  void close_end(int which) { close(std::exchange(ends[which], -1)); }
  void wait_for_byte() const {
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
  }
  // Whether all that held the other end have closed it, or are gone.
  bool ends_within(std::chrono::milliseconds time) const {
    pollfd end{.fd = ends[0], .events = POLLIN, .revents = 0};
    char byte = 0;
    return poll(&end, 1, static_cast<int>(time.count())) == 1 && read(ends[0], &byte, 1) == 0;
  }
};

constexpr std::chrono::seconds long_enough{30};

// Tells on its standard output that it is there, and then does what it is told never to.
int go_on_for_ever() {
  [[maybe_unused]] const ssize_t put = write(STDOUT_FILENO, "x", 1);
  return spin_for_ever();
}

TEST(Jail, EndsWithItsLifelineWhateverIsBlocked) {
  Pipe lifeline;
  Pipe output;
  const pid_t child = fork();
  if (child == 0) {
    lifeline.close_end(1);
    dup2(output.ends[1], STDOUT_FILENO);
    end_with_host(lifeline.ends[0]);
    act_in_jail({.guest_memory_bytes = guest_bytes, .lifeline = lifeline.ends[0]}, go_on_for_ever);
  }
  output.wait_for_byte();
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  lifeline.close_end(1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
}

TEST(Jail, KeepsItsLifeline) {
  Pipe lifeline;
  const int end = lifeline.ends[0];
  const JailLimits limits{.guest_memory_bytes = guest_bytes, .lifeline = end};
  int status = status_after([end] { return close(end); }, limits);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << "status " << status;
  status = status_after([end] { return fcntl(end, F_SETFL, 0); }, limits);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) << "status " << status;
}

TEST(Jail, IsNotEnteredWithoutAHost) {
  Pipe lifeline;
  lifeline.close_end(1);
  const pid_t child = fork();
  if (child == 0) {
    end_with_host(lifeline.ends[0]);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == exit_without_host) << status;
}

// A host of another kind, which gives no lifeline; it ends as soon as its guest is there.
void start_guest_without_lifeline(Pipe& output) {
  if (fork() == 0) {
    dup2(output.ends[1], STDOUT_FILENO);
    end_with_host(-1);
    act_in_jail({.guest_memory_bytes = guest_bytes}, go_on_for_ever);
  }
  output.wait_for_byte();
}

TEST(Jail, EndsWithTheMainThreadThatStartedIt) {
  Pipe output;
  const pid_t host = fork();
  if (host == 0) {
    start_guest_without_lifeline(output);
    _exit(0);
  }
  waitpid(host, nullptr, 0);
  output.close_end(1);
  EXPECT_TRUE(output.ends_within(long_enough));
}

TEST(Jail, OutlivesAnotherThreadThatStartedIt) {
  Pipe output;
  Pipe guests_id;
  const pid_t host = fork();
  if (host == 0) {
    std::thread([&] {
      const pid_t guest = fork();
      if (guest == 0) {
        dup2(output.ends[1], STDOUT_FILENO);
        end_with_host(-1);
        act_in_jail({.guest_memory_bytes = guest_bytes}, go_on_for_ever);
      }
      output.wait_for_byte();
      [[maybe_unused]] const ssize_t put = write(guests_id.ends[1], &guest, sizeof guest);
    }).join();
    pause();
  }
  pid_t guest = 0;
  ASSERT_EQ(read(guests_id.ends[0], &guest, sizeof guest), ssize_t{sizeof guest});
  output.close_end(1);
  EXPECT_FALSE(output.ends_within(std::chrono::milliseconds(200)));
  kill(guest, SIGKILL);
  kill(host, SIGKILL);
  waitpid(host, nullptr, 0);
  EXPECT_TRUE(output.ends_within(long_enough));
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

TEST(Jail, HasNothingOfTheEnvironment) {
  ASSERT_EQ(setenv("CORDON_TEST_SECRET", "hidden", 1), 0);
  const char* const secret = getenv("CORDON_TEST_SECRET");
  expect_done("memory", [secret] { return *secret == '\0' ? 0 : 1; });
  expect_done("getenv", [] { return getenv("PATH") == nullptr ? 0 : 1; });
  EXPECT_STREQ(getenv("CORDON_TEST_SECRET"), "hidden");
  unsetenv("CORDON_TEST_SECRET");
}

TEST(Jail, ClosesOtherDescriptors) {
  const int file = open("/dev/null", O_WRONLY);
  ASSERT_GE(file, 3);
  expect_done("write", [file] { return write(file, "x", 1) < 0 ? 0 : 1; });
  close(file);
}

}  // namespace
}  // namespace cordon::sandbox
