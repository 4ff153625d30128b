#pragma once

// Drives one remote execution to its end, in the caller's thread, and with it the engine of its
// tools.

#include "cordon/engine.h"
#include "cordon/runners/remote_execution.h"
#include "cordon/runners/waker.h"

namespace cordon::runners {

// `waker` is what the execution's `wake` wakes. With an engine, tools that are scripts run in this
// thread; the engine calls the waker, too, when it is ready.
Report run_to_end(RemoteExecution& execution, Waker& waker, Engine* engine = nullptr);

}  // namespace cordon::runners
