#pragma once

// The second wall around a WebAssembly plugin: what its process may still ask of the kernel once
// Wasmtime, the first one, has failed.
//
// For a process that does nothing else and has one thread. There is no way back.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
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

// From now on the process is killed when its host is gone, whatever it does against it.
//
// `lifeline` is the end of a pipe or socket whose other end the host alone holds and never writes
// to, or -1. The kernel sends a SIGKILL when that one is closed. It may not be moved: close() and
// seal_jail leave it open. Without one, the end of the thread that started this process can mean
// the same, but only if that thread lives as long as its process: where it is the main one.
//
// Ends the process at once where the host is gone already.
void end_with_host(int lifeline);
// Nobody sees this one: as after a hangup.
inline constexpr int exit_without_host = 129;

struct JailLimits {
  std::uint64_t guest_memory_bytes = 0;
  // Until it is killed, for one that has blocked the signals which would end it more politely.
  std::optional<std::chrono::milliseconds> time = {};
  int lifeline = -1;  // as end_with_host had it
};

// Before untrusted code runs: the environment is wiped, descriptors past the standard ones are
// closed, memory is limited to what the guest may have and some for Wasmtime, and a seccomp filter
// kills the process at any system call but reading, writing, waiting, clocks, randomness, and
// memory that is private, no stack and without code.
Result<> seal_jail(const JailLimits& limits);

// Of this process.
struct OwnMemory {
  std::uint64_t address_bytes = 0;
  std::uint64_t data_bytes = 0;  // as RLIMIT_DATA counts
};
OwnMemory own_memory();

// Sanitizers have terabytes of it, so that no limit on memory can be set.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_shadow_memory = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool has_shadow_memory = true;
#else
inline constexpr bool has_shadow_memory = false;
#endif
#else
inline constexpr bool has_shadow_memory = false;
#endif

}  // namespace cordon::sandbox
