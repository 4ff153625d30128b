#pragma once

// `cordon run --runner`: the program on a runner elsewhere, its tools here.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/provider.h"
#include "cordon/runners/remote_execution.h"
#include "cordon/runners/target.h"
#include "cordon/runners/waker.h"

namespace cordon::cli {

// Where --runner and --token-env lead to.
struct RunnerPlace {
  runners::Target target;
  std::string token;
  runners::Confinement confinement = runners::Confinement::jail;  // of a process
};
Result<RunnerPlace> runner_place_of(const std::string& target, const std::string& token_env,
                                    runners::Confinement confinement);

// An engine for the tools of a remote execution, which the waker's thread drives.
Result<Engine> create_engine_of_tools(const std::shared_ptr<runners::Waker>& waker);

struct RemoteJob {
  RunnerPlace place;
  std::string code;
  std::string file;        // the program's name
  ExecuteOptions options;  // limits, input and on_log count
  std::vector<Provider> providers;
  std::shared_ptr<runners::Waker> waker;
};

// Fails where the program cannot be sent, or a process cannot be started. `on_start` gets the
// execution once it can be cancelled, and null at its end.
Result<Report> run_remotely(RemoteJob job, Engine& engine,
                            const std::function<void(runners::RemoteExecution*)>& on_start);

}  // namespace cordon::cli
