#pragma once

// A task or event whose code is a module in a sandbox: each call is a call of one of its functions,
// with a port to the streams of the request.
//
//   const Result<Module> module = ScriptTask::load(engine, text, options);
//   ScriptTask add(*module, {.execute = options});
//   add.call({.input = input}, [](TaskAnswer answer) { … });
//
// docs/tasks.md has the module's side. The engine has no workers: the thread that calls is the one
// that drives it, and all callbacks are by that thread.

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
  event,  // its result is its payload, unless it returns another
};

struct ScriptTaskOptions {
  // Limits, providers and the folder of modules, of each call. Its clients may be slow, so unless
  // told otherwise a call has a limit for what it computes, and none for its total time.
  ExecuteOptions execute = {
      .limits = {.time = {.total = {}, .computing = std::chrono::milliseconds(5000)}}};
  ScriptKind kind = ScriptKind::task;
  std::string function = "default";
  // What a call logs, as it does.
  std::function<void(const CallOrigin&, const LogLine&)> on_log = {};
  // What came of a call's execution, after its answer or the end of its stream.
  std::function<void(const CallOrigin&, const Report&)> on_end = {};
};

class ScriptTask final : public TaskHandler {
 public:
  // Engine::load of a module for tasks, whose values may be of any kind. Fails also where its
  // default export is no function. Blocks.
  static Result<Module> load(Engine& engine, std::string_view text, ExecuteOptions options);

  // Calls run on the module's engine (Module::on).
  ScriptTask(Module module, ScriptTaskOptions options);

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override;

 private:
  Module module_;
  std::shared_ptr<const ScriptTaskOptions> options_;
};

}  // namespace cordon::host
