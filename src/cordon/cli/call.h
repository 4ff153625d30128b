#pragma once

// `cordon call`: one call of a function, of a WebAssembly plugin, of any program that speaks
// duplex-rpc on its standard streams, or of a tunnel (call_tunnel.h).

#include <cstddef>
#include <string>
#include <vector>

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
  std::string command;
  bool has_command = false;
  std::string timeout = "30000";
  std::string memory;
  std::string compile_timeout;
  std::string compile_memory;
  std::string max_frame;
  std::vector<std::string> allow;
  std::string callbacks;
  std::string stream;
  bool no_response = false;
  bool json = false;
  bool stats = false;
  // Of a tunnel.
  std::string token_env;
  std::string token_file;
  bool runner = false;
};

void add_call(CLI::App& app, CallArguments& arguments);
int call(const CallArguments& arguments);
// Says what is wrong with the command line; the exit code.
int wrong_call(const Error& error);

}  // namespace cordon::cli
