#pragma once

// What every seccomp filter of ours begins with, and the steps that its checks are made of.
//
// A filter is a program for each system call. It sees only the numbers in registers, never what a
// pointer leads to. A check either decides or falls through to the next. The two numbers of a test
// say how many steps to skip if it holds and if it does not; they count what follows them in the
// same check, so a check that grows needs them changed.

#include <cstddef>
#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace cordon {

class SeccompProgram {
 public:
  // Another architecture numbers its calls differently: those get this decision. From here on the
  // number of the call is loaded.
  explicit SeccompProgram(std::uint32_t decision_of_other_architectures);

  void load_number();
  // Half of an argument. Most fit into the lower one.
  enum class Half : std::uint8_t { lower, upper };
  void load_argument(std::uint32_t argument, Half half = Half::lower);

  // BPF_JEQ, BPF_JGT, BPF_JGE or BPF_JSET.
  void test(unsigned how, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    add(BPF_JMP | how | BPF_K, operand, if_true, if_false);
  }
  // SECCOMP_RET_ALLOW and the like.
  void decide(std::uint32_t decision) { add(BPF_RET | BPF_K, decision, 0, 0); }

  std::vector<sock_filter>& code() { return code_; }

 private:
  void load(std::size_t offset);
  void add(unsigned code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, operand});
  }

  std::vector<sock_filter> code_;
};

// Installs a filter in this thread. Makes one system call and nothing else. It needs no privilege
// where PR_SET_NO_NEW_PRIVS is set.
bool install_seccomp(const std::vector<sock_filter>& code) noexcept;

}  // namespace cordon
