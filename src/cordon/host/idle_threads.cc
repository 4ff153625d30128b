#include "cordon/host/idle_threads.h"

namespace cordon::host {

IdleThreads::Ticket IdleThreads::prepare() {
  idle_.fetch_add(1);
  const std::lock_guard lock(mutex_);
  return signals_;
}

void IdleThreads::wait(Ticket ticket, std::optional<Instant> until) {
  {
    std::unique_lock lock(mutex_);
    const auto is_woken = [&] { return signals_ != ticket; };
    if (until) {
      changed_.wait_until(lock, *until, is_woken);
    } else {
      changed_.wait(lock, is_woken);
    }
  }
  idle_.fetch_sub(1);
}

bool IdleThreads::signal() {
  if (idle_.load() == 0) return false;
  const std::lock_guard lock(mutex_);
  ++signals_;
  return true;
}

void IdleThreads::wake_one() {
  if (signal()) changed_.notify_one();
}

void IdleThreads::wake_all() {
  if (signal()) changed_.notify_all();
}

}  // namespace cordon::host
