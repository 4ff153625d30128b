#include "cordon/runners/manifests.h"

#include <algorithm>

#include "cordon/types/declare.h"

namespace cordon::runners {
namespace {

// Names and descriptions are all that a provider without a catalogue has.
bool is_of(const execbox::HostManifest& manifest, const Provider& provider) {
  return manifest.name == provider.name() &&
         std::ranges::equal(manifest.tools, provider.tools(),
                            [](const execbox::ManifestTool& one, const Tool& tool) {
                              return one.safe_name == tool.name &&
                                     one.description == tool.description;
                            });
}

}  // namespace

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

ManifestMemo::Shared ManifestMemo::find(const Provider& provider) const {
  std::vector<Shared> kept;
  {
    const MutexLock lock(mutex_);
    kept = kept_;
  }
  const auto found =
      std::ranges::find_if(kept, [&](const Shared& one) { return is_of(*one, provider); });
  return found == kept.end() ? nullptr : *found;
}

execbox::HostManifest ManifestMemo::of(const Provider& provider) {
  constexpr std::size_t max_kept = 8;
  // Comparing and copying is no quicker where there is little to write.
  constexpr std::size_t few_tools = 16;
  if (provider.tools().size() <= few_tools) return manifest_of(provider);
  if (const Shared known = find(provider)) return *known;
  auto made = std::make_shared<const execbox::HostManifest>(manifest_of(provider));
  const MutexLock lock(mutex_);
  if (kept_.size() < max_kept) {
    kept_.push_back(made);
  } else {
    kept_[oldest_++ % max_kept] = made;
  }
  return *made;
}

}  // namespace cordon::runners
