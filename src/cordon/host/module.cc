#include "cordon/module.h"

#include <algorithm>
#include <utility>

#include "cordon/engine.h"
#include "cordon/host/awaited.h"
#include "cordon/host/failure.h"
#include "cordon/host/module_provider.h"
#include "cordon/host/module_state.h"
#include "cordon/host/scheduler.h"

namespace cordon {
namespace {

// Passes the answer to one call to a function.
class DoneSink final : public CallSink {
 public:
  explicit DoneSink(std::move_only_function<void(Result<Value>)> done) : done_(std::move(done)) {}
  void answer(std::uint64_t, Result<Value> result) override { done_(std::move(result)); }
  std::stop_token stop_token() override { return {}; }

 private:
  std::move_only_function<void(Result<Value>)> done_;
};

}  // namespace

Result<Module> Engine::load(std::string_view text, ExecuteOptions options) {
  auto kept = std::make_shared<ExecuteOptions>(options);
  kept->input.reset();
  auto state = std::make_shared<host::ExecutionState>(
      state_->scheduler, host::ModuleToPrepare{std::string(text)}, std::move(options),
      std::chrono::steady_clock::now());
  state_->scheduler->submit(state);
  const Report report = state->get();
  if (!report.ok()) return fail(host::told_outside(report.error, ErrorCode::runtime_error));
  return detail::ModuleAccess::make(state_->scheduler, state->prepared(), std::move(kept));
}

Module detail::ModuleAccess::make(std::shared_ptr<host::Scheduler> scheduler,
                                  std::shared_ptr<const host::PreparedModule> module,
                                  std::shared_ptr<const ExecuteOptions> options) {
  return Module(std::make_shared<const Module::State>(
      Module::State{std::move(scheduler), std::move(module), std::move(options)}));
}

const std::vector<std::string>& Module::functions() const { return state_->module->functions; }

bool Module::has(std::string_view function) const {
  return std::ranges::find(functions(), function) != functions().end();
}

Execution Module::call(std::string_view function, Value input) const {
  return call(function, std::move(input), *state_->options);
}

Execution Module::call(std::string_view function, Value input, ExecuteOptions options) const {
  std::vector<Value> arguments;
  arguments.push_back(std::move(input));
  return apply(function, std::move(arguments), std::move(options));
}

Execution Module::apply(std::string_view function, std::vector<Value> arguments) const {
  return apply(function, std::move(arguments), *state_->options);
}

Execution Module::apply(std::string_view function, std::vector<Value> arguments,
                        ExecuteOptions options) const {
  auto state =
      host::new_call(*this, {std::string(function), std::move(arguments)}, std::move(options));
  state_->scheduler->submit(state);
  return Execution(std::move(state));
}

Provider Module::provider(std::string_view name) const { return provider(name, *state_->options); }

Provider Module::provider(std::string_view name, ExecuteOptions options) const {
  return host::provider_of(*this, name, {.execute = std::move(options)});
}

Result<KeptModule> Module::keep() const { return keep(*state_->options); }

Result<KeptModule> Module::keep(ExecuteOptions options) const {
  const auto started = std::make_shared<host::Awaited<Result<>>>();
  const host::PreparedModule& module = *state_->module;
  host::KeptFromImage start{.image = {module.image, module.table, js::Guest::Resumed::goes_on},
                            .ready = [started](Result<> made) { started->set(std::move(made)); }};
  auto state = std::make_shared<host::ExecutionState>(
      state_->scheduler, std::move(start), std::move(options), std::chrono::steady_clock::now());
  state_->scheduler->submit(state);
  CORDON_TRY(started->wait(*state_->scheduler));
  return detail::ModuleAccess::keep(*this, std::move(state));
}

Module Module::on(Engine& engine) const {
  return detail::ModuleAccess::make(detail::ModuleAccess::scheduler(engine), state_->module,
                                    state_->options);
}

std::size_t Module::bytes() const {
  const js::Image& image = *state_->module->image;
  return image.runs.size() + (image.tail == nullptr ? 0 : image.tail->size());
}

// The sandbox ends with the last handle of its module and the last of its providers.
struct KeptModule::State {
  State(Module from, std::shared_ptr<host::ExecutionState> in)
      : module(std::move(from)), execution(std::move(in)) {}
  ~State() { execution->cancel(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const Module module;
  const std::shared_ptr<host::ExecutionState> execution;
};

KeptModule detail::ModuleAccess::keep(const Module& module,
                                      std::shared_ptr<host::ExecutionState> execution) {
  return KeptModule(std::make_shared<const KeptModule::State>(module, std::move(execution)));
}

const std::vector<std::string>& KeptModule::functions() const { return state_->module.functions(); }

Result<Value> KeptModule::call(std::string_view function, Value input) const {
  const auto answer = std::make_shared<host::Awaited<Result<Value>>>();
  call(function, std::move(input), [answer](Result<Value> made) { answer->set(std::move(made)); });
  return answer->wait(state_->execution->scheduler());
}

void KeptModule::call(std::string_view function, Value input,
                      std::move_only_function<void(Result<Value>)> done) const {
  state_->execution->invoke(function, std::move(input),
                            Reply(std::make_shared<DoneSink>(std::move(done)), 0));
}

Provider KeptModule::provider(std::string_view name) const {
  Provider provider(name);
  for (const std::string& function : functions()) {
    provider.add_async(function, [state = state_, function](Value input, Reply reply) {
      state->execution->invoke(function, std::move(input), std::move(reply));
    });
  }
  return provider;
}

namespace host {

std::shared_ptr<ExecutionState> new_call(const Module& module, ModuleCall call,
                                         ExecuteOptions options) {
  const auto& state = detail::ModuleAccess::state(module);
  ImageStart image{state.module->image, state.module->table, js::Guest::Resumed::starts};
  image.function = std::move(call.function);
  image.arguments = std::move(call.arguments);
  Start start = call.port == nullptr ? Start(std::move(image))
                                     : Start(TaskFromImage{std::move(image), std::move(call.port)});
  return std::make_shared<ExecutionState>(state.scheduler, std::move(start), std::move(options),
                                          std::chrono::steady_clock::now());
}

}  // namespace host
}  // namespace cordon
