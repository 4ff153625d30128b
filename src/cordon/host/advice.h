#pragma once

// The hint of an uncaught error about a name or a module that programs have elsewhere.

#include <string_view>

#include "cordon/execution.h"
#include "cordon/host/missing_names.h"
#include "cordon/js/outcome.h"

namespace cordon::host {

// Sets the hint if there is something to say that is better than what `error` has. `error` is what
// became of `thrown`, with its excerpt. `refused_import` is the specifier whose refusal was thrown;
// empty for any other error.
void advise(ExecutionError& error, const js::Thrown& thrown, std::string_view refused_import,
            const Given& given);

}  // namespace cordon::host
