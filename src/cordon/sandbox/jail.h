#pragma once

// The second wall around a WebAssembly plugin: what its process may still ask of the kernel once
// Wasmtime, the first one, has failed.
//
// For a process that does nothing else and has one thread. There is no way back.

#include <cstdint>

#include "cordon/result.h"

namespace cordon::sandbox {

// Before untrusted code is so much as compiled: no new privileges, no core files, no processes of
// its own, and namespaces without a network where the system grants them. Descriptors stay open.
Result<> enter_jail();

// Before untrusted code runs: descriptors past the standard ones are closed, private memory is
// limited to what the guest may have and some for Wasmtime, and a seccomp filter kills the process
// at any system call but reading, writing, waiting, clocks, randomness and memory without code.
Result<> seal_jail(std::uint64_t guest_memory_bytes);

}  // namespace cordon::sandbox
