// ExecutionState, as far as it strips types: in its turns and under its limits, like all it does.

#include <utility>

#include "cordon/base/thread_time.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/failure.h"
#include "cordon/host/scheduler.h"

namespace cordon::host {

// No code of the program's has run where its text did not parse, so it can begin again.
bool ExecutionState::is_to_strip(const js::Outcome& outcome) const {
  const auto* thrown = std::get_if<js::Thrown>(&outcome);
  return thrown != nullptr && thrown->is_syntax_error && !looked_for_types_ &&
         thrown->error.name == "SyntaxError";
}

// The sandbox that it is stripped in has what the guest's own has left of the limit: while it is
// there, the guest does not run.
void ExecutionState::begin_strip(std::string source) {
  const std::uint64_t limit = options_.limits.memory_bytes;
  const std::uint64_t used = guest_ == nullptr ? 0 : guest_->memory_bytes();
  strip_ = std::make_unique<Stripping>(
      scheduler_->typescript(), std::move(source), limit - std::min(limit, used),
      [weak = weak_from_this()](StripPlaces::Place& place) {
        const auto self = weak.lock();
        return self != nullptr && self->scheduler_->offer(*self, place);
      });
}

std::optional<Turn> ExecutionState::run_strip(Instant now, Instant end) {
  if (auto error = limit_met(now)) {
    finish(*std::move(error));
    return Turn::finished;
  }
  if (strip_->waits_for_place()) return Turn::waiting;
  const Duration cpu_before = thread_time();
  std::optional<Result<js::Stripped>> done = strip_->run(end, cancel_requested_);
  const Duration took = std::chrono::steady_clock::now() - now;
  own_time_ += took;
  busy_time_ += took;
  cpu_time_ += thread_time() - cpu_before;
  if (!done) return Turn::again;
  strip_.reset();
  return wanted_module_ ? end_module_strip(*std::move(done)) : end_program_strip(*std::move(done));
}

std::optional<Turn> ExecutionState::end_program_strip(Result<js::Stripped> done) {
  const bool lacked_memory = !done && done.error().code == Errc::memory_limit;
  if (lacked_memory && !refused_text_) {
    finish(types_past_memory_limit(options_.name, options_.limits));
    return Turn::finished;
  }
  if (!done && done.error().code != Errc::too_large && !refused_text_) {
    finish(internal_error(done.error().detail));
    return Turn::finished;
  }
  auto* text = done ? std::get_if<std::string>(&*done) : nullptr;
  const auto* refusal = done ? std::get_if<js::StripRefusal>(&*done) : nullptr;
  if (refusal != nullptr && refusal->kind == js::StripRefusal::Kind::unsupported) {
    ExecutionError error = error_of(*refusal, options_.name, text_.first_line);
    if (error.location) error.excerpt = excerpt_at(*error.location);
    finish(std::move(error));
    return Turn::finished;
  }
  // If it is no TypeScript either, the JavaScript error is the one to show. It is too where nobody
  // can tell, since nothing but that error speaks for types in it.
  const bool has_types = text != nullptr && *text != text_.source;
  if (refused_text_ && !has_types) {
    ExecutionError error = error_of(std::get<js::Thrown>(*refused_text_), calls_);
    refused_text_.reset();
    if (error.location) error.excerpt = excerpt_at(*error.location);
    if (lacked_memory && error.hint.empty())
      error.hint = "it may be TypeScript: stripping its types takes more than the memory limit";
    finish(std::move(error));
    return Turn::finished;
  }
  refused_text_.reset();
  if (text != nullptr) written_ = std::exchange(text_.source, std::move(*text));
  return std::nullopt;
}

// What is no TypeScript reaches the JavaScript parser as it is, which says what is wrong with it.
// A program cannot catch that memory ran out here, as it cannot where its own did.
std::optional<Turn> ExecutionState::end_module_strip(Result<js::Stripped> done) {
  ModuleText module = *std::exchange(wanted_module_, std::nullopt);
  if (!done && done.error().code == Errc::memory_limit) {
    finish(types_past_memory_limit(module.name, options_.limits));
    return Turn::finished;
  }
  const auto* refusal = done ? std::get_if<js::StripRefusal>(&*done) : nullptr;
  if (!done) {
    guest_->give_module(cordon::fail(
        done.error().code, "Cannot load module '" + module.name + "': " + done.error().detail));
  } else if (refusal != nullptr && refusal->kind == js::StripRefusal::Kind::invalid) {
    guest_->give_module(js::Stripped(std::move(module.source)));
  } else {
    guest_->give_module(*std::move(done));
  }
  return std::nullopt;
}

}  // namespace cordon::host
