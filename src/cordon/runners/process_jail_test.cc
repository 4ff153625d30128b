#include "cordon/runners/process_jail.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <linux/landlock.h>
#include <poll.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/runners/child.h"

namespace cordon::runners {
namespace {

// All that comes until the end.
std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  while (true) {
    pollfd waiting{from, POLLIN, 0};
    if (poll(&waiting, 1, 10'000) <= 0) return text + "(it hangs)";
    const ssize_t size = read(from, buffer, sizeof buffer);
    if (size <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

// What a shell prints that runs this in the jail, its errors included.
std::string jailed(const std::string& script) {
  const auto child = Child::start({"sh", "-c", "exec 2>&1; " + script}, environment_of_runners(),
                                  Confinement::jail);
  return child ? read_all(child->output().number()) : child.error().message;
}

// The same for somebody who is not root.
std::string jailed_user(const std::string& script) {
  if (geteuid() != 0) return jailed(script);
  constexpr unsigned nobody = 65534;
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t process = fork();
  if (process == 0) {
    std::string text = "cannot become another user";
    if (setgroups(0, nullptr) == 0 && setresgid(nobody, nobody, nobody) == 0 &&
        setresuid(nobody, nobody, nobody) == 0)
      text = jailed(script);
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text = read_all(ends[0]);
  close(ends[0]);
  waitpid(process, nullptr, 0);
  return text;
}

// A system call as Python writes it, and what it gives: "-1 1" where it is refused with errno 1.
struct Call {
  long number;
  std::string arguments;
  std::string answer;
};

std::string refused(int error) { return "-1 " + std::to_string(error) + "\n"; }

// One process makes all of them, since Python takes long to start.
void expect_answers(std::string (*run)(const std::string&), const std::vector<Call>& calls) {
  std::string script =
      "exec 2>/dev/null; python3 -c 'import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
      "def call(*all):\n  ctypes.set_errno(0); print(c.syscall(*all), ctypes.get_errno())\n";
  std::string expected;
  for (const Call& one : calls) {
    script += "call(" + std::to_string(one.number) + ", " + one.arguments + ")\n";
    expected += one.answer;
  }
  const std::string answers = run(script + "'");
  if (answers.empty()) GTEST_SKIP() << "no Python";
  EXPECT_EQ(answers, expected);
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

TEST(ProcessJail, HasNamespacesWhereTheMachineAllowsThem) {
  const auto of = [](const std::string& name) {
    return std::filesystem::read_symlink("/proc/self/ns/" + name).string() + "\n";
  };
  if (!try_jail().value_or("").contains("namespaces")) GTEST_SKIP() << "it does not";
  for (const char* name : {"net", "ipc", "uts", "cgroup"}) {
    const std::string inside = jailed("readlink /proc/self/ns/" + std::string(name));
    EXPECT_THAT(inside, testing::StartsWith(name));
    EXPECT_NE(inside, of(name));
    const std::string user_inside = jailed_user("readlink /proc/self/ns/" + std::string(name));
    EXPECT_THAT(user_inside, testing::StartsWith(name));
    EXPECT_NE(user_inside, of(name));
  }
  EXPECT_EQ(jailed("grep -c : /proc/self/net/dev"), "1\n")
      << "the loopback interface, which is down";
  EXPECT_EQ(jailed("readlink /proc/self/ns/pid"), of("pid"));
  EXPECT_EQ(jailed("readlink /proc/self/ns/mnt"), of("mnt"));
}

TEST(ProcessJail, LeavesTheUserAsHeIs) {
  EXPECT_EQ(jailed("id -u"), std::to_string(geteuid()) + "\n");
  if (geteuid() != 0) return;
  EXPECT_EQ(jailed_user("id -u; id -g"), "65534\n65534\n");
  EXPECT_EQ(jailed_user("cat /etc/shadow >/dev/null && echo read"),
            "cat: /etc/shadow: Permission denied\n");
  EXPECT_EQ(jailed_user("grep CapEff /proc/self/status"), "CapEff:\t0000000000000000\n");
}

TEST(ProcessJail, LimitsWhatAProcessLeavesBehindAndHowOftenItMultiplies) {
  EXPECT_EQ(jailed("ulimit -Hc"), "0\n");
  EXPECT_THAT(jailed("grep queue /proc/self/limits"), testing::ContainsRegex(" 0  +0 "));
  if (!try_jail().value_or("").contains("namespaces")) return;
  const std::string processes = jailed_user("grep processes /proc/self/limits");
  EXPECT_THAT(processes, testing::ContainsRegex(" (4096|[0-9]{1,3}|[1-3][0-9]{3}) +processes"));
}

class RefusedCalls : public testing::TestWithParam<std::string (*)(const std::string&)> {};

TEST_P(RefusedCalls, OfProcessesOutside) {
  const std::string other = std::to_string(getpid());
  const std::string limits = ", 7, (ctypes.c_uint64 * 2)(9, 9), None";
  expect_answers(GetParam(), {{SYS_prlimit64, other + limits, refused(EPERM)},
                              {SYS_prlimit64, "1" + limits, refused(EPERM)},
                              {SYS_prlimit64, "1 << 32" + limits, "0 0\n"},  // its own
                              {SYS_prlimit64, "0" + limits, "0 0\n"},
                              {SYS_ptrace, "16, " + other + ", 0, 0", refused(EPERM)},
                              {SYS_process_vm_readv, other + ", 0, 0, 0, 0, 0", refused(EPERM)},
                              {SYS_process_vm_writev, other + ", 0, 0, 0, 0, 0", refused(EPERM)},
                              {SYS_pidfd_getfd, "0, 0, 0", refused(EPERM)},
                              {SYS_kcmp, other + ", " + other + ", 0, 0, 0", refused(EPERM)},
                              {SYS_kill, "-1, 0", refused(EPERM)},
                              {SYS_kill, "0, 0", "0 0\n"},  // its own group
                              {SYS_setpriority, "2, 0, 19", refused(EPERM)},
                              {SYS_setpriority, "0, 0, 1", "0 0\n"},
                              {SYS_ioprio_set, "3, 0, 0", refused(EPERM)}});
}

TEST_P(RefusedCalls, OfSockets) {
  const std::string pair = ", 0, (ctypes.c_int * 2)()";
  expect_answers(GetParam(), {{SYS_socket, "1, 1, 0", refused(EACCES)},
                              {SYS_socket, "2, 2, 0", refused(EACCES)},
                              {SYS_socketpair, "1, 2" + pair, refused(EACCES)},
                              {SYS_socketpair, "1, 2 | 2048" + pair, refused(EACCES)},
                              {SYS_socketpair, "1, 3" + pair, refused(EACCES)},
                              {SYS_socketpair, "30, 5" + pair, refused(EACCES)},
                              {SYS_socketpair, "1, 1 | 524288" + pair, "0 0\n"},
                              {SYS_socketpair, "1, 5" + pair, "0 0\n"},
                              {SYS_connect, "0, 0, 0", refused(EACCES)},
                              {SYS_bind, "0, 0, 0", refused(EACCES)},
                              {SYS_listen, "0, 0", refused(EACCES)},
                              {SYS_io_uring_setup, "1, 0", refused(ENOSYS)}});
}

TEST_P(RefusedCalls, OfWhatIsForTheWholeMachine) {
  std::vector<Call> calls;
  for (const long number : {SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semctl,
                            SYS_msgget, SYS_msgsnd, SYS_msgctl, SYS_mq_open, SYS_mq_unlink})
    calls.push_back({number, "0, 0, 0", refused(EACCES)});
  for (const long number :
       {SYS_bpf,     SYS_userfaultfd, SYS_keyctl,       SYS_add_key,           SYS_request_key,
        SYS_mount,   SYS_umount2,     SYS_unshare,      SYS_perf_event_open,   SYS_setns,
        SYS_fsopen,  SYS_open_tree,   SYS_move_mount,   SYS_open_by_handle_at, SYS_chroot,
        SYS_syslog,  SYS_kexec_load,  SYS_init_module,  SYS_finit_module,      SYS_pivot_root,
        SYS_fsmount, SYS_swapon,      SYS_fanotify_init})
    calls.push_back({number, "0, 0, 0", refused(EPERM)});
  const std::string new_user = "0x10000011";  // CLONE_NEWUSER
  calls.push_back({SYS_clone, new_user + ", 0, 0, 0, 0", refused(EPERM)});
  calls.push_back({SYS_clone3, "0, 0", refused(ENOSYS)});
  expect_answers(GetParam(), calls);
}

TEST_P(RefusedCalls, OfFilesThatAreOpen) {
  const std::string file = "c.open(b\"/etc/passwd\", 0)";
  expect_answers(
      GetParam(),
      {
          {SYS_fcntl, file + ", 1024, 0", refused(EPERM)},            // a lease
          {SYS_flock, file + ", 1", "0 0\n"},                         // ends with the process
          {SYS_ioctl, "0, 0x5412, b\"x\"", refused(EPERM)},           // TIOCSTI
          {SYS_ioctl, "0, 0x100005412, b\"x\"", refused(EPERM)},      // the kernel takes an int
          {SYS_ioctl, "0, 0x541c, b\"x\"", refused(EPERM)},           // TIOCLINUX
          {SYS_ioctl, file + ", 0x40086602, b\"x\"", refused(EROFS)}  // FS_IOC_SETFLAGS
      });
}

INSTANTIATE_TEST_SUITE_P(Of, RefusedCalls, testing::Values(&jailed, &jailed_user),
                         [](const auto& tested) {
                           return tested.param == &jailed ? "us" : "nobody";
                         });

TEST(ProcessJail, HasNoTerminal) {
  EXPECT_THAT(jailed("cat < /dev/tty"), testing::HasSubstr("No such device or address"));
  EXPECT_EQ(
      jailed("ps -o pid= -o pgid= -o sid= -p $$ | awk \"{print (\\$1 == \\$2 && \\$1 == \\$3)}\""),
      "1\n");
}

TEST(ProcessJail, KnowsWhetherItHolds) {
  const auto tried = try_jail();
  ASSERT_TRUE(tried) << tried.error();
  EXPECT_THAT(*tried, testing::StartsWith("no network, no writing: seccomp"));
  EXPECT_EQ(tried->contains("Landlock"), ProcessJail().has_landlock());
  EXPECT_EQ(tried->contains("signals"), !ProcessJail().confines_signals());
}

}  // namespace
}  // namespace cordon::runners
