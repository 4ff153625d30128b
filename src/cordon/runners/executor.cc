#include "cordon/executor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "cordon/engine.h"
#include "cordon/runners/runner_host.h"

namespace cordon {

struct Executor::State {
  std::variant<Engine, std::unique_ptr<runners::RunnerHost>> runs_on;
};

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

Result<Executor> Executor::create(ExecutorOptions options) {
  if (options.max_executions == 0)
    return fail(ErrorCode::invalid_argument, "max_executions is 0: nothing could run");
  if (options.threads == 0)
    return fail(ErrorCode::invalid_argument, "threads is 0: nothing could run");
  if (!options.runner.empty())
    return Executor(
        std::make_unique<State>(CORDON_TRY(runners::RunnerHost::create(std::move(options)))));
  EngineOptions engine;
  engine.slots = std::min<std::size_t>(options.max_executions, 1000);
  engine.queue = options.max_waiting;
  return Executor(std::make_unique<State>(CORDON_TRY(Engine::create(engine))));
}

Execution Executor::execute(std::string_view code, ExecuteOptions options) {
  if (auto* const engine = std::get_if<Engine>(&state_->runs_on))
    return engine->execute(code, std::move(options));
  return std::get<1>(state_->runs_on)->execute(code, std::move(options));
}

Executor::Figures Executor::figures() const {
  if (const auto* const engine = std::get_if<Engine>(&state_->runs_on)) {
    const Engine::Figures figures = engine->figures();
    return {.running = figures.running, .waiting = figures.queued};
  }
  return std::get<1>(state_->runs_on)->figures();
}

}  // namespace cordon
