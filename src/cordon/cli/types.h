#pragma once

// `cordon types`: the TypeScript declarations of tools.

#include "cordon/cli/provider_set.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct TypesArguments {
  ProviderArguments providers;
  bool json = false;
};

void bind_types(CLI::App& command, TypesArguments& arguments);
int print_types(const TypesArguments& arguments);

}  // namespace cordon::cli
