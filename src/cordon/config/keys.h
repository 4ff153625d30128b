#pragma once

// All keys of cordon.json.

#include "cordon/config/form.h"

namespace cordon::config {

Form<Configuration> configuration_form();

}  // namespace cordon::config
