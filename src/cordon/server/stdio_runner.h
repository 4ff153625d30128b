#pragma once

// One execbox session on two descriptors, a line a message, on the calling thread.

#include <functional>

#include "cordon/result.h"
#include "cordon/server/runner_execution.h"

namespace cordon::server {

// Runs until `done` is written, or until the input ends before an `execute`. Then calls `at_end`
// before anything is freed, so that a process that has nothing else to do may end there. Fails if
// the output cannot be written, or if there is no sandbox.
Result<> run_on_stdio(int input, int output, const RunnerSettings& settings,
                      const std::function<void()>& at_end);

}  // namespace cordon::server
