#include "cordon/base/seccomp_program.h"

#include <bit>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace cordon {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filters are written for x86-64 and arm64"
#endif
static_assert(std::endian::native == std::endian::little, "the lower half of an argument is first");

}  // namespace

SeccompProgram::SeccompProgram(std::uint32_t decision_of_other_architectures) {
  load(offsetof(seccomp_data, arch));
  test(BPF_JEQ, architecture, 1, 0);
  decide(decision_of_other_architectures);
  load_number();
#if defined(__x86_64__)
  // The x32 interface has the same calls under other numbers.
  constexpr std::uint32_t x32 = 0x40000000;
  test(BPF_JGE, x32, 0, 1);
  decide(decision_of_other_architectures);
#endif
}

void SeccompProgram::load_number() { load(offsetof(seccomp_data, nr)); }

void SeccompProgram::load_argument(std::uint32_t argument, Half half) {
  load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t) +
       (half == Half::upper ? sizeof(std::uint32_t) : 0));
}

void SeccompProgram::load(std::size_t offset) {
  add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0);
}

bool install_seccomp(const std::vector<sock_filter>& code) noexcept {
  const sock_fprog program{static_cast<unsigned short>(code.size()),
                           const_cast<sock_filter*>(code.data())};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace cordon
