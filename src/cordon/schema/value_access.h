#pragma once

// How the schema checker, which is written in Rust, reads our values.

#include <cordon_schema.h>

namespace cordon::schema {

// Nodes are ValueViews.
extern const cordon_schema_values_t value_access;

}  // namespace cordon::schema
