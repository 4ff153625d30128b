#include "cordon/engine.h"

#include <atomic>
#include <utility>

#include "cordon/host/execution_state.h"
#include "cordon/host/scheduler.h"
#include "cordon/host/source_text.h"
#include "cordon/host/typescript_service.h"

namespace cordon {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::log:
      return "log";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
    case LogLevel::debug:
      return "debug";
  }
  std::unreachable();
}

Report Execution::get() {
  if (state_->scheduler().has_workers()) return future().get();
  std::optional<Report> report;
  std::atomic<bool> over = false;
  state_->then([&](Report made) {
    report = std::move(made);
    over = true;
  });
  state_->scheduler().drive_until([&] { return over.load(); });
  return *std::move(report);
}

std::future<Report> Execution::future() {
  auto promise = std::make_shared<std::promise<Report>>();
  state_->then([promise](Report report) { promise->set_value(std::move(report)); });
  return promise->get_future();
}

void Execution::then(std::function<void(Report)> done) { state_->then(std::move(done)); }

void Execution::cancel() { state_->cancel(); }

Engine::Engine(std::shared_ptr<host::Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept {
  std::swap(scheduler_, other.scheduler_);
  return *this;
}

Engine::~Engine() {
  if (scheduler_ != nullptr) scheduler_->shut_down();
}

Result<Engine> Engine::create(const EngineOptions& options) {
  constexpr std::size_t min_key_bytes = 16;
  if (!options.image_key.empty() && options.image_key.size() < min_key_bytes)
    return fail(Errc::invalid_argument, "a key for images has 16 bytes at least");
  return Engine(CORDON_TRY(host::Scheduler::create(options)));
}

Result<Engine> Engine::create_one_shot(Bytes image_key) {
  return create({.workers = 0, .pool = false, .image_key = std::move(image_key)});
}

Execution Engine::execute(std::string_view code, ExecuteOptions options) {
  const host::SourceText source = host::without_fence(code);
  const js::Form form =
      options.program == ProgramRule::execbox ? js::Form::execbox : js::Form::program;
  auto state = std::make_shared<host::ExecutionState>(
      scheduler_,
      host::ProgramText{std::string(source.text), form, source.first_line,
                        host::is_typescript_language(source.language)},
      std::move(options), std::chrono::steady_clock::now());
  scheduler_->submit(state);
  return Execution(std::move(state));
}

Result<Provider> Engine::load_provider(std::string_view name, std::string_view module,
                                       ExecuteOptions options) {
  using Names = Result<std::vector<std::string>>;
  struct Loading {
    std::promise<Names> names;
    std::atomic<bool> over = false;
  };
  const auto loading = std::make_shared<Loading>();
  auto state = std::make_shared<host::ExecutionState>(
      scheduler_,
      host::ServiceModule{std::string(module),
                          [loading](Names names) {
                            loading->names.set_value(std::move(names));
                            loading->over = true;
                          }},
      std::move(options), std::chrono::steady_clock::now());
  scheduler_->submit(state);
  if (!scheduler_->has_workers()) scheduler_->drive_until([&] { return loading->over.load(); });
  const std::vector<std::string> names = CORDON_TRY(loading->names.get_future().get());

  Provider provider(name);
  for (const std::string& function : names) {
    provider.add_async(function, [state, function](Value input, Reply reply) {
      state->invoke(function, std::move(input), std::move(reply));
    });
  }
  // The sandbox ends with the last handle of its provider.
  provider.keep(std::shared_ptr<void>(nullptr, [state](void*) { state->cancel(); }));
  return provider;
}

std::chrono::steady_clock::time_point Engine::run_some(std::chrono::milliseconds budget) {
  return scheduler_->run_some(budget);
}

Engine::Load Engine::load() const { return scheduler_->load(); }

}  // namespace cordon
