#pragma once

// JSON Schemas within the configuration: of a task's input, of an event's payload.

#include "cordon/config/form.h"
#include "cordon/value.h"

namespace cordon::config {

// A schema that compiles.
Form<Value> json_schema();

}  // namespace cordon::config
