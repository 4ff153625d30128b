#include "cordon/runners/runner_job.h"

#include <future>
#include <utility>

#include "cordon/host/failure.h"

namespace cordon::runners {

RunnerJob::RunnerJob(std::string job_code, ExecuteOptions job_options,
                     std::shared_ptr<Turns<RunnerJob>> turns,
                     std::shared_ptr<tools::CallTimer> timer)
    : code(std::move(job_code)),
      options(std::move(job_options)),
      total_(options.limits.time.total),
      turns_(std::move(turns)),
      timer_(std::move(timer)) {}

Report RunnerJob::get() {
  std::promise<Report> promise;
  std::future<Report> report = promise.get_future();
  then([promise = std::move(promise)](Report made) mutable { promise.set_value(std::move(made)); });
  return report.get();
}

void RunnerJob::cancel() {
  std::shared_ptr<RemoteLoop::Driven> driven;
  {
    const MutexLock lock(mutex_);
    driven = driven_;
  }
  if (driven != nullptr) return RemoteLoop::cancel(*driven);
  turns_->leave(*this);
  fail(host::cancelled());
}

void RunnerJob::watch_time() {
  if (!total_) return;
  const auto key = timer_->call_at(accepted + *total_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end_late();
  });
  {
    const MutexLock lock(mutex_);
    if (!is_ended_ && driven_ == nullptr && !timer_key_) {
      timer_key_ = key;
      return;
    }
  }
  timer_->drop(key);
}

void RunnerJob::end_late() {
  {
    const MutexLock lock(mutex_);
    if (driven_ != nullptr) return;
  }
  turns_->leave(*this);
  fail(host::timed_out());
}

bool RunnerJob::is_ended() const {
  const MutexLock lock(mutex_);
  return is_ended_;
}

void RunnerJob::drive(std::shared_ptr<RemoteLoop::Driven> driven) {
  std::optional<tools::CallTimer::Key> key;
  bool is_ended = false;
  {
    const MutexLock lock(mutex_);
    key = std::exchange(timer_key_, std::nullopt);
    is_ended = is_ended_;
    if (!is_ended) driven_ = driven;
  }
  if (key) timer_->drop(*key);
  // It ended while it was prepared, or its loop was quick.
  if (is_ended) RemoteLoop::cancel(*driven);
}

void RunnerJob::fail(ExecutionError error) {
  Report report;
  report.error = std::move(error);
  report.duration = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - accepted);
  end(std::move(report));
}

void RunnerJob::end(Report report) {
  if (!ending_.begin()) return;
  std::shared_ptr<RemoteLoop::Driven> driven;
  std::optional<tools::CallTimer::Key> key;
  {
    const MutexLock lock(mutex_);
    is_ended_ = true;
    driven = std::move(driven_);
    key = std::exchange(timer_key_, std::nullopt);
  }
  if (key) timer_->drop(*key);
  ending_.make(std::move(report));
  ending_.announce();
}

}  // namespace cordon::runners
