#pragma once

// What an embedder says about a serializer, as the codec takes it.

#include "cordon/codec/rich/serializer.h"
#include "cordon/serializer.h"

namespace cordon::host {

rich::Options serializer_options(const SerializerOptions& options);
rich::TypeDefinition type_definition(SerializerType type);

}  // namespace cordon::host
