#include "cordon/host/execution_state.h"

#include <algorithm>
#include <utility>

#include "cordon/base/thread_time.h"
#include "cordon/host/advice.h"
#include "cordon/host/awaited.h"
#include "cordon/host/failure.h"
#include "cordon/host/scheduler.h"
#include "cordon/host/warnings.h"

// A turn, as run() plays it:
//
//   set_up        the text without types (which may take several turns), then a guest, then its
//                 memory if it hibernated
//   then again and again, until the slice is over:
//     check_limits   cancelled, or past a limit: the end
//     run_guest      the guest computes; what it did is noted, and nothing is acted upon yet
//     act_on_notes   logs, calls and replies go out; answers that come at once go back in
//     end_of         it broke a rule or trapped, or it finished and what it had begun is done: the
//                    end. Until then it goes on, and its outcome lies among the notes.
//     run_strip      it imports a module, whose types are taken out first
//     wait           it is idle and nothing was answered: waiting, or the end as an image
//
// Notes and acts are apart because the guest tells what it does in the middle of its work, on its
// own small stack. A tool must not run there.
//
// One thread at a time is in a turn, and no lock is held. Tools, observers and the destructors of
// providers run in here and may call anything of the engine, this execution included; what they
// deliver comes back through the Scheduler's inbox, or through TurnAnswers if they answer at once.
//
// The end comes once (Ending::begin). finish() can be reached again when a callback in it throws,
// since the Scheduler then calls refuse().

namespace cordon::host {
namespace {

Instant clock_now() { return std::chrono::steady_clock::now(); }

std::chrono::microseconds microseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration);
}

// How much the host may hold for a guest: four times what the guest may have or send at once, so
// that an honest message fits in any shape, but at least a fixed size for small guests.
std::size_t host_bytes(const Limits& limits) {
  constexpr std::uint64_t least = std::uint64_t{16} << 20;
  const auto largest = std::min<std::uint64_t>(limits.memory_bytes, limits.message_bytes);
  return static_cast<std::size_t>(std::max(4 * largest, least));
}

js::GuestLimits guest_limits(const Limits& limits, std::shared_ptr<Budget> budget) {
  constexpr std::size_t most = std::size_t{1} << 30;
  return {
      .memory_bytes = limits.memory_bytes,
      .message_bytes = static_cast<std::uint32_t>(std::min(limits.message_bytes, most)),
      // A call's number has twenty bits for its place.
      .pending_calls =
          static_cast<std::uint32_t>(std::min(limits.pending_calls, std::size_t{1} << 19)),
      .values = {.depth = std::min(limits.nesting, std::size_t{1000}), .budget = std::move(budget)},
  };
}

// The engine and the image decide about some options, whatever the caller set.
ExecuteOptions&& settled(ExecuteOptions& options, const EngineOptions& engine, const Start& start) {
  options.limits.memory_bytes = std::min(options.limits.memory_bytes, engine.memory_ceiling_bytes);
  if (const ImageStart* const image = image_of(start)) {
    options.name = image->table.name;
    options.values = image->table.values;
  }
  return std::move(options);
}

ToolTable tools_of(Start& start, ExecuteOptions& options) {
  if (ImageStart* const image = image_of(start)) {
    return {std::move(options.providers), std::move(options.suspend_on),
            std::move(image->table.namespaces)};
  }
  return {std::move(options.providers), std::move(options.suspend_on)};
}

SourcePrep::Setting setting_of(const Start& start, ExecuteOptions& options) {
  const ImageStart* const image = image_of(start);
  return {
      .name = std::move(options.name),
      .modules = std::move(options.modules),
      .folder = ModuleFolder(std::move(options.module_folder), std::move(options.private_files)),
      .limits = options.limits,
      .saved = image == nullptr ? nullptr : image->table.sources};
}

GuestNotes::Rules rules_of(const Start& start, const ExecuteOptions& options, Instant accepted) {
  GuestNotes::Rules rules{.accepted = accepted, .wants_logs = static_cast<bool>(options.on_log)};
  if (std::holds_alternative<TaskFromImage>(start)) {
    rules.max_port_calls = options.limits.pending_calls;
    rules.max_port_bytes = options.limits.message_bytes;
  }
  return rules;
}

InputGiven input_given(const Start& start, const ExecuteOptions& options) {
  const ImageStart* const image = image_of(start);
  if (std::holds_alternative<ModuleToPrepare>(start) ||
      (image != nullptr && image->how == js::Guest::Resumed::starts))
    return InputGiven::as_argument;
  if (options.program == ProgramRule::execbox) return InputGiven::never;
  return options.input ? InputGiven::yes : InputGiven::no;
}

}  // namespace

ExecutionState::ExecutionState(std::shared_ptr<Scheduler> scheduler, Start start,
                               ExecuteOptions options, Instant now)
    : scheduler_(std::move(scheduler)),
      start_(std::move(start)),
      options_(settled(options, scheduler_->options(), start_)),
      origin_(std::move(options_.origin)),
      budget_(std::make_shared<Budget>(Budget::Limits{.bytes = host_bytes(options_.limits)})),
      clocks_(options_.limits, now),
      tools_(tools_of(start_, options_)),
      source_(text_of(start_), setting_of(start_, options_)),
      logs_(options_.limits.log_lines, options_.limits.log_chars),
      notes_(rules_of(start_, options_, now), tools_, source_, logs_) {}

ExecutionState::~ExecutionState() = default;

TaskPort* ExecutionState::port() const {
  const auto* const task = std::get_if<TaskFromImage>(&start_);
  return task == nullptr ? nullptr : task->port.get();
}

// Any thread.

void ExecutionState::invoke(std::string_view function, Value input, Reply reply) {
  scheduler_->deliver(
      *this, {Delivery::Invocation{std::string(function), std::move(input), std::move(reply)}});
}

void ExecutionState::abort() { scheduler_->abort(*this); }

void ExecutionState::cancel() { scheduler_->cancel(*this); }

Report ExecutionState::get() {
  const auto report = std::make_shared<Awaited<Report>>();
  then([report](Report made) { report->set(std::move(made)); });
  return report->wait(*scheduler_);
}

// A turn.

Turn ExecutionState::run(const js::GuestModule& module, Instant now, Duration slice) {
  clocks_.end_wait(now);
  const Instant end = clocks_.slice_end(now, slice);
  if (const auto turn = set_up(module, now, end)) return *turn;
  for (;;) {
    if (const auto turn = check_limits(now)) return *turn;
    const js::GuestStep step = has_failed() ? js::GuestStep::idle : run_guest(now, end);
    const bool answered = act_on_notes(end);
    now = clock_now();
    if (const auto turn = end_of(step, answered)) return *turn;
    if (step == js::GuestStep::wants_module) {
      begin_strip();
      if (const auto turn = run_strip(now, end)) return *turn;
      now = clock_now();
    }
    if (step == js::GuestStep::idle && !answered) {
      if (const auto turn = wait(now)) return *turn;
    }
    if (now >= end) {
      if (const auto turn = check_limits(now)) return *turn;
      return Turn::again;
    }
  }
}

// Brings the execution to where the guest can run: its text is without types, and it has a sandbox.
std::optional<Turn> ExecutionState::set_up(const js::GuestModule& module, Instant& now,
                                           Instant end) {
  if (source_.refusal()) return finish_with(*source_.refusal());
  // A text that is no TypeScript may have some in a fence.
  while (source_.is_to_strip() || source_.is_stripping()) {
    if (!source_.is_stripping()) begin_strip();
    if (const auto turn = run_strip(now, end)) return *turn;
    now = clock_now();
  }
  if (guest_ == nullptr) {
    const Result<> started = start(module);
    if (!started) return finish_with(error_of_start(started.error()));
  }
  if (guest_->is_hibernated()) {
    const Result<> restored = guest_->restore();
    if (!restored) return finish_with(error_of_start(restored.error()));
  }
  return std::nullopt;
}

Result<> ExecutionState::start(const js::GuestModule& module) {
  const ImageStart* const from = image_of(start_);
  guest_ = CORDON_TRY(js::Guest::create(module, guest_limits(options_.limits, budget_), notes_,
                                        from == nullptr ? nullptr : from->image.get()));
  if (from != nullptr) return start_from_image();
  const ProgramText& text = source_.text();
  return guest_->start({
      .form = text.form,
      .name = source_.name(),
      .source = text.source,
      .runs = source_.take_runs(),
      .first_line = text.first_line,
      .values = options_.values,
      .namespaces = tools_.namespaces(),
      .input = options_.input ? &*options_.input : nullptr,
  });
}

js::GuestStep ExecutionState::run_guest(Instant& now, Instant end) {
  if (clocks_.timer_is_due(now)) {
    clocks_.set_timer(std::nullopt);
    guest_->run_timers();
  }
  const bool measures_cpu = clocks_.measures_cpu();
  const Duration cpu_before = measures_cpu ? thread_time() : Duration();
  const js::GuestStep step = guest_->run(end, cancel_requested_);
  const Duration cpu = measures_cpu ? thread_time() - cpu_before : Duration();
  const Instant before = std::exchange(now, clock_now());
  clocks_.add_computing(now - before, cpu);
  if (step == js::GuestStep::idle) {
    clocks_.rest();
    const std::optional<Duration> after = guest_->timer_after();
    clocks_.set_timer(after ? std::optional(now + *after) : std::nullopt);
  }
  return step;
}

// Whether what the guest did is its end, or the end of this attempt at its text. A syntax error may
// come from TypeScript, or from prose around a fence: then the guest is thrown away, and the text
// is tried again without it.
std::optional<Turn> ExecutionState::end_of(js::GuestStep step, bool answered) {
  if (notes_.has_violated)
    return finish_with(sandbox_error("a call that no tool of its has, or too many at once"));
  if (notes_.outcome && source_.may_have_types(*notes_.outcome)) {
    source_.refuse(*std::exchange(notes_.outcome, std::nullopt));
    guest_.reset();
    begin_strip();
    return Turn::again;
  }
  if (notes_.outcome && source_.take_fence(*notes_.outcome)) {
    notes_.outcome.reset();
    guest_.reset();
    return Turn::again;
  }
  if (step == js::GuestStep::ended && !has_failed())
    return finish_with(error_of(guest_->end(), guest_->end_text(), options_.limits));
  const bool rests = step == js::GuestStep::idle && !answered;
  if (!notes_.outcome || (!is_over_at_once() && (!rests || waits_for_calls()))) return std::nullopt;
  finish_decided(Rest::done);
  return Turn::finished;
}

// What follows from calls may go on in the guest, but not once the program has failed: elsewhere,
// too, nothing of a program runs after an error that it has not caught.
bool ExecutionState::has_failed() const {
  return notes_.late_error || (notes_.outcome && !std::holds_alternative<Value>(*notes_.outcome));
}

// A task that nobody waits for any more has nothing to wait for either.
bool ExecutionState::is_over_at_once() const {
  return options_.program == ProgramRule::execbox || clocks_.is_aborted();
}

// Calls that are to suspend the execution are not made, so nothing answers them.
bool ExecutionState::waits_for_calls() const {
  return calls_.open_count() > suspended_calls_.size();
}

// The guest has nothing to do. Suspending is decided here, and nowhere else: only an idle guest is
// at rest, and its memory can then be saved.
std::optional<Turn> ExecutionState::wait(Instant now) {
  if (!notes_.outcome && is_to_suspend()) {
    finish_suspended();
    return Turn::finished;
  }
  if (has_failed()) clocks_.set_timer(std::nullopt);  // the guest does not run any more
  if (clocks_.timer_is_due(now)) return std::nullopt;
  if (options_.on_wait && !clocks_.has_timer()) options_.on_wait();
  clocks_.begin_wait(now,
                     waits_for_others() ? Clocks::Waits::for_others : Clocks::Waits::for_itself);
  return Turn::waiting;
}

// Whether it waits for a tool, or for the client of a task.
bool ExecutionState::waits_for_others() const {
  return calls_.open_count() > 0 || (port() != nullptr && port()->waits_for_client());
}

std::optional<Turn> ExecutionState::check_limits(Instant now) {
  if (cancel_requested_.load()) {
    end(EndedBy::caller);
  } else if (clocks_.is_past_limit(now)) {
    end(EndedBy::deadline);
  } else {
    return std::nullopt;
  }
  return Turn::finished;
}

Turn ExecutionState::finish_with(ExecutionError error) {
  finish(std::move(error));
  return Turn::finished;
}

// The callback may come from another thread and long after the end, so it holds no owning
// reference.
void ExecutionState::begin_strip() {
  source_.begin_strip(scheduler_->typescript(), guest_ == nullptr ? 0 : guest_->memory_bytes(),
                      [weak = weak_from_this()](StripPlaces::Place& place) {
                        const auto self = weak.lock();
                        return self != nullptr && self->scheduler_->offer(*self, place);
                      });
}

std::optional<Turn> ExecutionState::run_strip(Instant now, Instant end) {
  if (const auto turn = check_limits(now)) return *turn;
  if (source_.waits_for_place()) return Turn::waiting;
  const Duration cpu_before = thread_time();
  std::optional<SourcePrep::Done> done = source_.strip(end, cancel_requested_, calls_);
  clocks_.add_computing(clock_now() - now, thread_time() - cpu_before);
  if (!done) return Turn::again;
  if (auto* const error = std::get_if<ExecutionError>(&*done))
    return finish_with(std::move(*error));
  if (auto* const ready = std::get_if<SourcePrep::ModuleReady>(&*done))
    guest_->give_module(std::move(ready->module));
  return std::nullopt;
}

// In the middle of an import the guest cannot run its timers, so only the deadline counts.
std::optional<Instant> ExecutionState::next_timer() const {
  return source_.is_stripping() ? clocks_.deadline() : clocks_.next_timer();
}

// The end.

// A result that was decided before the deadline stands.
void ExecutionState::end(EndedBy cause) {
  if (cause == EndedBy::caller) {
    finish(cancelled());
  } else if (notes_.outcome) {
    finish_decided(waits_for_calls() ? Rest::done : Rest::cut_short);
  } else {
    finish(timed_out());
  }
}

// The program has its result, or has failed, and what it had begun is done or has met a limit.
void ExecutionState::finish_decided(Rest rest) {
  rest_ = rest;
  if (notes_.late_error && std::holds_alternative<Value>(*notes_.outcome))
    notes_.outcome = *std::move(notes_.late_error);
  finish(*std::exchange(notes_.outcome, std::nullopt));
}

void ExecutionState::finish(js::Outcome outcome) {
  if (auto* value = std::get_if<Value>(&outcome)) {
    Report report;
    report.kind = ReportKind::result;
    report.result = std::move(*value);
    finish(std::move(report));
  } else if (const auto* thrown = std::get_if<js::Thrown>(&outcome)) {
    ExecutionError error = error_of(*thrown, calls_);
    if (error.location) error.excerpt = source_.excerpt_at(*error.location);
    advise(error, *thrown, source_.refused_import(thrown->error.message), given());
    if (error.is(ErrorCode::syntax_error) && error.hint.empty())
      error.hint = source_.hint_on_syntax(error);
    finish(std::move(error));
  } else {
    finish(error_of(std::get<js::Unserializable>(outcome)));
  }
}

Given ExecutionState::given() const {
  return {.tools = tools_.namespaces(),
          .input = input_given(start_, options_),
          .modules = [this](std::size_t max) { return source_.some_modules(max); }};
}

void ExecutionState::finish(ExecutionError error) {
  Report report;
  report.error = std::move(error);
  finish(std::move(report));
}

// Makes the report, in an order that matters. The guest goes first, so that its slot is free soon;
// replies that are owed are failed before the report exists; Ending::make() asks long tools to
// stop; and only then are providers dropped, since their destructors may wait for these tools.
void ExecutionState::finish(Report report) {
  if (!ending_.begin()) return;  // a callback threw in here before
  // Observers get the last logs too.
  for (const LogLine& line : std::exchange(notes_.logs, {})) options_.on_log(line);
  if (guest_ != nullptr) report.memory_bytes = guest_->memory_bytes();
  scheduler_->destroy_later(std::move(guest_));
  source_.clear();
  report.logs = logs_.take();
  report.logs_truncated = logs_.truncated();
  report.logs_left_out = logs_.left_out();
  if (options_.program != ProgramRule::execbox && !report.error.is(ErrorCode::cancelled) &&
      !clocks_.is_aborted())
    report.warnings = warnings_of(report.kind, notes_, rest_, tools_, calls_);
  report.call_count = calls_.count();
  report.calls = calls_.take();
  report.duration = microseconds(clock_now() - clocks_.accepted());
  report.computing_time = microseconds(clocks_.computing_time());
  fail_service(report.error);
  ending_.make(std::move(report));
  // Providers and observers are destroyed here, where no lock is held: a provider's destructor may
  // cancel another execution. It may also wait for its tools, which have been asked to stop by now.
  notes_.take_port_calls();
  const Start begun = std::exchange(start_, {});
  const ExecuteOptions dropped = std::move(options_);
  tools_.clear();
}

}  // namespace cordon::host
