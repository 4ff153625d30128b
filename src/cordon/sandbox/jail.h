#pragma once

// The second wall around a WebAssembly plugin: it limits what the process can ask of the kernel if
// Wasmtime, the first wall, has failed.
//
// It is for a process that does nothing else and has one thread. There is no way back.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "cordon/base/sanitized.h"
#include "cordon/result.h"

namespace cordon::sandbox {

// A network namespace takes the kernel longer than the rest of the jail together. So another thread
// makes it while this one does other work. close() enters it, at the latest in the destructor.
class JailDoor {
 public:
  JailDoor() = default;
  JailDoor(JailDoor&&) noexcept = default;
  JailDoor& operator=(JailDoor&&) = delete;
  ~JailDoor() { close(); }

  // Waits for the namespace, moves this thread into it, and gives up all capabilities. Call it
  // before you parse any untrusted bytes.
  void close();

 private:
  friend Result<JailDoor> enter_jail();
  std::thread builder_;
  // A descriptor of the namespace, or -1 if there is none.
  std::unique_ptr<std::atomic<int>> namespace_;
};

// Call it before untrusted code is compiled. It takes away new privileges, core files and new
// processes, and makes namespaces without a network where the system grants them. Descriptors stay
// open.
Result<JailDoor> enter_jail();

// From now on the process is killed when its host is gone, and it cannot prevent it.
//
// `lifeline` is the end of a pipe or socket, or -1. The host alone holds the other end and never
// writes to it, and the kernel sends a SIGKILL when the host closes it. The descriptor must keep
// its number: close() and seal_jail leave it open. Without a lifeline the end of the thread that
// started this process can mean the same, but only if that thread is the main one and so lives as
// long as its process.
//
// Ends the process at once if the host is gone already.
void end_with_host(int lifeline);
// The exit code, as after a hangup. The host that would see it is gone.
inline constexpr int exit_without_host = 129;

struct JailLimits {
  std::uint64_t guest_memory_bytes = 0;
  // The time until a SIGKILL, for a process that has blocked the signals that would end it more
  // politely.
  std::optional<std::chrono::milliseconds> time = {};
  int lifeline = -1;  // as in end_with_host
};

// Call it before untrusted code runs. It wipes the environment, closes descriptors past the
// standard ones, and limits memory to what the guest may have and some more for Wasmtime. A seccomp
// filter then kills the process at any system call but reading, writing, waiting, clocks,
// randomness, and mappings of private memory that are neither code nor a growing stack.
Result<> seal_jail(const JailLimits& limits);

// The memory of this process.
struct OwnMemory {
  std::uint64_t address_bytes = 0;
  std::uint64_t data_bytes = 0;  // as RLIMIT_DATA counts
};
OwnMemory own_memory();

// Sanitizers reserve terabytes of addresses, so that no limit on memory can be set.
inline constexpr bool has_shadow_memory = is_sanitized;

}  // namespace cordon::sandbox
