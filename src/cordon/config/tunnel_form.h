#pragma once

// An entry of `tunnels`: another tunnel, whose tasks are tools here.

#include "cordon/config/form.h"

namespace cordon::config {

Form<TunnelTarget> tunnel();

}  // namespace cordon::config
