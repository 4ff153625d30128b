#pragma once

// What a runner is told of providers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cordon/base/thread_annotations.h"
#include "cordon/protocol/execbox/manifest.h"
#include "cordon/provider.h"

namespace cordon::runners {

// Names, descriptions and types. The types come from the schemas, unless the provider brought its
// own.
execbox::HostManifest manifest_of(const Provider& provider);

// Manifests of the last few providers. A manifest of many tools takes longer to write than most
// programs run. Any thread may use it.
class ManifestMemo {
 public:
  // manifest_of(provider), also if its tools have changed meanwhile.
  execbox::WrittenManifest of(const Provider& provider);

 private:
  struct Entry {
    std::weak_ptr<const void> provider;
    std::uint64_t revision;
    execbox::WrittenManifest manifest;
  };
  std::optional<execbox::WrittenManifest> find(const std::weak_ptr<const void>& provider,
                                               std::uint64_t revision) const;

  mutable Mutex mutex_;
  std::vector<Entry> entries_ CORDON_GUARDED_BY(mutex_);
  std::size_t oldest_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::runners
