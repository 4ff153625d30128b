#pragma once

// What the arguments of `cordon call` ask for, where a plugin or a program is called.

#include <optional>
#include <string>
#include <vector>

#include "cordon/cli/call.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::cli {

// What the arguments mean, once they are known to be right.
struct CallJob {
  std::vector<std::string> command;
  std::string function;
  Value params;
  std::optional<std::string> callbacks;  // the module's text
};

Result<CallJob> call_job_of(const CallArguments& arguments);

}  // namespace cordon::cli
