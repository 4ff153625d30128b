#include "cordon/runners/manifests.h"

#include <algorithm>
#include <utility>

#include "cordon/tools/provider_state.h"
#include "cordon/types/declare.h"

namespace cordon::runners {
execbox::HostManifest manifest_of(const Provider& provider) {
  execbox::HostManifest manifest{provider.name()};
  types::Namespace space{provider.name()};
  for (const Tool& tool : provider.tools()) {
    const ToolRules& rules = tool.rules;
    manifest.tools.push_back({tool.name, tool.original_name, rules.description});
    space.functions.push_back({tool.name, rules.description, rules.input, rules.output});
  }
  manifest.types = provider.types().empty() ? types::declare(space) : provider.types();
  return manifest;
}

std::optional<execbox::WrittenManifest> ManifestMemo::find(
    const std::weak_ptr<const void>& provider, std::uint64_t revision) const {
  const auto is_it = [&](const Entry& entry) {
    return entry.revision == revision && !entry.provider.owner_before(provider) &&
           !provider.owner_before(entry.provider);
  };
  const MutexLock lock(mutex_);
  const auto found = std::ranges::find_if(entries_, is_it);
  if (found == entries_.end()) return std::nullopt;
  return found->manifest;
}

execbox::WrittenManifest ManifestMemo::of(const Provider& provider) {
  constexpr std::size_t max_kept = 8;
  // Copying is no quicker where there is little to write.
  constexpr std::size_t few_tools = 16;
  if (provider.tools().size() <= few_tools) return manifest_of(provider);
  const std::weak_ptr<const void> identity = detail::ProviderAccess::identity(provider);
  const std::uint64_t revision = detail::ProviderAccess::revision(provider);
  if (auto known = find(identity, revision)) return *std::move(known);
  const execbox::WrittenManifest made = manifest_of(provider);
  Entry entry{identity, revision, made};
  const MutexLock lock(mutex_);
  if (entries_.size() < max_kept) {
    entries_.push_back(std::move(entry));
  } else {
    std::swap(entries_[oldest_++ % max_kept], entry);
  }
  return made;
}

}  // namespace cordon::runners
