#include "cordon/host/script_task.h"

#include <utility>
#include <vector>

#include "cordon/host/execution_state.h"
#include "cordon/host/module_state.h"
#include "cordon/host/scheduler.h"
#include "cordon/host/script_call.h"

namespace cordon::host {
Result<Module> ScriptTask::load(Engine& engine, std::string_view text, ExecuteOptions options) {
  if (options.values != ValueRule::json) options.values = ValueRule::rich;
  options.input.reset();
  Module module = CORDON_TRY(engine.load(text, std::move(options)));
  if (!module.has("default")) {
    return fail(ErrorCode::runtime_error,
                "the module has no function as its default export: write `export default async "
                "function (input, context) { … }`");
  }
  return module;
}

ScriptTask::ScriptTask(Module module, ScriptTaskOptions options)
    : module_(std::move(module)),
      options_(std::make_shared<const ScriptTaskOptions>(std::move(options))) {}

void ScriptTask::call(TaskCall call, std::function<void(TaskAnswer)> done) {
  std::vector<Value> arguments;
  arguments.push_back(std::move(call.input));
  const auto made = std::make_shared<ScriptCall>(options_, std::move(call), std::move(done));
  ExecuteOptions options = options_->execute;
  made->set_up(options);
  auto state =
      new_call(module_, {options_->function, std::move(arguments), made}, std::move(options));
  made->run(state);
  state->scheduler().submit(state);
  made->watch_client();
}

}  // namespace cordon::host
