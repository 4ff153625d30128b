#pragma once

// `cordon serve`: the Runner tunnel server, as a configuration file describes it.

#include <optional>
#include <string>
#include <vector>

#include "cordon/config/configuration.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct ServeArguments {
  std::string config = "cordon.json";
  std::vector<std::string> listen;                // instead of the file's
  std::optional<config::LogThreshold> log_level;  // the same
  bool check = false;
  bool print_schema = false;
  bool dev = false;
  bool json = false;
};

void bind_serve(CLI::App& command, ServeArguments& arguments);
int serve(const ServeArguments& arguments);

}  // namespace cordon::cli
