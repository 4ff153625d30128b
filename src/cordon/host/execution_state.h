#pragma once

// One execution from its acceptance to its report: the guest, its tools, its limits and its logs.
//
// The Scheduler gives it turns, one thread at a time. What other threads may call is marked; it
// goes through the Scheduler's lock.

#include <atomic>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/execution.h"
#include "cordon/host/call_ledger.h"
#include "cordon/host/image_start.h"
#include "cordon/host/log_book.h"
#include "cordon/host/module_folder.h"
#include "cordon/host/module_names.h"
#include "cordon/host/start.h"
#include "cordon/host/strip_places.h"
#include "cordon/host/stripping.h"
#include "cordon/host/task_port.h"
#include "cordon/js/guest.h"
#include "cordon/provider.h"

namespace cordon::host {

class Scheduler;

// What other threads bring: an answer to a call, or a call of a function that a service exports.
struct Delivery {
  struct Answer {
    std::uint64_t call;
    std::expected<Value, js::CallFailure> result;
  };
  struct Invocation {
    std::string function;
    Value input;
    Reply reply;
  };
  // Of a call on a TaskPort: nothing more than that it is done, bytes, or why not.
  struct PortAnswer {
    std::uint64_t call;
    std::variant<std::monostate, Bytes, js::CallFailure> content;
  };
  struct Abort {};
  // A StripPlaces::Place: that which it waits for.
  std::variant<Answer, Invocation, PortAnswer, Abort, StripPlaces::Place> content;
};

enum class Turn {
  again,    // its slice is over and there is more to do
  waiting,  // for a delivery, or for next_timer()
  finished,
};

// Where the Scheduler has it.
// `woken`: it gave its slot back while it waited, and wants one again.
enum class Phase { queued, ready, running, waiting, woken, finished };

class ExecutionState final : public CallSink,
                             public std::enable_shared_from_this<ExecutionState>,
                             private js::GuestEvents {
 public:
  ExecutionState(std::shared_ptr<Scheduler> scheduler, Start start, ExecuteOptions options,
                 Instant now);
  ~ExecutionState();

  // Any thread.
  void answer(std::uint64_t call, Result<Value> result) override;
  void fail(std::uint64_t call, ToolFailure failure) override;
  std::stop_token stop_token() override;
  const CallOrigin& origin() const override { return origin_; }
  void invoke(std::string_view function, Value input, Reply reply);
  void cancel();
  // Of a task: answers a call that its port got.
  void answer_port(Delivery::PortAnswer answer);
  // Of a task: tells it that nobody wants its answer, and ends it soon after.
  void abort();
  void then(std::function<void(Report)> done);
  Scheduler& scheduler() { return *scheduler_; }

  // After its end, where it was to be prepared.
  const std::shared_ptr<const PreparedModule>& prepared() const { return prepared_; }

  // The scheduler, with a turn.
  Turn run(const js::GuestModule& module, Instant now, Duration slice);
  void refuse(ExecutionError error);
  // Hands the report over, once the sandbox is free for the next.
  void announce();
  void deliver(std::vector<Delivery> deliveries);
  // When it wants a turn without a delivery: for a timer of the guest's, or to be ended.
  std::optional<Instant> next_timer() const;
  std::optional<Instant> deadline() const { return deadline_; }
  // Gives its sandbox back while it waits; the next turn takes another.
  bool doze();
  std::size_t dozing_bytes() const { return guest_->dozing_bytes(); }
  bool is_late(Instant now) const { return deadline_ && now >= *deadline_; }
  std::atomic<bool>& cancel_requested() { return cancel_requested_; }

  // The scheduler, under its lock.
  Phase phase = Phase::queued;
  std::vector<Delivery> inbox;
  bool has_slot = false;
  bool is_asleep = false;  // it gave its slot back
  std::size_t asleep_bytes = 0;
  std::optional<Instant> timer;
  std::optional<Instant> doze_at;

 private:
  struct NotedCall {
    std::uint64_t call;
    std::uint32_t tool;
    Result<Value> input;  // an error: there is too much on its way already
    std::size_t bytes;
    std::string name = {};  // of a function of an open namespace
  };
  struct NotedReply {
    std::uint64_t call;
    js::Outcome outcome;
  };

  void on_call(std::uint64_t call, std::uint32_t tool, Result<Value> input,
               std::size_t bytes) override;
  bool on_named_call(std::uint64_t call, std::uint32_t tool, std::string name, Result<Value> input,
                     std::size_t bytes) override;
  bool on_port(js::PortCall call) override;
  void on_log(js::LogLevel level, std::string_view text) override;
  void on_finish(js::Outcome outcome) override;
  void on_ready(std::vector<std::string> functions) override;
  void on_reply(std::uint64_t call, js::Outcome outcome) override;
  Result<std::string> resolve(std::string_view base, std::string_view specifier) override;
  std::optional<Result<js::Stripped>> load(std::string_view name) override;

  ModuleSources module_sources() const;
  std::string import_base() const;
  bool is_to_prepare() const { return std::holds_alternative<ModuleToPrepare>(start_); }
  // Of a task; else null.
  TaskPort* port() const {
    const auto* task = std::get_if<TaskFromImage>(&start_);
    return task == nullptr ? nullptr : task->port.get();
  }
  struct WrittenText {
    std::string_view text;
    std::uint32_t first_line;
  };
  WrittenText written_text() const;

  Result<> start(const js::GuestModule& module);
  // execution_image.cc
  void find_tools_of_image();
  void find_tools_to_sleep_on();
  Result<> start_from_image();
  bool is_to_sleep() const;
  void finish_asleep();
  // execution_types.cc. TypeScript: the program's own text, before the guest's start where it is
  // known to be that, or after the guest's parser has refused it; and modules that the guest
  // imports, while it waits in the import.
  bool is_to_strip(const js::Outcome& outcome) const;
  void begin_strip(std::string source);
  // Nothing: it is done, and the guest may run.
  std::optional<Turn> run_strip(Instant now, Instant end);
  std::optional<Turn> end_program_strip(Result<js::Stripped> done);
  std::optional<Turn> end_module_strip(Result<js::Stripped> done);
  Instant slice_end(Instant now, Duration slice) const;
  bool wake_is_due(Instant now) const;
  void note_wake(Instant now);
  std::optional<ExecutionError> limit_met(Instant now) const;
  bool waits_for_others() const;
  void count_idle_time(Instant now);
  // What the guest did while it ran: shown to observers, sent to tools, as far as there is time
  // until `end`. True where it can go on: something was answered at once, or calls are left.
  bool act_on_notes(Instant end);
  bool act_on_port_calls();
  void settle_port(Delivery::PortAnswer answer);
  void begin_abort(Instant now);
  void call_tool(NotedCall noted);
  void take_answer(Delivery::Answer answer);
  void settle(Delivery::Answer answer, Instant now);
  void reply_to(NotedReply noted);
  SourceExcerpt excerpt_at(const SourceLocation& location) const;
  void finish(Report report);
  void finish(ExecutionError error);
  void finish(js::Outcome outcome);
  void fail_service(const ExecutionError& error);

  const std::shared_ptr<Scheduler> scheduler_;
  Start start_;
  ProgramText text_;     // out of start_; empty where it begins from an image
  std::string written_;  // as it was before its types were stripped; empty: it still is
  ExecuteOptions options_;
  const CallOrigin origin_;  // apart, since tools may ask for it after the end
  const Instant accepted_;
  // For all values that the host holds for the guest: inputs of its calls, answers that it has not
  // taken yet, its result. They count until the last of them goes, wherever a tool keeps it.
  std::shared_ptr<Budget> budget_;
  std::optional<Instant> deadline_;
  std::optional<Instant> wake_at_;  // the guest's next timer
  std::atomic<bool> cancel_requested_ = false;

  std::unique_ptr<js::Guest> guest_;
  std::unique_ptr<Stripping> strip_;
  // What the guest waits for in an import, until its types are stripped.
  struct ModuleText {
    std::string name;
    std::string source;
  };
  std::optional<ModuleText> wanted_module_;
  bool looked_for_types_ = false;
  // What the JavaScript parser said, while there are types to look for.
  std::optional<js::Outcome> refused_text_;
  std::vector<js::Namespace> namespaces_;
  // A guest's number for a tool -> what is behind it. One of the two is null: an open namespace has
  // a number for all the names that it does not list.
  struct ToolPlace {
    const std::string* provider;
    const Tool* tool;
    const AnyToolFunction* any;

    const std::string& name_of(const std::string& named) const {
      return tool != nullptr ? tool->name : named;
    }
  };
  bool is_to_sleep_on(std::uint32_t tool, const std::string& name) const;
  bool is_in_sleep_on(const std::string& provider, const std::string& tool) const;
  std::vector<ToolPlace> tools_;
  ModuleFolder folder_;
  // Of an image, where what it knows is not what this execution was given.
  std::deque<Tool> stand_in_tools_;
  std::deque<AnyToolFunction> stand_in_any_;
  std::vector<bool> sleeps_on_;  // by tool; empty: on none. Of an open one its name decides
  std::vector<OpenCall> asleep_calls_;
  std::shared_ptr<const PreparedModule> prepared_;
  std::vector<std::string> functions_;  // of a module that is to be prepared
  LogBook logs_;
  CallLedger calls_;
  Duration own_time_{};
  // Since when it waits for nobody but itself: for its timers, or for nothing at all.
  std::optional<Instant> idle_since_;
  bool is_aborted_ = false;
  // Of a module whose functions are called: it has told which there are. busy_time_ is what it took
  // since it last waited: its calls have a limit, it as a whole has none.
  bool is_ready_ = false;
  Duration busy_time_{};
  Duration cpu_time_{};

  // Notes of the turn.
  std::vector<NotedCall> noted_calls_;
  std::vector<LogLine> noted_logs_;
  std::vector<NotedReply> noted_replies_;
  std::optional<std::vector<std::string>> noted_ready_;
  std::optional<js::Outcome> outcome_;
  bool violated_ = false;  // the guest did what our shim does not: something else speaks there
  std::vector<Delivery::Answer> answered_at_once_;

  std::vector<js::PortCall> noted_port_calls_;
  std::size_t noted_port_bytes_ = 0;
  std::vector<Delivery::PortAnswer> port_answers_at_once_;

  std::unordered_map<std::uint64_t, Reply> replies_;
  std::uint64_t last_invocation_ = 0;

  std::mutex end_mutex_;
  bool ended_ = false;
  bool announced_ = false;
  std::optional<Report> report_;
  std::function<void(Report)> done_;
  std::optional<std::stop_source> stop_;
  bool is_over_ = false;  // also once the report is handed on
};

}  // namespace cordon::host
