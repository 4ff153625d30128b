#include "cordon/base/seccomp_program.h"

#include <cerrno>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cordon {
namespace {

constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | EDOM;

// getpgid may be called with one argument alone, which has two halves.
SeccompProgram with_getpgid_of(std::uint32_t lower, std::uint32_t upper) {
  SeccompProgram program(SECCOMP_RET_KILL_PROCESS);
  program.test(BPF_JEQ, SYS_getpgid, 0, 5);
  program.load_argument(0);
  program.test(BPF_JEQ, lower, 0, 2);
  program.load_argument(0, SeccompProgram::Half::upper);
  program.test(BPF_JEQ, upper, 1, 0);
  program.decide(refused);
  program.decide(SECCOMP_RET_ALLOW);
  return program;
}

// What a process under the filter exits with.
template <typename Body>
int exit_code_under(SeccompProgram program, Body body) {
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!install_seccomp(program.code())) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SeccompProgram, SeesBothHalvesOfAnArgument) {
  const auto ask = [](unsigned long argument) {
    return [argument] { return syscall(SYS_getpgid, argument) >= 0 ? 0 : errno; };
  };
  EXPECT_EQ(exit_code_under(with_getpgid_of(0, 0), ask(0)), 0);
  EXPECT_EQ(exit_code_under(with_getpgid_of(0, 0), ask(1)), EDOM);
  EXPECT_EQ(exit_code_under(with_getpgid_of(0, 0), ask(1UL << 32)), EDOM);
  EXPECT_EQ(exit_code_under(with_getpgid_of(0, 1), ask(1UL << 32)), 0) << "the kernel takes an int";
}

#if defined(__x86_64__)
TEST(SeccompProgram, DecidesAboutCallsByOtherNumbers) {
  SeccompProgram program(refused);
  program.decide(SECCOMP_RET_ALLOW);
  constexpr long x32 = 0x40000000;
  EXPECT_EQ(exit_code_under(program, [] { return syscall(x32 | SYS_getpid) < 0 ? errno : 0; }),
            EDOM);
}
#endif

}  // namespace
}  // namespace cordon
