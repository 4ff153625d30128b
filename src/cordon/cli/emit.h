#pragma once

// `cordon emit URL EVENT [JSON]`: an event of a tunnel, over HTTP.

#include <string>

#include "cordon/cli/tunnel_arguments.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct EmitArguments {
  TunnelArguments tunnel;
  std::string event;
  std::string payload;
  bool has_payload = false;
  bool return_payload = false;
};

void bind_emit(CLI::App& command, EmitArguments& arguments);
int emit(const EmitArguments& arguments);

}  // namespace cordon::cli
