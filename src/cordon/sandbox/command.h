#pragma once

// A plugin: a WASI command module that somebody else wrote, run in this process until its end.
//
// The module gets the process's standard streams, two coarse clocks and randomness, and nothing
// else. It has the process for itself, inside of the jail of jail.h.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cordon/bytes.h"
#include "cordon/result.h"
#include "cordon/sandbox/compile_guard.h"

namespace cordon::sandbox {

struct CommandOptions {
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  std::optional<std::uint64_t> fuel = {};                 // about one a WebAssembly instruction
  std::optional<std::chrono::milliseconds> timeout = {};  // from the start, compiling included
  CompileLimits compile = {};
  std::string cache_folder = {};  // empty: compiled code is not kept
  int lifeline = -1;              // see end_with_host
};

// What a process exits with where the module did not say: 134 after a trap, as `wasmtime run` has
// it; 124 when its time is over, as `timeout` has it.
inline constexpr int exit_trapped = 134;
inline constexpr int exit_out_of_time = 124;
inline constexpr int exit_refused = 2;  // a module that we do not run

struct CommandEnd {
  int exit_code = 0;
  std::string complaint = {};  // of a trap
};

// Enters the jail, compiles the module or finds it compiled, and runs it. A proc_exit, the end of
// its time, and a limit on compiling end the process there and then. Fails for a module that is
// refused.
Result<CommandEnd> run_command(BytesView wasm, const CommandOptions& options);

}  // namespace cordon::sandbox
