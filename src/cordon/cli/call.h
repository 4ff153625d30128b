#pragma once

// `cordon call`: one call of a function, of a WebAssembly plugin, of any program that speaks
// duplex-rpc on its standard streams, or of a tunnel (call_tunnel.h).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/cli/tunnel_arguments.h"
#include "cordon/limits.h"
#include "cordon/protocol/duplex/limits.h"
#include "cordon/result.h"

namespace CLI {
class App;
}

namespace cordon::cli {

// For a call of a plugin or a program. A call of a tunnel has no time limit by itself.
inline constexpr std::chrono::milliseconds plugin_timeout{30'000};

struct CallArguments {
  // [TARGET] FUNCTION [JSON]. Not a list: CLI11 would take a JSON array for one.
  std::string first;
  std::string second;
  std::string third;
  std::size_t count = 0;  // of those that were given
  std::optional<std::chrono::milliseconds> timeout;
  bool json = false;
  // For a plugin or a program.
  std::string command;
  bool has_command = false;
  std::optional<std::uint64_t> memory_bytes;
  CompileLimits compile;
  duplex::Limits limits;
  std::vector<std::string> allow;
  std::string callbacks;
  std::string stream;
  bool no_response = false;
  bool stats = false;
  // For a tunnel. Its URL, timeout and form of output are above.
  TunnelArguments tunnel;
  std::vector<std::string> files;
  std::string stream_in;
  // One that was given and is for the one kind of target or the other; empty: none.
  std::string plugin_option;
  std::string tunnel_option;
};

void bind_call(CLI::App& command, CallArguments& arguments);
int call(const CallArguments& arguments);
// Says what is wrong with the command line; the exit code.
int wrong_call(const Error& error);

}  // namespace cordon::cli
