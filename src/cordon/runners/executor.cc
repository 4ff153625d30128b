#include "cordon/executor.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "cordon/base/thread_annotations.h"
#include "cordon/engine.h"
#include "cordon/host/failure.h"
#include "cordon/runners/child_link.h"
#include "cordon/runners/manifests.h"
#include "cordon/runners/process_pool.h"
#include "cordon/runners/program_text.h"
#include "cordon/runners/remote_execution.h"

namespace cordon {
namespace {

// Places of executions. Any thread may use it.
class Places {
 public:
  explicit Places(std::size_t most) : left_(most) {}

  // False: it is that late, or the caller has stopped.
  bool take(Instant until, const std::stop_token& stop) {
    // Wakes this thread: a Condition does not know of stops.
    const std::stop_callback wake(stop, [this] {
      const MutexLock lock(mutex_);
      changed_.notify_all();
    });
    MutexLock lock(mutex_);
    ++waiting_;
    while (left_ == 0 && !stop.stop_requested()) {
      if (!changed_.wait_until(lock, until)) break;
    }
    --waiting_;
    if (left_ == 0 || stop.stop_requested()) return false;
    --left_;
    ++running_;
    return true;
  }
  void give_back() {
    {
      const MutexLock lock(mutex_);
      ++left_;
      --running_;
    }
    changed_.notify_one();
  }
  std::size_t waiting() const {
    const MutexLock lock(mutex_);
    return waiting_;
  }
  std::size_t running() const {
    const MutexLock lock(mutex_);
    return running_;
  }

 private:
  mutable Mutex mutex_;
  Condition changed_;
  std::size_t left_ CORDON_GUARDED_BY(mutex_);
  std::size_t waiting_ CORDON_GUARDED_BY(mutex_) = 0;
  std::size_t running_ CORDON_GUARDED_BY(mutex_) = 0;
};

Report failed(ExecutionError error) {
  Report report;
  report.error = std::move(error);
  return report;
}

}  // namespace

struct Executor::State {
  State(ExecutorOptions given, Engine made)
      : options(std::move(given)), engine(std::move(made)), places(options.max_executions) {}

  Report execute_here(std::string_view code, ExecuteOptions execute, const std::stop_token& stop);
  Report execute_elsewhere(std::string_view code, ExecuteOptions execute,
                           const std::stop_token& stop);
  Result<std::unique_ptr<runners::Link>> open(runners::LinkOptions link);

  const ExecutorOptions options;
  Engine engine;  // runs programs, or only reads them
  runners::ProgramMemo programs;
  runners::ManifestMemo manifests;
  Places places;
  std::optional<runners::Target> target;
  std::unique_ptr<runners::ProcessPool> pool;  // of a target that is a process
};

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;
Executor& Executor::operator=(Executor&&) noexcept = default;

Result<Executor> Executor::create(ExecutorOptions options) {
  if (options.max_executions == 0)
    return fail(ErrorCode::invalid_argument, "max_executions is 0: nothing could run");
  const bool is_here = options.runner.empty();
  EngineOptions engine;
  if (!is_here) engine.workers = 0;
  engine.slots = std::min<std::size_t>(options.max_executions, 1000);
  auto state = std::make_unique<State>(std::move(options), CORDON_TRY(Engine::create(engine)));
  if (is_here) return Executor(std::move(state));
  state->target = CORDON_TRY(runners::parse_target(state->options.runner));
  if (const auto* child = std::get_if<runners::ChildTarget>(&*state->target)) {
    const auto confinement =
        state->options.jail ? runners::Confinement::jail : runners::Confinement::none;
    // What cannot be started is told now.
    CORDON_TRY(runners::Child::start(child->words, runners::environment_of_runners(), confinement));
    state->pool =
        std::make_unique<runners::ProcessPool>(child->words, confinement, state->options.spares);
  }
  return Executor(std::move(state));
}

Report Executor::execute(std::string_view code, ExecuteOptions options, std::stop_token stop) {
  const Instant start = std::chrono::steady_clock::now();
  const auto total = options.limits.time.total.value_or(std::chrono::hours(24 * 365));
  if (!state_->places.take(start + total, stop))
    return failed(stop.stop_requested() ? host::cancelled() : host::timed_out());
  const auto waited =
      std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  if (options.limits.time.total)
    options.limits.time.total = std::max(std::chrono::milliseconds(1), total - waited);
  struct GiveBack {
    Places& places;
    ~GiveBack() { places.give_back(); }
  } const give_back{state_->places};
  return state_->target ? state_->execute_elsewhere(code, std::move(options), stop)
                        : state_->execute_here(code, std::move(options), stop);
}

Report Executor::State::execute_here(std::string_view code, ExecuteOptions execute,
                                     const std::stop_token& stop) {
  Execution execution = engine.execute(code, std::move(execute));
  const std::stop_callback cancel(stop, [&] { execution.cancel(); });
  return execution.get();
}

Result<std::unique_ptr<runners::Link>> Executor::State::open(runners::LinkOptions link) {
  if (pool == nullptr) return runners::open_link(*target, std::move(link));
  runners::Child child = CORDON_TRY(pool->take());
  return std::make_unique<runners::ChildLink>(std::move(child), std::move(link));
}

Report Executor::State::execute_elsewhere(std::string_view code, ExecuteOptions execute,
                                          const std::stop_token& stop) {
  auto program =
      runners::text_for_runner({code, execute.name, std::move(execute.input)}, engine, &programs);
  if (!program) return failed(program.error());
  runners::RemoteOptions remote{
      .open = [this](runners::LinkOptions link) { return open(std::move(link)); }};
  remote.link.token = options.token;
  remote.link.on_errors = options.on_errors;
  remote.execute.id = "exec-1";  // one execution a connection
  remote.execute.code = std::move(program->code);
  remote.places = std::move(program->places);
  for (const Provider& provider : execute.providers)
    remote.execute.providers.push_back(manifests.of(provider));
  remote.providers = std::move(execute.providers);
  remote.limits = execute.limits;
  remote.on_log = std::move(execute.on_log);
  runners::RemoteExecution execution(std::move(remote));
  const std::stop_callback cancel(stop, [&] { execution.cancel(); });
  Result<Report> report = execution.run();
  if (pool != nullptr) pool->destroy_later(execution.take_link());
  if (report) return *std::move(report);
  // A process that started before and does not any more.
  Error error = report.error();
  if (error.is(ErrorCode::unavailable)) error.code = ErrorCode::runner_error;
  return failed(std::move(error));
}

Executor::Figures Executor::figures() const {
  const runners::ProcessPool* const pool = state_->pool.get();
  return {.running = state_->places.running(),
          .waiting = state_->places.waiting(),
          .spares = pool == nullptr ? 0 : pool->spares(),
          .started = pool == nullptr ? 0 : pool->started()};
}

}  // namespace cordon
