#include "cordon/host/script_task.h"

#include <algorithm>
#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/image_start.h"
#include "cordon/host/scheduler.h"
#include "cordon/host/script_call.h"

namespace cordon::host {
namespace {

std::shared_ptr<const ScriptTaskOptions> for_calls(ScriptTaskOptions options) {
  Limits& limits = options.execute.limits;
  if (!limits.own_time) limits.own_time = limits.timeout;
  limits.timeout.reset();
  options.execute.input.reset();
  return std::make_shared<const ScriptTaskOptions>(std::move(options));
}

}  // namespace

Result<Prepared> ScriptTask::prepare(Engine& engine, std::string_view module,
                                     ExecuteOptions options) {
  options.values = ValueRule::rich;
  options.input.reset();
  Prepared prepared = CORDON_TRY(engine.prepare(module, std::move(options)));
  const std::vector<std::string>& functions = prepared.module().functions;
  if (std::ranges::find(functions, "default") == functions.end()) {
    return fail(Errc::guest_error,
                "the module has no function as its default export: write `export default async "
                "function (input, context) { … }`");
  }
  return prepared;
}

ScriptTask::ScriptTask(Engine& engine, Prepared prepared, ScriptTaskOptions options)
    : scheduler_(engine.scheduler_),
      prepared_(std::move(prepared)),
      options_(for_calls(std::move(options))) {}

void ScriptTask::call(TaskCall call, std::function<void(TaskAnswer)> done) {
  const auto made = std::make_shared<ScriptCall>(options_, std::move(call), std::move(done));
  const PreparedModule& module = prepared_.module();
  TaskFromImage start{{module.image, module.table, js::Guest::Resumed::starts}, made};
  ExecuteOptions options = options_->execute;
  made->set_up(options);
  auto state = std::make_shared<ExecutionState>(scheduler_, std::move(start), std::move(options),
                                                std::chrono::steady_clock::now());
  made->run(state);
  scheduler_->submit(std::move(state));
  made->watch_client();
}

}  // namespace cordon::host
