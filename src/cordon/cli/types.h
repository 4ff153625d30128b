#pragma once

// `cordon types`: the TypeScript declarations of tools.

#include "cordon/cli/provider_set.h"
#include "cordon/protocol/execbox/manifest.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct TypesArguments {
  ProviderArguments providers;
  bool json = false;
};

// What a program, or a runner, is told of a provider.
execbox::HostManifest manifest_of(const providers::Catalogue& catalogue);

void bind_types(CLI::App& command, TypesArguments& arguments);
int print_types(const TypesArguments& arguments);

}  // namespace cordon::cli
