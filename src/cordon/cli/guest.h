#pragma once

// `cordon guest`: a WebAssembly plugin on standard input and output, in a jail.

#include <string>

#include "cordon/sandbox/command.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct GuestArguments {
  std::string file;
  sandbox::CommandOptions options;
  std::string cache;
  bool no_cache = false;
};

void bind_guest(CLI::App& command, GuestArguments& arguments);
int guest(const GuestArguments& arguments);

}  // namespace cordon::cli
