#pragma once

// `cordon run`: guest JavaScript from a file, the command line or standard input.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/cli/provider_set.h"
#include "cordon/cli/trace_file.h"
#include "cordon/value.h"
#include "cordon/value_rule.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct RunArguments {
  std::string file;  // "-": standard input
  std::optional<std::string> code;
  ProviderArguments providers;
  std::optional<std::chrono::milliseconds> timeout;  // or what the configuration says
  std::optional<std::uint64_t> memory_bytes;         // the same
  std::optional<Value> input;
  std::optional<ValueRule> values;
  std::string runner;                   // where it runs; empty: here
  std::string token_env;                // the variable with the runner's token
  bool no_jail = false;                 // of a runner that is a process
  std::vector<std::string> suspend_on;  // PROVIDER.TOOL or TOOL
  std::string save;
  std::string resume;
  std::string image_key;
  std::vector<std::string> results;  // JSON
  bool json = false;
  bool stats = false;
  bool trace = false;
  std::string trace_file;
  TraceFormat trace_format = TraceFormat::both;
};

void bind_run(CLI::App& command, RunArguments& arguments);
int run(const RunArguments& arguments);

}  // namespace cordon::cli
