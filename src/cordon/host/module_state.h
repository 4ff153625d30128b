#pragma once

// What is behind a Module, and the one way in which its functions are called: by Module itself, by
// the providers made of it, and by tasks, which bring a port.

#include <memory>
#include <string>
#include <vector>

#include "cordon/engine.h"
#include "cordon/host/engine_state.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/image_start.h"
#include "cordon/host/task_port.h"
#include "cordon/module.h"

namespace cordon {

// Nothing in it changes.
struct Module::State {
  std::shared_ptr<host::Scheduler> scheduler;
  std::shared_ptr<const host::PreparedModule> module;
  std::shared_ptr<const ExecuteOptions> options;  // that it was loaded with, without its `input`
};

namespace detail {

// The library's own way to what the public classes hide.
struct ModuleAccess {
  static Module make(std::shared_ptr<host::Scheduler> scheduler,
                     std::shared_ptr<const host::PreparedModule> module,
                     std::shared_ptr<const ExecuteOptions> options);
  static const Module::State& state(const Module& module) { return *module.state_; }
  static const std::shared_ptr<host::Scheduler>& scheduler(const Engine& engine) {
    return engine.state_->scheduler;
  }
  static KeptModule keep(const Module& module, std::shared_ptr<host::ExecutionState> execution);
};

}  // namespace detail

namespace host {

struct ModuleCall {
  std::string function;
  std::vector<Value> arguments;
  std::shared_ptr<TaskPort> port = {};  // for a task
};

// The execution of one call, in a sandbox that starts from the module's image. The caller submits
// it.
std::shared_ptr<ExecutionState> new_call(const Module& module, ModuleCall call,
                                         ExecuteOptions options);

}  // namespace host
}  // namespace cordon
