#pragma once

// `cordon runner`: the execbox runner, on standard input and output or on sockets.

#include <string>
#include <vector>

#include "cordon/limits.h"
#include "cordon/server/runner_server.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct RunnerArguments {
  server::RunnerServerOptions options = {.threads = processors()};  // `settings` on streams too
  std::vector<std::string> listen;
  std::string token_env;
  std::string tls_cert;
  std::string tls_key;
  std::string socket_option;  // one that was given, and means something with --listen only
};

void bind_runner(CLI::App& command, RunnerArguments& arguments);
int runner(const RunnerArguments& arguments);

}  // namespace cordon::cli
