#pragma once

// One execution from its acceptance to its report. Its parts know nothing about each other, and
// this class joins them in turns: the texts (SourcePrep), the guest and the notes of what it did,
// the tools behind its calls (ToolTable), the calls themselves (CallLedger), its times (Clocks) and
// its end (Ending).
//
// The Scheduler gives it turns, one thread at a time. Functions that other threads may call are
// marked. They go through the Scheduler, which brings what they deliver to a turn.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/host/clocks.h"
#include "cordon/host/delivery.h"
#include "cordon/host/ending.h"
#include "cordon/host/guest_notes.h"
#include "cordon/host/image_start.h"
#include "cordon/host/log_book.h"
#include "cordon/host/missing_names.h"
#include "cordon/host/seat.h"
#include "cordon/host/source_prep.h"
#include "cordon/host/start.h"
#include "cordon/host/task_port.h"
#include "cordon/host/tool_table.h"
#include "cordon/host/turn_answers.h"
#include "cordon/host/warnings.h"
#include "cordon/js/guest.h"
#include "cordon/provider.h"

namespace cordon::host {

class Scheduler;

enum class Turn {
  again,    // its slice is over and there is more to do
  waiting,  // for a delivery, or for next_timer()
  finished,
};

// What ends an execution before it has come to its end.
enum class EndedBy { caller, deadline };

class ExecutionState final : public CallSink,
                             public detail::RunningExecution,
                             public std::enable_shared_from_this<ExecutionState> {
 public:
  ExecutionState(std::shared_ptr<Scheduler> scheduler, Start start, ExecuteOptions options,
                 Instant now);
  ~ExecutionState();

  // Any thread.
  void answer(std::uint64_t call, Result<Value> result) override;
  std::stop_token stop_token() override { return ending_.stop_token(); }
  const CallOrigin& origin() const override { return origin_; }
  void invoke(std::string_view function, Value input, Reply reply);
  void cancel() override;
  // For a task: answers a call that its port got.
  void answer_port(Delivery::PortAnswer answer);
  // For a task: tells it that its answer is not wanted any more, and ends it soon after.
  void abort();
  void then(Ending::Done done) override { ending_.then(std::move(done)); }
  // Drives the engine meanwhile where it has no workers.
  Report get() override;
  Scheduler& scheduler() { return *scheduler_; }

  // The prepared module, after the end of an execution that prepares one.
  const std::shared_ptr<const PreparedModule>& prepared() const { return prepared_; }

  // Only the scheduler calls these, while the execution is `running`.
  Turn run(const js::GuestModule& module, Instant now, Duration slice);
  void refuse(ExecutionError error) { finish(std::move(error)); }
  void end(EndedBy cause);
  // Hands the report over. Call it once the sandbox is free for the next execution.
  void announce() { ending_.announce(); }
  void deliver(std::vector<Delivery> deliveries);
  // When it needs a turn without a delivery: for a timer of the guest, or to be ended.
  std::optional<Instant> next_timer() const;
  std::optional<Instant> deadline() const { return clocks_.deadline(); }
  bool is_late(Instant now) const { return clocks_.is_late(now); }
  // Gives its sandbox back while it waits. The next turn takes another.
  bool hibernate();
  std::size_t hibernating_bytes() const { return guest_->hibernating_bytes(); }
  std::atomic<bool>& cancel_requested() { return cancel_requested_; }

  // The scheduler's own.
  Seat& seat() { return seat_; }

 private:
  // What it begins with.
  bool is_to_prepare() const { return std::holds_alternative<ModuleToPrepare>(start_); }
  TaskPort* port() const;  // null unless it is a task

  // The steps of a turn. One that returns a Turn ends the turn; nothing means that it continues.
  std::optional<Turn> set_up(const js::GuestModule& module, Instant& now, Instant end);
  js::GuestStep run_guest(Instant& now, Instant end);
  std::optional<Turn> end_of(js::GuestStep step, bool answered);
  std::optional<Turn> wait(Instant now);
  std::optional<Turn> check_limits(Instant now);
  Turn finish_with(ExecutionError error);
  void begin_strip();
  std::optional<Turn> run_strip(Instant now, Instant end);
  Result<> start(const js::GuestModule& module);
  bool waits_for_others() const;
  // Once the program has its result or has failed.
  bool has_failed() const;
  bool is_over_at_once() const;
  bool waits_for_calls() const;

  // execution_image.cc
  Result<> start_from_image();
  bool is_to_suspend() const;
  void finish_suspended();

  // execution_calls.cc: shows what the guest did to observers and sends its calls to tools, as far
  // as there is time until `end`. True if the guest can run on: something was answered at once, or
  // calls are left.
  bool act_on_notes(Instant end);
  void tell_ready();
  bool act_on_calls(Instant end);
  bool act_on_port_calls();
  void call_tool(NotedCall noted);
  void take_answer(Delivery::Answer answer);
  void settle(Delivery::Answer answer, Instant now);
  void settle_port(Delivery::PortAnswer answer);
  void take_invocation(Delivery::Invocation invocation);
  void begin_abort(Instant now);
  void reply_to(NotedReply noted);
  void fail_service(const ExecutionError& error);

  // The end.
  void finish(Report report);
  void finish(ExecutionError error);
  void finish(js::Outcome outcome);
  void finish_decided(Rest rest);
  Given given() const;  // borrows from this execution

  const std::shared_ptr<Scheduler> scheduler_;
  Start start_;
  ExecuteOptions options_;   // without what the parts below have taken
  const CallOrigin origin_;  // not in options_, since tools may ask for it after the end
  // Pays for all values that the host holds for the guest: the inputs of its calls, answers that it
  // has not taken yet, its result. A value counts until it is destroyed, wherever a tool keeps it.
  const std::shared_ptr<Budget> budget_;
  std::atomic<bool> cancel_requested_ = false;

  Clocks clocks_;
  ToolTable tools_;
  SourcePrep source_;
  LogBook logs_;
  CallLedger calls_;
  GuestNotes notes_;
  std::unique_ptr<js::Guest> guest_;
  TurnAnswers answers_;

  // For an execution that ends as an image: the calls that it is suspended on, or the module.
  std::vector<OpenCall> suspended_calls_;
  std::shared_ptr<const PreparedModule> prepared_;

  // For a module whose functions are called.
  bool is_ready_ = false;  // it has told which functions there are
  std::vector<std::string> functions_;
  std::unordered_map<std::uint64_t, Reply> replies_;
  std::uint64_t last_invocation_ = 0;

  Rest rest_ = Rest::done;
  Ending ending_;
  Seat seat_;
};

}  // namespace cordon::host
