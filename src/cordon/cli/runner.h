#pragma once

// `cordon runner`: the execbox runner, on standard input and output or on sockets.

#include <string>
#include <vector>

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

  // With sockets only.
  std::vector<std::string> listen;
  std::string token_env;
  std::string tls_cert;
  std::string tls_key;
  std::vector<std::string> allow_origin;
  std::string max_connections;
  std::string max_per_address;
  std::string max_sessions;
  std::string idle_timeout;
  std::string stall_timeout;
  std::string grace;
  std::string threads;
};

void add_runner(CLI::App& app, RunnerArguments& arguments);
int runner(const RunnerArguments& arguments);

}  // namespace cordon::cli
