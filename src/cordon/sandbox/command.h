#pragma once

// A plugin: a WASI command module that is not trusted, run in this process until its end.
//
// The module gets the process's standard streams, two coarse clocks and randomness, and nothing
// else. It has the process to itself, inside the jail of jail.h.

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
  std::optional<std::uint64_t> fuel = {};                 // about one per WebAssembly instruction
  std::optional<std::chrono::milliseconds> timeout = {};  // from the start, compiling included
  CompileLimits compile = {};
  std::string cache_folder = {};  // empty: compiled code is not kept
  int lifeline = -1;              // see end_with_host
};

// The exit codes of a process whose module did not choose one: 134 after a trap, as with `wasmtime
// run`; 124 when its time is over, as with `timeout`.
inline constexpr int exit_trapped = 134;
inline constexpr int exit_out_of_time = 124;
inline constexpr int exit_refused = 2;  // a module that is refused

struct CommandEnd {
  int exit_code = 0;
  std::string complaint = {};  // what the trap said
};

// Enters the jail, compiles the module or finds it compiled, and runs it. A proc_exit, the end of
// its time, and a limit on compiling end the process at once. Fails if the module is refused.
Result<CommandEnd> run_command(BytesView wasm, const CommandOptions& options);

}  // namespace cordon::sandbox
