#pragma once

// One run of a guest program: its options and limits, and its report.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/error.h"
#include "cordon/export.h"
#include "cordon/image.h"
#include "cordon/log.h"
#include "cordon/provider.h"
#include "cordon/value.h"
#include "cordon/value_rule.h"

namespace cordon {

// How long an execution may take, by three clocks. The first that reaches its limit ends the
// execution with the code `timeout`. A clock without a limit does not run.
//
// A module that is kept (Module::keep) has no end of its own. Its clocks count each stretch of
// computing: from a call or a timer until the guest waits again. `total` and `computing` then mean
// the same, and the smaller one counts.
struct TimePolicy {
  // From acceptance to the end. All waits are included, also the wait for a free sandbox.
  std::optional<std::chrono::milliseconds> total = std::chrono::milliseconds(5000);
  // The guest's own time: it computes, or waits only for its own timers. Waits for tools, for the
  // client of a task, and for its turn do not count.
  std::optional<std::chrono::milliseconds> computing = {};
  // Processor time of the threads that ran the guest.
  std::optional<std::chrono::milliseconds> cpu = {};
};

// What one execution may use. Every limit has a default. An execution that meets one ends, and its
// report still has the logs and calls so far.
struct Limits {
  TimePolicy time = {};

  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  // for the whole sandbox; 4 GiB at most
  std::size_t log_lines = 100;
  std::size_t log_chars = 64'000;                     // UTF-16 units, as JavaScript counts
  std::size_t message_bytes = std::size_t{64} << 20;  // a result or a tool's input or answer
  std::size_t nesting = 1000;
  std::size_t pending_calls = 10'000;
};

// A tool call. A report lists them in the order of calling.
struct CallRecord {
  std::string provider = {};
  std::string tool = {};
  std::chrono::microseconds started{};  // since the execution's start
  std::chrono::microseconds took{};
  bool answered = false;
  bool ok = false;
  std::uint64_t input_bytes = 0;   // as they left the sandbox
  std::uint64_t answer_bytes = 0;  // as they came back
  std::string error = {};          // if it failed: code and message, cut short
};

struct SourceLocation {
  std::string file = {};
  std::uint32_t line = 0;    // from 1
  std::uint32_t column = 0;  // from 1

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

struct ErrorCause {
  std::string name = {};
  std::string message = {};
  std::string stack = {};
};

// The line of an error and a few before it, for people. Long lines are cut.
struct SourceExcerpt {
  std::uint32_t first_line = 0;
  std::vector<std::string> lines = {};  // the last is the line of the error
  std::string before = {};              // the text on that line before the error
};

// A tool call whose failure the program did not catch.
struct FailedCall {
  std::string provider = {};
  std::string tool = {};
  std::string input = {};  // as text, cut short
};

// Why an execution failed: the error, and where and how it happened. Its code is one of
// syntax_error, runtime_error, timeout, memory_limit, stack_overflow, serialization_error,
// cancelled, overloaded, sandbox_error, internal_error, or that of the tool whose failure was not
// caught.
struct CORDON_API ExecutionError : Error {
  std::string name = {};   // the name of the thrown error
  std::string stack = {};  // the guest's stack
  std::vector<ErrorCause> causes = {};
  std::optional<SourceLocation> location = {};
  std::string function = {};   // the innermost function, if it has a name
  SourceExcerpt excerpt = {};  // the text at the location
  // Hints beside the message: a sentence, and its parts. The message stays as it was thrown.
  std::string hint = {};
  std::vector<std::string> suggestions = {};  // names that are similar to an unknown one
  std::optional<FailedCall> call = {};        // the call that failed, if a tool did
  // For a serialization_error: what was refused ("a function") and where in the value
  // ("a[1].deep").
  std::string reason = {};
  std::string place = {};
  bool may_leave_as_json = false;  // with ValueRule::json the value may leave, as far as is known
  // The program did not catch the failure of a tool, and code and message are that tool's.
  bool from_tool = false;

  ExecutionError() = default;
  ExecutionError(Error error) : Error(std::move(error)) {}  // NOLINT(google-explicit-constructor)
};

// Why a report has a warning. The names are stable. New ones may be added.
enum class WarningCode : std::uint8_t {
  unawaited_call,    // the program did not wait for a tool call, which was answered all the same
  open_call,         // a tool call had no answer when the execution ended
  open_timer,        // a function was still waiting for its time, so it did not run
  no_result,         // the program computed something, and its result is undefined
  ignored_argument,  // a tool takes one argument and was called with more
  unfinished,        // a limit of time ended what the program had begun and not awaited
};

// The enumerator's own name: "open_call".
CORDON_API std::string_view name_of(WarningCode code);

// The program ended, but its author probably meant something else.
struct Warning {
  WarningCode code = WarningCode::unawaited_call;
  std::string message = {};  // what happened and what to write instead
  std::optional<SourceLocation> location = {};

  friend bool operator==(const Warning&, const Warning&) = default;
};

// What a report holds.
enum class ReportKind : std::uint8_t {
  failure,
  result,
  suspended,  // an image that waits for answers (ExecuteOptions::suspend_on, Engine::resume)
};

struct Report {
  ReportKind kind = ReportKind::failure;
  Value result = {};          // ReportKind::result
  ExecutionError error = {};  // ReportKind::failure
  Suspended suspended = {};   // ReportKind::suspended

  std::vector<LogLine> logs = {};
  bool logs_truncated = false;
  std::uint64_t logs_left_out = 0;     // lines past the limits, which were dropped
  std::vector<Warning> warnings = {};  // also of a program that has a result
  std::vector<CallRecord> calls = {};  // the first ten thousand
  std::uint64_t call_count = 0;
  std::chrono::microseconds duration{};        // from acceptance to the end
  std::chrono::microseconds computing_time{};  // the part of it that the guest itself took
  std::uint64_t memory_bytes = 0;              // the sandbox's memory at its end

  bool ok() const { return kind == ReportKind::result; }
  bool failed() const { return kind == ReportKind::failure; }
  bool is_suspended() const { return kind == ReportKind::suspended; }
};

// How a program is read, where conventions differ.
enum class ProgramRule : std::uint8_t {
  // A program that is one function and nothing else is called. It may stand in the one code fence
  // of a Markdown text. An unhandled rejection fails the program.
  cordon,
  // Only a function declaration or an async arrow function is called. Any other function is a
  // value, which may not leave. Only a text that is one code fence as a whole is taken out of it.
  // Unhandled rejections are ignored.
  execbox,
};

struct ExecuteOptions {
  Limits limits = {};
  std::vector<Provider> providers = {};
  // The global `input`, and the argument of a program that is a function.
  std::optional<Value> input = {};
  std::string name = "program.js";  // as stacks and locations show it
  // What the program may import, by name: {"./lib.js", "export …"}. It may import any of them as
  // text or as bytes, too.
  std::map<std::string, std::string, std::less<>> modules = {};
  // A folder whose files, and those in folders below it, may be imported too: "./lib/a.js". They
  // are read when they are imported. Neither `..` nor a symbolic link leads out of the folder.
  // Modules are .js, .mjs, .cjs, .json, .ts, .mts and .cts files, unless the name of the file or of
  // a folder on the way begins with a dot. Some other endings may be imported as text or bytes.
  std::string module_folder = {};
  // Files in that folder that no import may reach, by any name or link, such as secrets, keys and
  // configurations.
  std::vector<std::string> private_files = {};
  ProgramRule program = ProgramRule::cordon;
  ValueRule values = ValueRule::strict;
  // A call of one of these tools ("provider.tool", or "tool" for any provider) is not made. It
  // suspends the execution as soon as the calls of other tools have been answered. See
  // Engine::resume.
  std::vector<std::string> suspend_on = {};
  // The request that the execution is part of, as its tools see it (Reply::origin).
  CallOrigin origin = {};
  // Observers. The thread that drives the guest calls them while it runs, so do not wait in them.
  std::function<void(const LogLine&)> on_log = {};
  std::function<void(const CallRecord&)> on_call = {};    // a call was made
  std::function<void(const CallRecord&)> on_answer = {};  // a call was answered
  std::function<void()> on_wait = {};  // the guest has nothing to do until a tool answers
};

namespace detail {

// The implementation of an Execution.
class CORDON_API RunningExecution {
 public:
  virtual Report get() = 0;
  virtual void then(std::move_only_function<void(Report)> done) = 0;
  virtual void cancel() = 0;

 protected:
  ~RunningExecution() = default;
};

}  // namespace detail

// A running execution. It runs on if you drop the handle. Use one of get, future, then or co_await,
// once.
//
//   Report report = engine.execute("1 + 1").get();
//   Report report = co_await engine.execute("1 + 1");
//   engine.execute("1 + 1").then([](Report report) { … });
class CORDON_API Execution {
 public:
  explicit Execution(std::shared_ptr<detail::RunningExecution> running)
      : running_(std::move(running)) {}

  // Waits for the end. If the engine has no workers, this thread runs the guest meanwhile. That is
  // the quickest way to run one execution after the other, since no other thread has to wake up.
  Report get() { return running_->get(); }
  std::future<Report> future();
  // Calls `done` once, on the thread that ends the execution, or at once if it has ended.
  void then(std::move_only_function<void(Report)> done) { running_->then(std::move(done)); }

  // Ends the execution at once with the code `cancelled`. No more guest code runs, not even a
  // `finally`. Any thread may call it at any time. After the end it does nothing.
  void cancel() { running_->cancel(); }

  class Awaiter {
   public:
    explicit Awaiter(Execution& execution) : execution_(execution) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
      execution_.then([this, waiter](Report report) {
        report_ = std::move(report);
        waiter.resume();
      });
    }
    Report await_resume() { return std::move(report_); }

   private:
    Execution& execution_;
    Report report_;
  };
  Awaiter operator co_await() { return Awaiter(*this); }

 private:
  std::shared_ptr<detail::RunningExecution> running_;
};

}  // namespace cordon
