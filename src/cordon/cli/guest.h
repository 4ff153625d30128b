#pragma once

// `cordon guest`: a WebAssembly plugin on standard input and output, in a jail.

#include <string>

namespace CLI {
class App;
}

namespace cordon::cli {

struct GuestArguments {
  std::string file;
  std::string memory = "256MiB";
  std::string fuel;
  std::string timeout;
  std::string compile_timeout = "30000";
  std::string compile_memory = "1GiB";
  std::string lifeline;
  std::string cache;
  bool no_cache = false;
};

void add_guest(CLI::App& app, GuestArguments& arguments);
int guest(const GuestArguments& arguments);

}  // namespace cordon::cli
