#include "cordon/js/versions.h"

#include "cordon/sandbox/engine.h"

namespace cordon::js {

Versions versions() { return {sandbox::wasmtime_version(), CORDON_QUICKJS_VERSION}; }

}  // namespace cordon::js
