#pragma once

// What one part of a configuration says about another: ids that are exposed, tools that are named.

#include "cordon/config/configuration.h"
#include "cordon/config/document.h"
#include "cordon/config/reader.h"

namespace cordon::config {

void check_references(const Node& root, const Configuration& configuration, Reader& reader);

}  // namespace cordon::config
