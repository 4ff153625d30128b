#pragma once

// The command line of a WebAssembly plugin's process, `cordon guest`.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/limits.h"

namespace cordon::providers {

struct GuestCommand {
  std::string cordon = "cordon";  // the program
  std::string wasm;
  std::optional<std::uint64_t> memory_bytes = {};
  CompileLimits compile = {};
};

// For a process with a lifeline (guest_process.h).
std::vector<std::string> words_of(const GuestCommand& command);

}  // namespace cordon::providers
