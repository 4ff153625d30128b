#pragma once

// Runs programs on runners elsewhere: gives executions their turns, prepares them, and has a loop
// drive them. No execution has a thread of its own while it waits.

#include <atomic>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/engine.h"
#include "cordon/executor.h"
#include "cordon/runners/link.h"
#include "cordon/runners/manifests.h"
#include "cordon/runners/process_pool.h"
#include "cordon/runners/program_text.h"
#include "cordon/runners/remote_loop.h"
#include "cordon/runners/runner_job.h"
#include "cordon/runners/target.h"
#include "cordon/runners/turns.h"
#include "cordon/tools/blocking_threads.h"
#include "cordon/tools/call_timer.h"

namespace cordon::runners {

// Any thread may use it.
class RunnerHost {
 public:
  // Fails if the runner is no target, or if a process of it cannot be started.
  static Result<std::unique_ptr<RunnerHost>> create(ExecutorOptions options);
  // Cancels all executions, and waits for their ends.
  ~RunnerHost();
  RunnerHost(const RunnerHost&) = delete;
  RunnerHost& operator=(const RunnerHost&) = delete;

  Execution execute(std::string_view code, ExecuteOptions options);
  Executor::Figures figures() const;

 private:
  using Job = std::shared_ptr<RunnerJob>;
  class Preparation;

  RunnerHost(ExecutorOptions options, Target target, Engine reader);

  // These return false where the job has ended at once: its place is free.
  bool begin(const Job& job);
  bool run(const Job& job, Result<std::unique_ptr<Link>> link);
  // To the next that waits, or back.
  void pass_place_on();

  // Nothing where it takes a while.
  std::unique_ptr<Link> open_at_once();
  Result<std::unique_ptr<Link>> open();
  Result<std::unique_ptr<Link>> connect();
  LinkOptions link_options() const;
  std::expected<RemoteOptions, ExecutionError> remote_options(RunnerJob& job);
  void finish(const Job& job, RemoteExecution& execution);

  const ExecutorOptions options_;
  const Target target_;
  const bool needs_lookup_;
  Engine reader_;  // reads programs, and runs none
  ProgramMemo programs_;
  ManifestMemo manifests_;
  const std::shared_ptr<Turns<RunnerJob>> turns_;
  const std::shared_ptr<tools::CallTimer> timer_ = std::make_shared<tools::CallTimer>();
  std::unique_ptr<ProcessPool> pool_;  // of a target that is a process
  // Executions leave these in the order of their end: first who prepares, then who drives.
  std::vector<std::unique_ptr<RemoteLoop>> loops_;
  std::atomic<std::size_t> next_loop_ = 0;
  std::unique_ptr<tools::BlockingThreads> threads_;
};

}  // namespace cordon::runners
