#pragma once

// A task or event whose code is a module in a sandbox: each call is a call of one of its functions,
// with a port to the streams of the request.
//
//   const Result<Module> module = ScriptTask::load(engine, text, options);
//   ScriptTask add(*module, {.execute = options});
//   add.call({.input = input}, [](TaskAnswer answer) { … });
//
// docs/tasks.md describes the module's side. The engine has no workers: the calling thread drives
// it, and all callbacks come on that thread.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/engine.h"
#include "cordon/module.h"
#include "cordon/task_call.h"

namespace cordon::host {

enum class ScriptKind : std::uint8_t {
  task,
  event,  // its result is its payload, unless it returns something else
};

struct ScriptTaskOptions {
  // Limits, providers and the folder of modules for each call. Clients may be slow, so by default a
  // call has a limit for its computing time and none for its total time.
  ExecuteOptions execute = {
      .limits = {.time = {.total = {}, .computing = std::chrono::milliseconds(5000)}}};
  ScriptKind kind = ScriptKind::task;
  std::string function = "default";
  // Gets each log line of a call at once.
  std::function<void(const CallOrigin&, const LogLine&)> on_log = {};
  // Gets the report of a call's execution, after its answer or the end of its stream.
  std::function<void(const CallOrigin&, const Report&)> on_end = {};
};

class ScriptTask final : public TaskHandler {
 public:
  // Engine::load for a module of tasks, whose values may be of any kind. Also fails if the default
  // export is not a function. Blocks.
  static Result<Module> load(Engine& engine, std::string_view text, ExecuteOptions options);

  // Calls run on the module's engine (Module::on).
  ScriptTask(Module module, ScriptTaskOptions options);

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override;

 private:
  Module module_;
  std::shared_ptr<const ScriptTaskOptions> options_;
};

}  // namespace cordon::host
