#pragma once

// The form of a lane: who signs the calls of which tasks. Its keys are tried when it is read, so
// that a wrong one is told with its place.

#include "cordon/config/form.h"
#include "cordon/tunnel_options.h"

namespace cordon::config {

Form<LaneRules> lane();

}  // namespace cordon::config
