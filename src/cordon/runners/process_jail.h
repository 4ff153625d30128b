#pragma once

// The jail of a runner that is a process: no network, no writing, no new privileges, and no way
// into other processes. It may read, so that any program starts. What it starts is in the jail too,
// and there is no way back.
//
// A seccomp filter refuses what programs ask the kernel for, with an error that they know. Which
// files are written to, a filter cannot see. Landlock can, where the kernel has it, and then only
// devices such as /dev/null may be written to. Elsewhere the filter refuses all opening for
// writing. Namespaces are a second wall around the network and what processes share, where the
// machine allows them.

#include <linux/filter.h>
#include <string>
#include <vector>

#include "cordon/result.h"
#include "cordon/runners/process_namespaces.h"

namespace cordon::runners {

class ProcessJail {
 public:
  ProcessJail();
  ~ProcessJail();
  ProcessJail(const ProcessJail&) = delete;
  ProcessJail& operator=(const ProcessJail&) = delete;

  // For a process that was just forked: makes system calls and nothing else. False, with errno,
  // where the kernel lacks something; the process must then end.
  bool enter() const noexcept;

  // Whether the kernel tells files from devices.
  bool has_landlock() const { return landlock_version_ > 0; }
  // Whether signals reach no process outside, not even of the same user.
  bool confines_signals() const;

 private:
  const int landlock_version_;
  ProcessNamespaces namespaces_;
  std::vector<sock_filter> filter_;
};

// Lets a process try what the jail must prevent. What it does, for people; or what does not work.
Result<std::string> try_jail();

}  // namespace cordon::runners
