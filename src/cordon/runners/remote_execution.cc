#include "cordon/runners/remote_execution.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

#include "cordon/base/thread_annotations.h"
#include "cordon/host/failure.h"
#include "cordon/host/log_book.h"
#include "cordon/protocol/execbox/failure_codes.h"
#include "cordon/runners/json_texts.h"

namespace cordon::runners {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds backstop_delay{100};  // past the runner's own timeout
constexpr milliseconds cancel_grace{50};     // for its logs

ExecutionError error_of(const Error& error, execbox::Diagnostics known) {
  ExecutionError all(error);
  all.name = std::move(known.name);
  if (known.line > 0)
    all.location = SourceLocation{std::move(known.file), known.line, known.column};
  all.hint = std::move(known.hint);
  // The message ends with them.
  if (error.is(ErrorCode::serialization_error)) {
    all.reason = std::move(known.reason);
    all.place = std::move(known.place);
  }
  all.stack = std::move(known.stack);
  all.suggestions = std::move(known.suggestions);
  for (auto& cause : known.causes)
    all.causes.push_back({std::move(cause.name), std::move(cause.message), std::move(cause.stack)});
  return all;
}

}  // namespace

// Where tools answer, from any thread. It outlives the execution where a tool does.
class RemoteExecution::Answers final : public CallSink {
 public:
  Answers(std::function<void()> wake, CallOrigin origin)
      : wake_(std::move(wake)), origin_(std::move(origin)) {}

  void answer(std::uint64_t call, Result<Value> result) override {
    bool is_news = false;
    {
      const MutexLock lock(mutex_);
      if (is_closed_) return;
      is_news = answers_.empty() && !is_about_to_take_;
      answers_.emplace_back(call, std::move(result));
    }
    if (is_news) wake_();
  }
  std::stop_token stop_token() override { return stop_.get_token(); }
  const CallOrigin& origin() const override { return origin_; }

  // Until take() nobody has to be woken: tools that answer at once cost no wake.
  void will_take() {
    const MutexLock lock(mutex_);
    is_about_to_take_ = true;
  }
  std::vector<std::pair<std::uint64_t, Result<Value>>> take() {
    const MutexLock lock(mutex_);
    is_about_to_take_ = false;
    return std::exchange(answers_, {});
  }
  // Tools may give up, and what they answer is dropped.
  void close() {
    {
      const MutexLock lock(mutex_);
      is_closed_ = true;
    }
    stop_.request_stop();
  }

 private:
  const std::function<void()> wake_;
  const CallOrigin origin_;
  std::stop_source stop_;
  Mutex mutex_;
  bool is_closed_ CORDON_GUARDED_BY(mutex_) = false;
  bool is_about_to_take_ CORDON_GUARDED_BY(mutex_) = false;
  std::vector<std::pair<std::uint64_t, Result<Value>>> answers_ CORDON_GUARDED_BY(mutex_);
};

Result<std::unique_ptr<RemoteExecution>> RemoteExecution::create(RemoteOptions options) {
  const Limits& limits = options.limits;
  const Instant now = std::chrono::steady_clock::now();
  const Instant accepted = options.accepted.value_or(now);
  const milliseconds total = limits.time.total.value_or(std::chrono::hours(24 * 365));
  const auto passed = std::chrono::floor<milliseconds>(now - accepted);
  options.execute.options = {.timeout = std::max(milliseconds(1), total - passed),
                             .memory_limit_bytes = limits.memory_bytes,
                             .max_log_lines = limits.log_lines,
                             .max_log_chars = limits.log_chars};
  execbox::HostSession session =
      CORDON_TRY(execbox::HostSession::create(std::move(options.execute)));
  return std::unique_ptr<RemoteExecution>(
      new RemoteExecution(std::move(options), std::move(session), accepted));
}

RemoteExecution::RemoteExecution(RemoteOptions options, execbox::HostSession session,
                                 Instant accepted)
    : options_(std::move(options)),
      session_(std::move(session)),
      answers_(std::make_shared<Answers>(options_.wake, std::move(options_.origin))),
      accepted_(accepted) {}

RemoteExecution::~RemoteExecution() { answers_->close(); }

bool RemoteExecution::step(Descriptors descriptors, std::span<char> buffer) {
  // Not after every wake: looking costs system calls.
  if (descriptors == Descriptors::may_be_ready || link_->next_time()) receive(buffer);
  answers_->will_take();
  call_tools();
  take_answers();
  if (session_.end() || check_time(std::chrono::steady_clock::now())) {
    finish();
    return true;
  }
  session_.sent(link_->send(session_.output()));
  return false;
}

void RemoteExecution::add_waits(std::vector<pollfd>& waits) const {
  link_->add_waits(waits, session_.wants_input(), !session_.output().empty());
}

Instant RemoteExecution::next_time() const {
  Instant next = give_up_.value_or(backstop());
  if (const auto time = link_->next_time()) next = std::min(next, *time);
  return next;
}

void RemoteExecution::cancel() {
  cancel_requested_.store(true);
  options_.wake();
}

void RemoteExecution::receive(std::span<char> buffer) {
  if (!session_.wants_input()) return;
  const std::string_view bytes = link_->receive(buffer);
  session_.on_bytes(bytes);
  if (!bytes.empty() || session_.end()) return;
  if (const auto why = link_->over()) session_.on_end_of_input(*why);
}

void RemoteExecution::call_tools() {
  for (execbox::HostCall& call : session_.take_calls()) {
    const Provider& provider = options_.providers[call.provider];
    const Tool& tool = provider.tools()[call.tool];
    calls_.open(call.call, provider.name(), tool.name, call.bytes, call.input, accepted_,
                std::chrono::steady_clock::now(), provider.takes_all_values() ? 0 : js::no_tool);
    try {
      tool.function(std::move(call.input), Reply(answers_, call.call));
      // NOLINTNEXTLINE(bugprone-empty-catch): the Reply was dropped, which has answered the call.
    } catch (...) {
    }
  }
}

void RemoteExecution::take_answers() {
  for (auto& [call, result] : answers_->take()) {
    if (session_.end() || session_.is_cancelled()) return;
    if (!result) result = fail(host::failure_of(std::move(result).error()));
    const bool is_rich = calls_.tool_of(call) != js::no_tool;
    if (result && is_rich) result = with_json_texts(*std::move(result));
    const std::size_t before = session_.output().size();
    session_.on_answer(call, result);
    const std::size_t after = session_.output().size();
    calls_.close(call, after - std::min(before, after), result ? nullptr : &result.error(),
                 std::chrono::steady_clock::now());
  }
}

// Calls that are still open have failed, for the reader of the report.
void RemoteExecution::close_calls() {
  const Error over{ErrorCode::cancelled, "the execution ended"};
  const Instant now = std::chrono::steady_clock::now();
  for (std::uint64_t call = 1; call <= calls_.count(); ++call) calls_.close(call, 0, &over, now);
}

Instant RemoteExecution::backstop() const {
  const auto total = options_.limits.time.total;
  return total ? accepted_ + *total + backstop_delay : Instant::max();
}

bool RemoteExecution::check_time(Instant now) {
  if (!give_up_ && cancel_requested_.load()) begin_cancel(now, host::cancelled());
  if (!give_up_ && now >= backstop()) begin_cancel(now, host::timed_out());
  return give_up_ && now >= *give_up_;
}

void RemoteExecution::begin_cancel(Instant now, Error why) {
  ended_by_ = std::move(why);
  give_up_ = now + cancel_grace;
  session_.cancel();
  answers_->close();
}

void RemoteExecution::finish() {
  answers_->close();
  close_calls();
  link_->close();
  report_ = make_report(std::chrono::steady_clock::now());
}

// A runner does not say whose failure the program did not catch. Codes of tools are trusted ones,
// so the last call that failed in these words is the one.
const FailedCall* RemoteExecution::failed_call(const Error& error) const {
  if (error.is(ErrorCode::runtime_error)) return nullptr;
  for (std::uint64_t call = calls_.count(); call > 0; --call) {
    const auto* const failure = calls_.failure_of(call);
    if (failure != nullptr && failure->told.message == error.message &&
        execbox::code_of_end(failure->told.code) == name_of(error.code))
      return &failure->call;
  }
  return nullptr;
}

Report RemoteExecution::make_report(Instant now) {
  Report report;
  auto end = session_.take_end();
  host::LogBook logs(options_.limits.log_lines, options_.limits.log_chars);
  report.duration = std::chrono::duration_cast<std::chrono::microseconds>(now - accepted_);
  if (end) {
    for (const std::string& line : end->logs) {
      const LogLine* const kept = logs.add(LogLevel::log, line, report.duration);
      if (kept != nullptr && options_.on_log) options_.on_log(*kept);
    }
  }
  report.logs_truncated = logs.truncated();
  report.logs_left_out = logs.left_out();
  report.logs = logs.take();
  report.call_count = calls_.count();
  report.calls = calls_.take();
  if (ended_by_) {
    report.error = *ended_by_;
  } else if (auto* const value = std::get_if<Value>(&end->outcome)) {
    report.kind = ReportKind::result;
    report.result = std::move(*value);
  } else {
    report.error = error_of(std::get<Error>(end->outcome), std::move(end->diagnostics));
    options_.places.put_right(report.error);
    if (const FailedCall* const call = failed_call(report.error)) {
      report.error.call = *call;
      report.error.from_tool = true;
    }
  }
  return report;
}

}  // namespace cordon::runners
