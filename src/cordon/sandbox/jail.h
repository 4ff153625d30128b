#pragma once

// The second wall around a WebAssembly plugin: what its process may still ask of the kernel once
// Wasmtime, the first one, has failed.
//
// For a process that does nothing else and has one thread. There is no way back.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "cordon/result.h"

namespace cordon::sandbox {

// A network namespace takes the kernel longer than all the rest of the jail, so another thread
// makes it while this one does what it can do without. It is entered by close(), at the latest by
// the destructor.
class JailDoor {
 public:
  JailDoor() = default;
  JailDoor(JailDoor&&) noexcept = default;
  JailDoor& operator=(JailDoor&&) = delete;
  ~JailDoor() { close(); }

  // Waits for the namespace, moves this thread into it, and gives up all capabilities. Untrusted
  // bytes are not so much as parsed before.
  void close();

 private:
  friend Result<JailDoor> enter_jail();
  std::thread builder_;
  // A descriptor of the namespace; -1 where there is none.
  std::unique_ptr<std::atomic<int>> namespace_;
};

// Before untrusted code is so much as compiled: no new privileges, no core files, no processes of
// its own, and namespaces without a network where the system grants them. Descriptors stay open.
Result<JailDoor> enter_jail();

// Before untrusted code runs: descriptors past the standard ones are closed, private memory is
// limited to what the guest may have and some for Wasmtime, and a seccomp filter kills the process
// at any system call but reading, writing, waiting, clocks, randomness and memory without code.
Result<> seal_jail(std::uint64_t guest_memory_bytes);

}  // namespace cordon::sandbox
