#pragma once

// `cordon run`: guest JavaScript from a file, the command line or standard input.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::vector<std::string> providers;  // NAME=FILE.js
  std::chrono::milliseconds timeout{5000};
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  std::optional<Value> input;
  std::optional<ValueRule> values;
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
