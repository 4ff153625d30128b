#pragma once

// Namespaces of a process that is to have none of what its host has: a network without any
// interface, and no shared memory or queues of others. The kernel lets root have them, and others
// in a user namespace of their own, unless the machine's settings forbid that.
//
// There is no namespace of processes: the first process of one is its init, which the kernel treats
// unlike other programs. Nor is there one of mounts, since the process may read what its host may.

#include <string>

namespace cordon::runners {

class ProcessNamespaces {
 public:
  // Before the fork.
  ProcessNamespaces();

  // For a process that was just forked and whose memory nobody may read: makes system calls and
  // nothing else. It stays the user that it is. False where the kernel does not allow it; then
  // nothing has changed.
  bool enter() const noexcept;

 private:
  // "1000 1000 1": the same number within. Root needs none.
  std::string user_map_;
  std::string group_map_;
};

}  // namespace cordon::runners
