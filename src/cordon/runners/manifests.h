#pragma once

// What a runner is told of providers.

#include "cordon/protocol/execbox/manifest.h"
#include "cordon/provider.h"
#include "cordon/providers/catalogue.h"

namespace cordon::runners {

// Names, descriptions and types; the types come from the schemas.
execbox::HostManifest manifest_of(const providers::Catalogue& catalogue);
// The same for a provider that has no catalogue.
execbox::HostManifest manifest_of(const Provider& provider);

}  // namespace cordon::runners
