#include "cordon/runners/remote_execution.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <stop_token>
#include <utility>

#include "cordon/base/thread_annotations.h"
#include "cordon/host/failure.h"
#include "cordon/host/log_book.h"
#include "cordon/protocol/execbox/failure_codes.h"

namespace cordon::runners {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds backstop{100};     // past the runner's own timeout
constexpr milliseconds cancel_grace{50};  // for its logs
constexpr milliseconds slice{5};          // of the tools, between two looks at the runner
constexpr milliseconds max_wait{60'000};

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
  explicit Answers(std::shared_ptr<Waker> waker) : waker_(std::move(waker)) {}

  void answer(std::uint64_t call, Result<Value> result) override {
    {
      const MutexLock lock(mutex_);
      if (is_closed_) return;
      answers_.emplace_back(call, std::move(result));
    }
    waker_->wake();
  }
  std::stop_token stop_token() override { return stop_.get_token(); }

  std::vector<std::pair<std::uint64_t, Result<Value>>> take() {
    const MutexLock lock(mutex_);
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
  const std::shared_ptr<Waker> waker_;
  std::stop_source stop_;
  Mutex mutex_;
  bool is_closed_ CORDON_GUARDED_BY(mutex_) = false;
  std::vector<std::pair<std::uint64_t, Result<Value>>> answers_ CORDON_GUARDED_BY(mutex_);
};

RemoteExecution::RemoteExecution(RemoteOptions options)
    : options_(std::move(options)), answers_(std::make_shared<Answers>(options_.waker)) {}

RemoteExecution::~RemoteExecution() { answers_->close(); }

Result<Report> RemoteExecution::run() {
  const Limits& limits = options_.limits;
  const milliseconds total = limits.time.total.value_or(std::chrono::hours(24 * 365));
  options_.execute.options = {.timeout = total,
                              .memory_limit_bytes = limits.memory_bytes,
                              .max_log_lines = limits.log_lines,
                              .max_log_chars = limits.log_chars};
  session_.emplace(CORDON_TRY(execbox::HostSession::create(std::move(options_.execute))));
  started_ = std::chrono::steady_clock::now();
  options_.waker->drive();
  link_ = CORDON_TRY(options_.open ? options_.open(std::move(options_.link))
                                   : open_link(options_.target, std::move(options_.link)));
  while (true) {
    receive();
    call_tools();
    take_answers();
    Instant next = Instant::max();
    if (options_.engine != nullptr) next = options_.engine->run_some(slice);
    take_answers();
    const Instant now = std::chrono::steady_clock::now();
    if (session_->end() || check_time(now)) break;
    send();
    wait(next);
  }
  answers_->close();
  close_calls();
  link_->close();
  return report(std::chrono::steady_clock::now());
}

void RemoteExecution::cancel() {
  cancel_requested_.store(true);
  options_.waker->wake();
}

void RemoteExecution::send() { session_->sent(link_->send(session_->output())); }

void RemoteExecution::receive() {
  if (!may_receive_ || !session_->wants_input()) return;
  const std::string_view bytes = link_->receive();
  session_->on_bytes(bytes);
  if (!bytes.empty() || session_->end()) return;
  if (const auto why = link_->over()) session_->on_end_of_input(*why);
}

void RemoteExecution::call_tools() {
  for (execbox::HostCall& call : session_->take_calls()) {
    const Provider& provider = options_.providers[call.provider];
    const Tool& tool = provider.tools()[call.tool];
    calls_.open(call.call, provider.name(), tool.name, call.bytes, call.input, started_,
                std::chrono::steady_clock::now());
    try {
      tool.function(std::move(call.input), Reply(answers_, call.call));
    } catch (...) {
      // The Reply was dropped, which has answered the call.
    }
  }
}

void RemoteExecution::take_answers() {
  for (auto& [call, result] : answers_->take()) {
    if (session_->end() || session_->is_cancelled()) return;
    if (!result) result = fail(host::failure_of(std::move(result).error()));
    const std::size_t before = session_->output().size();
    session_->on_answer(call, result);
    const std::size_t after = session_->output().size();
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

bool RemoteExecution::check_time(Instant now) {
  if (!give_up_ && cancel_requested_.load()) begin_cancel(now, host::cancelled());
  const auto total = options_.limits.time.total;
  if (!give_up_ && total && now >= started_ + *total + backstop)
    begin_cancel(now, host::timed_out());
  return give_up_ && now >= *give_up_;
}

void RemoteExecution::begin_cancel(Instant now, Error why) {
  ended_by_ = std::move(why);
  give_up_ = now + cancel_grace;
  session_->cancel();
  answers_->close();
}

void RemoteExecution::wait(Instant until) {
  if (options_.waker->take_own()) return;
  if (give_up_) until = std::min(until, *give_up_);
  const auto total = options_.limits.time.total;
  if (!give_up_ && total) until = std::min(until, started_ + *total + backstop);
  if (const auto time = link_->next_time()) until = std::min(until, *time);
  std::vector<pollfd> waits = {{options_.waker->descriptor(), POLLIN, 0}};
  link_->add_waits(waits, session_->wants_input(), !session_->output().empty());
  const Instant now = std::chrono::steady_clock::now();
  const auto left =
      until <= now ? milliseconds(0)
                   : std::chrono::ceil<milliseconds>(std::min<Duration>(until - now, max_wait));
  const int count = poll(waits.data(), waits.size(), static_cast<int>(left.count()));
  const bool is_woken = waits.front().revents != 0;
  if (is_woken) options_.waker->clear();
  // Not for every wake: looking costs system calls.
  may_receive_ = count != 1 || !is_woken || link_->next_time().has_value();
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

Report RemoteExecution::report(Instant now) {
  Report report;
  auto end = session_->take_end();
  host::LogBook logs(options_.limits.log_lines, options_.limits.log_chars);
  report.duration = std::chrono::duration_cast<std::chrono::microseconds>(now - started_);
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
