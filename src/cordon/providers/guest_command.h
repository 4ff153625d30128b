#pragma once

// The command line of a WebAssembly plugin's process, `cordon guest`.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cordon::providers {

struct GuestCommand {
  std::string cordon = "cordon";  // the program
  std::string wasm;
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<std::chrono::milliseconds> compile_timeout = {};
  std::optional<std::uint64_t> compile_memory_bytes = {};
};

// For a process with a lifeline (guest_process.h).
std::vector<std::string> words_of(const GuestCommand& command);

}  // namespace cordon::providers
