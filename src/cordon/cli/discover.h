#pragma once

// `cordon discover URL`: the tasks and events that a tunnel serves.

#include "cordon/cli/tunnel_arguments.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct DiscoverArguments {
  TunnelArguments tunnel;
};

void bind_discover(CLI::App& command, DiscoverArguments& arguments);
int discover(const DiscoverArguments& arguments);

}  // namespace cordon::cli
