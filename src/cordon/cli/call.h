#pragma once

// `cordon call`: one call of a function, of a WebAssembly plugin, of any program that speaks
// duplex-rpc on its standard streams, or of a tunnel (call_tunnel.h).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/limits.h"
#include "cordon/protocol/duplex/limits.h"
#include "cordon/result.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct CallArguments {
  // [TARGET] FUNCTION [JSON]. Not a list: CLI11 would take a JSON array for one.
  std::string first;
  std::string second;
  std::string third;
  std::size_t count = 0;  // of those that were given
  std::chrono::milliseconds timeout{30'000};
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
  // For a tunnel.
  std::string token_env;
  std::string token_file;
  bool runner = false;
  // One that was given and is for the one kind of target or the other; empty: none.
  std::string plugin_option;
  std::string tunnel_option;
};

void bind_call(CLI::App& command, CallArguments& arguments);
int call(const CallArguments& arguments);
// Says what is wrong with the command line; the exit code.
int wrong_call(const Error& error);

}  // namespace cordon::cli
