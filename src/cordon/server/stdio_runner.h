#pragma once

// One execbox session on two descriptors, a line a message, on the calling thread.

#include <functional>

#include "cordon/result.h"
#include "cordon/server/runner_execution.h"

namespace cordon::server {

// Until `done` is written, or the input ends before an `execute`; then calls `at_end`, before
// anything is freed: a process that has nothing else to do may end there. Fails where the output
// cannot be written, or where there is no sandbox to be had.
Result<> run_on_stdio(int input, int output, const RunnerSettings& settings,
                      const std::function<void()>& at_end);

}  // namespace cordon::server
