#pragma once

// A task or event whose code is a module in a sandbox: each call starts from the image that the
// module left when it was prepared, and its sandbox is thrown away with its answer.
//
//   const Result<Prepared> prepared = ScriptTask::prepare(engine, text, options);
//   ScriptTask add(engine, *prepared, {.execute = options});
//   add.call({.input = …}, [](TaskAnswer answer) { … });
//
// docs/tasks.md has the module's side. The engine has no workers: the thread that calls is the one
// that drives it, and all callbacks are by that thread.

#include <functional>
#include <memory>
#include <string_view>

#include "cordon/engine.h"
#include "cordon/task_call.h"

namespace cordon::host {

enum class ScriptKind : std::uint8_t {
  task,
  event,  // its result is its payload, unless it returns another
};

struct ScriptTaskOptions {
  // Limits, providers and the folder of modules, of each call. A call may take any time: the limit
  // is `own_time`, and where there is none, the `timeout` is taken for it.
  ExecuteOptions execute = {};
  ScriptKind kind = ScriptKind::task;
  // What a call logs, as it does.
  std::function<void(const CallOrigin&, const LogLine&)> on_log = {};
  // What came of a call's execution, after its answer or the end of its stream.
  std::function<void(const CallOrigin&, const Report&)> on_end = {};
};

class ScriptTask final : public TaskHandler {
 public:
  // Runs the module's top level once; any engine of this process may then serve it. Fails where it
  // does not load or where its default export is no function. Blocks.
  static Result<Prepared> prepare(Engine& engine, std::string_view module, ExecuteOptions options);

  ScriptTask(Engine& engine, Prepared prepared, ScriptTaskOptions options);

  void call(TaskCall call, std::function<void(TaskAnswer)> done) override;

 private:
  std::shared_ptr<Scheduler> scheduler_;
  Prepared prepared_;
  std::shared_ptr<const ScriptTaskOptions> options_;
};

}  // namespace cordon::host
