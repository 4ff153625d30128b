#include "cordon/engine.h"

#include <utility>

#include "cordon/host/engine_state.h"
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

std::future<Report> Execution::future() {
  std::promise<Report> promise;
  std::future<Report> future = promise.get_future();
  running_->then([promise = std::move(promise)](Report report) mutable {
    promise.set_value(std::move(report));
  });
  return future;
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Engine::~Engine() {
  if (state_ != nullptr) state_->scheduler->shut_down();
}

Result<Engine> Engine::create(const EngineOptions& options) {
  constexpr std::size_t min_key_bytes = 16;
  if (!options.image_key.empty() && options.image_key.size() < min_key_bytes)
    return fail(ErrorCode::invalid_argument, "a key for images has 16 bytes at least");
  return Engine(std::make_unique<State>(CORDON_TRY(host::Scheduler::create(options))));
}

Result<Engine> Engine::create_one_shot(Bytes image_key) {
  return create({.workers = 0, .pool = false, .image_key = std::move(image_key)});
}

namespace {

// By execbox's rule only a text that is one fence as a whole loses it. By ours a fence may stand in
// prose, which host::SourcePrep looks for.
host::ProgramText text_of(std::string_view code, ProgramRule rule) {
  if (rule == ProgramRule::cordon)
    return {.source = std::string(host::without_byte_order_mark(code))};
  const host::SourceText source = host::without_fence(code);
  return {std::string(source.text), js::Form::execbox, source.first_line,
          host::is_typescript_language(source.language)};
}

}  // namespace

Execution Engine::execute(std::string_view code, ExecuteOptions options) {
  auto state =
      std::make_shared<host::ExecutionState>(state_->scheduler, text_of(code, options.program),
                                             std::move(options), std::chrono::steady_clock::now());
  state_->scheduler->submit(state);
  return Execution(std::move(state));
}

std::chrono::steady_clock::time_point Engine::run_some(std::chrono::milliseconds budget) {
  return state_->scheduler->run_some(budget);
}

void Engine::give_memory_back() const { state_->scheduler->give_memory_back(); }

Engine::Figures Engine::figures() const { return state_->scheduler->load(); }

}  // namespace cordon
