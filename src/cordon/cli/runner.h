#pragma once

// `cordon runner`: the execbox runner, on standard input and output.

#include <string>

namespace CLI {
class App;
}

namespace cordon::cli {

struct RunnerArguments {
  std::string max_timeout;
  std::string max_memory;
  std::string max_log_lines;
  std::string max_log_chars;
  std::string max_message;
  std::string values = "strict";
};

void add_runner(CLI::App& app, RunnerArguments& arguments);
int runner(const RunnerArguments& arguments);

}  // namespace cordon::cli
