#pragma once

// One execution of an Executor on a runner elsewhere: from its acceptance, through its turn and its
// preparation, to its report.
//
//   waiting for its turn -> prepared -> driven by a loop -> its report
//
// Any thread may use it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cordon/base/thread_annotations.h"
#include "cordon/execution.h"
#include "cordon/host/ending.h"
#include "cordon/runners/remote_loop.h"
#include "cordon/runners/turns.h"
#include "cordon/tools/call_timer.h"

namespace cordon::runners {

class RunnerJob final : public cordon::detail::RunningExecution,
                        public std::enable_shared_from_this<RunnerJob> {
 public:
  RunnerJob(std::string job_code, ExecuteOptions job_options,
            std::shared_ptr<Turns<RunnerJob>> turns, std::shared_ptr<tools::CallTimer> timer);

  Report get() override;
  void then(std::move_only_function<void(Report)> done) override { ending_.then(std::move(done)); }
  void cancel() override;

  // Ends it at its time, as long as no loop drives it.
  void watch_time();
  // From now on a loop does: it ends what is cancelled or late.
  void drive(std::shared_ptr<RemoteLoop::Driven> driven);
  // Only the first report counts.
  void end(Report report);
  void fail(ExecutionError error);

  bool is_ended() const;

  const Instant accepted = std::chrono::steady_clock::now();
  // What is to be run. The thread that prepares it takes it, once.
  std::string code;
  ExecuteOptions options;

 private:
  void end_late();

  const std::optional<std::chrono::milliseconds> total_;
  const std::shared_ptr<Turns<RunnerJob>> turns_;
  const std::shared_ptr<tools::CallTimer> timer_;
  host::Ending ending_;
  mutable Mutex mutex_;
  bool is_ended_ CORDON_GUARDED_BY(mutex_) = false;
  std::shared_ptr<RemoteLoop::Driven> driven_ CORDON_GUARDED_BY(mutex_);
  std::optional<tools::CallTimer::Key> timer_key_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::runners
