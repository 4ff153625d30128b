#pragma once

// `cordon call URL TASK [JSON]`: a task of a tunnel, over HTTP.

#include "cordon/cli/call.h"

namespace cordon::cli {

// Whether the first word of the command line is meant as a tunnel's URL.
bool names_tunnel(const CallArguments& arguments);

int call_tunnel(const CallArguments& arguments);

}  // namespace cordon::cli
