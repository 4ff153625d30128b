#include "cordon/host/ending.h"

#include <utility>

namespace cordon::host {

bool Ending::begin() {
  const MutexLock lock(mutex_);
  if (stage_ != Stage::running) return false;
  stage_ = Stage::ending;
  return true;
}

void Ending::make(Report report) {
  std::optional<std::stop_source> stop;
  {
    const MutexLock lock(mutex_);
    report_ = std::make_unique<Report>(std::move(report));
    stage_ = Stage::made;
    stop = stop_;
  }
  if (stop) stop->request_stop();
}

void Ending::announce() {
  Done done;
  std::unique_ptr<Report> report;
  {
    const MutexLock lock(mutex_);
    if (stage_ != Stage::made) return;
    stage_ = Stage::announced;
    if (!done_) return;
    done = std::move(done_);
    report = std::move(report_);
  }
  done(*std::move(report));
}

void Ending::then(Done done) {
  std::unique_ptr<Report> report;
  {
    const MutexLock lock(mutex_);
    if (stage_ != Stage::announced) {
      done_ = std::move(done);
      return;
    }
    report = std::move(report_);
  }
  if (report) done(*std::move(report));
}

std::stop_token Ending::stop_token() {
  const MutexLock lock(mutex_);
  if (!stop_) {
    stop_.emplace();
    // There is no token of it yet, so no callback runs here.
    if (stage_ >= Stage::made) stop_->request_stop();
  }
  return stop_->get_token();
}

}  // namespace cordon::host
