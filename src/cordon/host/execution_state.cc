#include "cordon/host/execution_state.h"

#include <algorithm>
#include <utility>

#include "cordon/base/thread_time.h"
#include "cordon/host/failure.h"
#include "cordon/host/module_names.h"
#include "cordon/host/scheduler.h"
#include "cordon/host/source_excerpt.h"
#include "cordon/host/typescript_service.h"

namespace cordon::host {
namespace {

// The execution whose tools this thread is calling: their answers need no lock.
thread_local const ExecutionState* calling_tools_of = nullptr;

std::chrono::microseconds microseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration);
}

std::unexpected<js::CallFailure> too_much_data() {
  return std::unexpected(js::CallFailure{"runtime_error", "Too much data in pending tool calls"});
}

std::string text_of(const js::Unserializable& refused) {
  std::string text = "the tool returned a non-serializable value: " + refused.reason;
  if (!refused.place.empty()) text += " at " + refused.place;
  return text;
}

// What the host may hold for a guest: four times what the guest may have or send at once, so that
// an honest message fits in any shape, and a floor for small guests.
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

}  // namespace

ExecutionState::ExecutionState(std::shared_ptr<Scheduler> scheduler, Start start,
                               ExecuteOptions options, Instant now)
    : scheduler_(std::move(scheduler)),
      start_(std::move(start)),
      text_(text_of(start_)),
      options_(std::move(options)),
      origin_(std::move(options_.origin)),
      accepted_(now),
      folder_(options_.module_folder, options_.private_files),
      logs_(options_.limits.log_lines, options_.limits.log_chars) {
  options_.limits.memory_bytes =
      std::min(options_.limits.memory_bytes, scheduler_->options().memory_ceiling_bytes);
  budget_ = std::make_shared<Budget>(Budget::Limits{.bytes = host_bytes(options_.limits)});
  if (options_.limits.timeout) deadline_ = now + *options_.limits.timeout;
  if (const ImageStart* const image = image_of(start_)) {
    options_.name = image->table.name;
    options_.values = image->table.values;
    looked_for_types_ = true;
    find_tools_of_image();
    find_tools_to_sleep_on();
    return;
  }
  text_.is_typescript = text_.is_typescript || is_typescript_name(options_.name);
  for (const Provider& provider : options_.providers) {
    js::Namespace& space = namespaces_.emplace_back(js::Namespace{provider.name(), {}});
    for (const Tool& tool : provider.tools()) {
      space.functions.push_back(tool.name);
      tools_.push_back({&provider.name(), &tool, nullptr});
    }
    if (const AnyToolFunction& any = provider.any_tool()) {
      space.is_open = true;
      tools_.push_back({&provider.name(), nullptr, &any});
    }
  }
  find_tools_to_sleep_on();
}

ExecutionState::~ExecutionState() = default;

// Any thread.

void ExecutionState::answer(std::uint64_t call, Result<Value> result) {
  if (result) {
    take_answer({call, *std::move(result)});
  } else {
    take_answer({call, std::unexpected(failure_of(result.error()))});
  }
}

void ExecutionState::fail(std::uint64_t call, ToolFailure failure) {
  take_answer({call, std::unexpected(
                         js::CallFailure{std::move(failure.code), std::move(failure.message)})});
}

void ExecutionState::take_answer(Delivery::Answer answer) {
  if (calling_tools_of == this) {
    answered_at_once_.push_back(std::move(answer));
  } else {
    scheduler_->deliver(*this, {std::move(answer)});
  }
}

std::stop_token ExecutionState::stop_token() {
  const std::lock_guard lock(end_mutex_);
  if (!stop_) stop_.emplace();
  if (is_over_) stop_->request_stop();
  return stop_->get_token();
}

void ExecutionState::invoke(std::string_view function, Value input, Reply reply) {
  scheduler_->deliver(
      *this, {Delivery::Invocation{std::string(function), std::move(input), std::move(reply)}});
}

void ExecutionState::answer_port(Delivery::PortAnswer answer) {
  if (calling_tools_of == this) {
    port_answers_at_once_.push_back(std::move(answer));
  } else {
    scheduler_->deliver(*this, {std::move(answer)});
  }
}

void ExecutionState::abort() { scheduler_->abort(*this); }

void ExecutionState::cancel() { scheduler_->cancel(*this); }

void ExecutionState::then(std::function<void(Report)> done) {
  std::optional<Report> report;
  {
    const std::lock_guard lock(end_mutex_);
    if (!announced_) {
      done_ = std::move(done);
      return;
    }
    report = std::exchange(report_, std::nullopt);
  }
  done(*std::move(report));
}

// The guest's events: notes only.

void ExecutionState::on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input,
                             std::size_t bytes) {
  noted_calls_.push_back({call, tool, std::move(input), bytes});
}
bool ExecutionState::on_named_call(std::uint64_t call, std::uint32_t tool, std::string name,
                                   Result<Value> input, std::size_t bytes) {
  if (tool >= tools_.size() || tools_[tool].any == nullptr) return false;
  noted_calls_.push_back({call, tool, std::move(input), bytes, std::move(name)});
  return true;
}
bool ExecutionState::on_port(js::PortCall call) {
  noted_port_bytes_ += call.bytes.size();
  // Our own code in the guest writes a piece and waits: what does more is not ours.
  if (port() == nullptr || noted_port_calls_.size() >= options_.limits.pending_calls ||
      noted_port_bytes_ > options_.limits.message_bytes) {
    return false;
  }
  noted_port_calls_.push_back(std::move(call));
  return true;
}
void ExecutionState::on_log(js::LogLevel level, std::string_view text) {
  const auto now = microseconds(std::chrono::steady_clock::now() - accepted_);
  const LogLine* line = logs_.add(static_cast<LogLevel>(level), text, now);
  if (line != nullptr && options_.on_log) noted_logs_.push_back(*line);
}
void ExecutionState::on_finish(js::Outcome outcome) { outcome_ = std::move(outcome); }
void ExecutionState::on_ready(std::vector<std::string> functions) {
  noted_ready_ = std::move(functions);
}
void ExecutionState::on_reply(std::uint64_t call, js::Outcome outcome) {
  noted_replies_.push_back({call, std::move(outcome)});
}
ModuleSources ExecutionState::module_sources() const {
  const ImageStart* const image = image_of(start_);
  return {options_.modules, folder_, image == nullptr ? nullptr : &image->table.sources->modules};
}

// In a folder the name of the program itself may be any: what it imports lies beside it.
std::string ExecutionState::import_base() const {
  if (folder_.exists()) return {};
  const ImageStart* const image = image_of(start_);
  return image == nullptr ? options_.name : image->table.sources->import_base;
}

Result<std::string> ExecutionState::resolve(std::string_view base, std::string_view specifier) {
  if (base != options_.name) return resolve_module(module_sources(), base, specifier);
  return resolve_module(module_sources(), import_base(), specifier);
}
std::optional<Result<js::Stripped>> ExecutionState::load(std::string_view name) {
  Result<std::string> text = load_module(module_sources(), name, options_.limits.message_bytes);
  if (!text) return cordon::fail(text.error());
  if (!is_typescript_name(name)) return js::Stripped(*std::move(text));
  wanted_module_ = {std::string(name), *std::move(text)};
  return std::nullopt;
}

// A turn.

Result<> ExecutionState::start(const js::GuestModule& module) {
  const ImageStart* const from = image_of(start_);
  guest_ = CORDON_TRY(js::Guest::create(module, guest_limits(options_.limits, budget_), *this,
                                        from == nullptr ? nullptr : from->image.get()));
  if (from != nullptr) return start_from_image();
  return guest_->start({
      .form = text_.form,
      .name = options_.name,
      .source = text_.source,
      .first_line = text_.first_line,
      .values = rule_of(options_.values),
      .namespaces = namespaces_,
      .input = options_.input ? &*options_.input : nullptr,
  });
}

Instant ExecutionState::slice_end(Instant now, Duration slice) const {
  Instant end = now + slice;
  if (deadline_) end = std::min(end, *deadline_);
  if (options_.limits.own_time) end = std::min(end, now + (*options_.limits.own_time - own_time_));
  if (options_.limits.cpu_time) end = std::min(end, now + (*options_.limits.cpu_time - cpu_time_));
  return end;
}

std::optional<ExecutionError> ExecutionState::limit_met(Instant now) const {
  if (cancel_requested_.load()) return cancelled();
  const Limits& limits = options_.limits;
  if (is_ready_ && limits.timeout && busy_time_ >= *limits.timeout) return timed_out();
  if ((deadline_ && now >= *deadline_) || (limits.own_time && own_time_ >= *limits.own_time) ||
      (limits.cpu_time && cpu_time_ >= *limits.cpu_time)) {
    return timed_out();
  }
  return std::nullopt;
}

bool ExecutionState::wake_is_due(Instant now) const { return wake_at_ && now >= *wake_at_; }

void ExecutionState::note_wake(Instant now) {
  wake_at_.reset();
  if (const std::optional<Duration> after = guest_->wake_after()) wake_at_ = now + *after;
}

std::optional<Instant> ExecutionState::next_timer() const {
  std::optional<Instant> next = deadline_;
  // What the guest's timers want is not to be had in the middle of an import.
  if (strip_ != nullptr) return next;
  const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (wake_at_) consider(*wake_at_);
  if (idle_since_) consider(*idle_since_ + (*options_.limits.own_time - own_time_));
  return next;
}

// A tool, or the client of a task.
bool ExecutionState::waits_for_others() const {
  return calls_.open_count() > 0 || (port() != nullptr && port()->waits_for_client());
}

// What a guest sleeps through is its own time: only others may keep it longer. When it gets its
// turn after that is not up to it.
void ExecutionState::count_idle_time(Instant now) {
  if (!idle_since_) return;
  const Instant until = wake_at_ ? std::min(now, *wake_at_) : now;
  own_time_ += std::max(Duration(), Duration(until - *idle_since_));
  idle_since_.reset();
}

Turn ExecutionState::run(const js::GuestModule& module, Instant now, Duration slice) {
  count_idle_time(now);
  const Instant end = slice_end(now, slice);
  if (text_.is_typescript && !looked_for_types_) {
    looked_for_types_ = true;
    begin_strip(text_.source);
  }
  if (strip_ != nullptr) {
    if (const auto turn = run_strip(now, end)) return *turn;
    now = std::chrono::steady_clock::now();
  }
  if (guest_ == nullptr) {
    const Result<> started = start(module);
    if (!started) {
      finish(error_of_start(started.error()));
      return Turn::finished;
    }
  }
  if (guest_->is_dozing()) {
    const Result<> roused = guest_->rouse();
    if (!roused) {
      finish(error_of_start(roused.error()));
      return Turn::finished;
    }
  }
  const bool measures_cpu = options_.limits.cpu_time.has_value();
  for (;;) {
    if (auto error = limit_met(now)) {
      finish(*std::move(error));
      return Turn::finished;
    }
    if (wake_is_due(now)) {
      wake_at_.reset();
      guest_->wake();
    }
    const Duration cpu_before = measures_cpu ? thread_time() : Duration();
    const js::GuestStep step = guest_->run(end, cancel_requested_);
    if (measures_cpu) cpu_time_ += thread_time() - cpu_before;
    const Instant before = std::exchange(now, std::chrono::steady_clock::now());
    own_time_ += now - before;
    busy_time_ = step == js::GuestStep::idle ? Duration() : busy_time_ + (now - before);

    if (step == js::GuestStep::idle) note_wake(now);
    const bool answered = act_on_notes(end);
    now = std::chrono::steady_clock::now();
    if (violated_) {
      finish(sandbox_error("a call that no tool of its has, or too many at once"));
      return Turn::finished;
    }
    if (outcome_ && is_to_strip(*outcome_)) {
      refused_text_ = std::exchange(outcome_, std::nullopt);
      guest_.reset();
      looked_for_types_ = true;
      begin_strip(text_.source);
      return Turn::again;
    }
    if (outcome_) {
      finish(*std::exchange(outcome_, std::nullopt));
      return Turn::finished;
    }
    if (step == js::GuestStep::ended) {
      finish(error_of(guest_->end(), guest_->end_text(), options_.limits));
      return Turn::finished;
    }
    if (step == js::GuestStep::wants_module) {
      begin_strip(wanted_module_->source);
      if (const auto turn = run_strip(now, end)) return *turn;
      now = std::chrono::steady_clock::now();
    }
    if (step == js::GuestStep::idle && !answered && is_to_sleep()) {
      finish_asleep();
      return Turn::finished;
    }
    if (step == js::GuestStep::idle && !answered && !wake_is_due(now)) {
      if (options_.on_wait && !wake_at_) options_.on_wait();
      const bool counts = options_.limits.own_time && !is_ready_ && !is_aborted_;
      if (counts && !waits_for_others()) idle_since_ = now;
      return Turn::waiting;
    }
    if (now >= end) {
      if (auto error = limit_met(now)) {
        finish(*std::move(error));
        return Turn::finished;
      }
      return Turn::again;
    }
  }
}

bool ExecutionState::act_on_notes(Instant end) {
  for (const LogLine& line : std::exchange(noted_logs_, {})) options_.on_log(line);
  if (noted_ready_) {
    auto* const service = std::get_if<ServiceModule>(&start_);
    if (is_ready_ || (service == nullptr && !is_to_prepare())) {
      violated_ = true;
      return false;
    }
    is_ready_ = true;
    functions_ = *std::exchange(noted_ready_, std::nullopt);
    if (service != nullptr) {
      // From here on it lives until it is dropped.
      deadline_.reset();
      std::exchange(service->ready, {})(std::move(functions_));
    }
  }
  for (NotedReply& noted : std::exchange(noted_replies_, {})) reply_to(std::move(noted));

  bool answered = false;
  std::size_t called = 0;
  bool in_time = true;
  // A guest that does not take its answers gets no more of them: they would pile up here. And what
  // its tools compute is part of its turn: the other calls are made in the next one.
  while (called < noted_calls_.size() && !violated_ && in_time &&
         guest_->queued_bytes() <= budget_->limits().bytes / 4) {
    calling_tools_of = this;
    call_tool(std::move(noted_calls_[called++]));
    calling_tools_of = nullptr;
    for (Delivery::Answer& answer : std::exchange(answered_at_once_, {})) {
      const Instant now = std::chrono::steady_clock::now();
      settle(std::move(answer), now);
      answered = true;
      in_time = now < end;
    }
  }
  noted_calls_.erase(noted_calls_.begin(),
                     noted_calls_.begin() + static_cast<std::ptrdiff_t>(called));
  return act_on_port_calls() || answered || !noted_calls_.empty();
}

// All of them, since the guest's end may be among the notes too: what it wrote before counts.
bool ExecutionState::act_on_port_calls() {
  bool answered = false;
  noted_port_bytes_ = 0;
  for (js::PortCall& call : std::exchange(noted_port_calls_, {})) {
    calling_tools_of = this;
    const bool taken = port()->take(std::move(call));
    calling_tools_of = nullptr;
    violated_ = violated_ || !taken;
    for (Delivery::PortAnswer& answer : std::exchange(port_answers_at_once_, {})) {
      settle_port(std::move(answer));
      answered = true;
    }
  }
  return answered;
}

void ExecutionState::settle_port(Delivery::PortAnswer answer) {
  if (auto* bytes = std::get_if<Bytes>(&answer.content)) {
    guest_->feed(answer.call, std::move(*bytes));
  } else if (const auto* failure = std::get_if<js::CallFailure>(&answer.content)) {
    guest_->settle(answer.call, *failure);
  } else if (!guest_->settle(answer.call, ValueView())) {
    violated_ = true;  // undefined fits any guest
  }
}

void ExecutionState::begin_abort(Instant now) {
  // Enough to close what it has open; nobody waits for more, and others want the sandbox.
  constexpr std::chrono::milliseconds own_grace(50);
  constexpr std::chrono::seconds grace(1);
  if (guest_ == nullptr) {
    cancel_requested_ = true;
    return;
  }
  count_idle_time(now);
  is_aborted_ = true;
  guest_->abort_task();
  deadline_ = deadline_ ? std::min(*deadline_, now + grace) : now + grace;
  const auto own = std::chrono::duration_cast<std::chrono::milliseconds>(own_time_) + own_grace;
  options_.limits.own_time = std::min(options_.limits.own_time.value_or(own), own);
}

void ExecutionState::call_tool(NotedCall noted) {
  if (noted.tool >= tools_.size() || calls_.open_count() >= options_.limits.pending_calls) {
    violated_ = true;
    return;
  }
  const ToolPlace& place = tools_[noted.tool];
  if ((place.any != nullptr) != !noted.name.empty()) {
    violated_ = true;  // a name for what has none, or none for what needs one
    return;
  }
  const CallRecord record = calls_.open(noted.call, *place.provider, place.name_of(noted.name),
                                        noted.bytes, noted.input ? *noted.input : Value(),
                                        accepted_, std::chrono::steady_clock::now());
  if (options_.on_call) options_.on_call(record);
  if (!noted.input) {
    answered_at_once_.push_back({noted.call, too_much_data()});
    return;
  }
  if (is_to_sleep_on(noted.tool, noted.name)) {
    asleep_calls_.push_back(
        {noted.call, noted.tool, *std::move(noted.input), std::move(noted.name)});
    return;
  }
  try {
    Reply reply(shared_from_this(), noted.call);
    if (place.tool != nullptr) {
      place.tool->function(*std::move(noted.input), std::move(reply));
    } else {
      (*place.any)(noted.name, *std::move(noted.input), std::move(reply));
    }
  } catch (...) {
    // The Reply was dropped, which has answered the call.
  }
}

void ExecutionState::settle(Delivery::Answer answer, Instant now) {
  auto& [call, result] = answer;
  const std::size_t queued = guest_->queued_bytes();
  if (result) {
    const Result<> settled = guest_->settle(call, *result);
    // Answers of slow tools come when they come, and a guest that computes meanwhile takes none.
    if (!settled && settled.error().code == Errc::memory_limit) {
      result = too_much_data();
    } else if (!settled) {
      result = std::unexpected(failure_of(settled.error()));
    }
  } else if (result.error().code.size() + result.error().message.size() > budget_->left()) {
    result = too_much_data();
  }
  const js::CallFailure* failure = result ? nullptr : &result.error();
  const auto record = calls_.close(call, guest_->queued_bytes() - queued, failure, now);
  if (!record) return;
  if (failure != nullptr) guest_->settle(call, *failure);
  if (options_.on_answer) options_.on_answer(*record);
}

void ExecutionState::deliver(std::vector<Delivery> deliveries) {
  const Instant now = std::chrono::steady_clock::now();
  for (Delivery& delivery : deliveries) {
    if (auto* answer = std::get_if<Delivery::Answer>(&delivery.content)) {
      settle(std::move(*answer), now);
      continue;
    }
    if (auto* port_answer = std::get_if<Delivery::PortAnswer>(&delivery.content)) {
      settle_port(std::move(*port_answer));
      continue;
    }
    if (std::holds_alternative<Delivery::Abort>(delivery.content)) {
      begin_abort(now);
      continue;
    }
    if (auto* place = std::get_if<StripPlaces::Place>(&delivery.content)) {
      if (strip_ != nullptr) strip_->take_place(std::move(*place));
      continue;
    }
    auto& invocation = std::get<Delivery::Invocation>(delivery.content);
    const std::uint64_t call = ++last_invocation_;
    const Result<> invoked = guest_->invoke(call, invocation.function, invocation.input);
    if (invoked) {
      replies_.emplace(call, std::move(invocation.reply));
    } else {
      invocation.reply(cordon::fail(invoked.error()));
    }
  }
}

void ExecutionState::reply_to(NotedReply noted) {
  const auto found = replies_.find(noted.call);
  if (found == replies_.end()) return;
  Reply reply = std::move(found->second);
  replies_.erase(found);
  if (auto* value = std::get_if<Value>(&noted.outcome)) {
    reply(std::move(*value));
  } else if (const auto* thrown = std::get_if<js::Thrown>(&noted.outcome)) {
    reply(cordon::fail(Errc::tool_error, thrown->error.message));
  } else {
    reply(
        cordon::fail(Errc::not_serializable, text_of(std::get<js::Unserializable>(noted.outcome))));
  }
}

// The end.

void ExecutionState::refuse(ExecutionError error) { finish(std::move(error)); }

void ExecutionState::finish(js::Outcome outcome) {
  if (auto* value = std::get_if<Value>(&outcome)) {
    Report report;
    report.ok = true;
    report.result = std::move(*value);
    finish(std::move(report));
  } else if (const auto* thrown = std::get_if<js::Thrown>(&outcome)) {
    ExecutionError error = error_of(*thrown, calls_);
    if (error.location) error.excerpt = excerpt_at(*error.location);
    finish(std::move(error));
  } else {
    finish(error_of(std::get<js::Unserializable>(outcome)));
  }
}

ExecutionState::WrittenText ExecutionState::written_text() const {
  if (const ImageStart* const image = image_of(start_))
    return {image->table.sources->text, image->table.sources->first_line};
  return {written_.empty() ? text_.source : written_, text_.first_line};
}

SourceExcerpt ExecutionState::excerpt_at(const SourceLocation& location) const {
  if (location.file == options_.name) {
    const WrittenText written = written_text();
    return excerpt_of(written.text, written.first_line, location);
  }
  const Result<std::string> text =
      load_module(module_sources(), location.file, options_.limits.message_bytes);
  return text ? excerpt_of(*text, 1, location) : SourceExcerpt();
}

void ExecutionState::finish(ExecutionError error) {
  Report report;
  report.error = std::move(error);
  finish(std::move(report));
}

void ExecutionState::fail_service(const ExecutionError& error) {
  Error told{error.code == "timeout" ? Errc::timeout : Errc::tool_error, error.message};
  if (error.location) {
    told.detail += " (" + error.location->file + ":" + std::to_string(error.location->line) + ":" +
                   std::to_string(error.location->column) + ")";
  }
  auto* const service = std::get_if<ServiceModule>(&start_);
  if (service != nullptr && service->ready) std::exchange(service->ready, {})(cordon::fail(told));
  for (auto& [call, reply] : std::exchange(replies_, {})) reply(cordon::fail(told));
}

void ExecutionState::finish(Report report) {
  if (std::exchange(ended_, true)) return;  // a callback threw at the end
  // Logs of the last moments, for those who watch.
  for (const LogLine& line : std::exchange(noted_logs_, {})) options_.on_log(line);
  if (guest_ != nullptr) report.memory_bytes = guest_->memory_bytes();
  scheduler_->bury(std::move(guest_));
  strip_.reset();
  report.logs = logs_.take();
  report.logs_truncated = logs_.truncated();
  report.logs_left_out = logs_.left_out();
  report.call_count = calls_.count();
  report.calls = calls_.take();
  report.duration = microseconds(std::chrono::steady_clock::now() - accepted_);
  report.own_time = microseconds(own_time_);
  fail_service(report.error);
  // Providers and observers go here, where no lock is held: a provider's end may cancel a sandbox.
  tools_.clear();
  stand_in_tools_.clear();
  stand_in_any_.clear();
  noted_port_calls_.clear();
  const Start begun = std::exchange(start_, {});
  const ExecuteOptions dropped = std::exchange(options_, {});

  std::optional<std::stop_source> stop;
  {
    const std::lock_guard lock(end_mutex_);
    report_ = std::move(report);
    is_over_ = true;
    stop = stop_;
  }
  if (stop) stop->request_stop();
}

void ExecutionState::announce() {
  std::function<void(Report)> done;
  std::optional<Report> report;
  {
    const std::lock_guard lock(end_mutex_);
    announced_ = true;
    if (!done_) return;
    done = std::move(done_);
    report = std::exchange(report_, std::nullopt);
  }
  done(*std::move(report));
}

}  // namespace cordon::host
