#include "cordon/runners/manifests.h"

#include "cordon/types/declare.h"

namespace cordon::runners {

execbox::HostManifest manifest_of(const providers::Catalogue& catalogue) {
  execbox::HostManifest manifest{catalogue.name};
  types::Namespace space{catalogue.name};
  for (const providers::CataloguedTool& tool : catalogue.tools) {
    const providers::ToolRules& rules = tool.rules;
    manifest.tools.push_back({tool.safe_name, tool.original_name, rules.description});
    space.functions.push_back({tool.safe_name, rules.description, rules.input, rules.output});
  }
  manifest.types = types::declare(space);
  return manifest;
}

execbox::HostManifest manifest_of(const Provider& provider) {
  providers::Catalogue catalogue{provider.name()};
  for (const Tool& tool : provider.tools())
    catalogue.tools.push_back({tool.name, tool.name, {.description = tool.description}});
  return manifest_of(catalogue);
}

}  // namespace cordon::runners
