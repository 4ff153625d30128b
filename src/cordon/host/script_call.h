#pragma once

// One call of a ScriptTask: the streams of its request, its answer, and the execution in between.
// The thread that drives the engine calls everything here.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cordon/host/execution_state.h"
#include "cordon/host/script_task.h"
#include "cordon/host/task_input.h"
#include "cordon/host/task_port.h"

namespace cordon::host {

class ScriptCall final : public TaskPort, public std::enable_shared_from_this<ScriptCall> {
 public:
  ScriptCall(std::shared_ptr<const ScriptTaskOptions> options, TaskCall call,
             std::function<void(TaskAnswer)> done);

  // Sets what the execution sees of the request, and who gets its logs.
  void set_up(ExecuteOptions& options);
  // Call run() before the execution is submitted, and watch_client() after it, when the execution
  // may have been refused already.
  void run(std::shared_ptr<ExecutionState> state);
  void watch_client();

  js::TaskRequest request() const override;
  bool take(js::PortCall call) override;
  bool waits_for_client() const override;

  // The reader of a streamed result.
  void read(ByteSource::Next next);
  void close();

 private:
  bool take_stream(ValueView head);
  bool take_write(std::uint64_t call, Bytes bytes);
  bool take_failure(ValueView parts);
  void answer_port(Delivery::PortAnswer answer);
  void answer(TaskAnswer answer);
  void answer_with_stream();
  // Gives the reader what is ready for it.
  void serve_reader();
  void abort();
  void refuse_write(const Error& why);
  void finish(Report report);
  TaskAnswer answer_of(Report& report) const;
  ExecutionError failure_of(const ExecutionError& error) const;
  bool is_reading() const;

  const std::shared_ptr<const ScriptTaskOptions> options_;
  const CallOrigin origin_;
  const Value method_;
  const Value url_;
  const Value headers_;
  const Value contexts_;
  const Value files_;
  const bool has_body_;
  std::function<void(TaskAnswer)> done_;   // empty once it has answered
  std::shared_ptr<ExecutionState> state_;  // null once it has ended
  // Stream 0 is the body, those from 1 on are files.
  std::vector<std::shared_ptr<TaskInput>> inputs_;
  std::stop_token aborted_;
  std::optional<std::stop_callback<std::function<void()>>> on_abort_;
  bool is_aborted_ = false;

  std::optional<TypedError> typed_error_;
  // The result, if it is a stream: its head, whose bytes come later.
  std::optional<StreamedResult> stream_;
  bool is_streaming_ = false;  // and was handed over
  std::deque<Bytes> pieces_;
  std::size_t piece_bytes_ = 0;
  std::uint64_t waiting_write_ = 0;
  std::optional<Error> stream_error_;
  bool is_closed_ = false;  // the reader closed it
  ByteSource::Next next_;
};

}  // namespace cordon::host
