#pragma once

// `cordon run`: guest JavaScript from a file, the command line or standard input.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cordon::cli {

struct RunArguments {
  std::string file;  // "-": standard input
  std::string code;
  bool has_code = false;
  std::vector<std::string> providers;  // NAME=FILE.js
  std::string timeout = "5000";
  std::string memory = "64MiB";
  std::string input;
  bool has_input = false;
  std::vector<std::string> suspend_on;  // PROVIDER.TOOL or TOOL
  std::string save;
  std::string resume;
  std::string image_key;
  std::vector<std::string> results;  // JSON
  bool json = false;
  bool stats = false;
  bool trace = false;
  std::string trace_file;
  std::string trace_format = "both";
};

void add_run(CLI::App& app, RunArguments& arguments);
int run(const RunArguments& arguments);

}  // namespace cordon::cli
