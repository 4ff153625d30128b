#pragma once

// What a runner is told of providers.

#include <cstddef>
#include <memory>
#include <vector>

#include "cordon/base/thread_annotations.h"
#include "cordon/protocol/execbox/manifest.h"
#include "cordon/provider.h"
#include "cordon/providers/catalogue.h"

namespace cordon::runners {

// Names, descriptions and types; the types come from the schemas.
execbox::HostManifest manifest_of(const providers::Catalogue& catalogue);
// The same for a provider that has no catalogue.
execbox::HostManifest manifest_of(const Provider& provider);

// Manifests of the last few providers. A manifest of many tools takes longer to write than most
// programs run. Any thread may use it.
class ManifestMemo {
 public:
  // manifest_of(provider), also if its tools have changed meanwhile.
  execbox::HostManifest of(const Provider& provider);

 private:
  using Shared = std::shared_ptr<const execbox::HostManifest>;
  Shared find(const Provider& provider) const;

  mutable Mutex mutex_;
  std::vector<Shared> kept_ CORDON_GUARDED_BY(mutex_);
  std::size_t oldest_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::runners
