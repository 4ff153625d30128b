#include "cordon/host/idle_threads.h"

namespace cordon::host {

IdleThreads::Ticket IdleThreads::prepare() {
  idle_.fetch_add(1);
  const MutexLock lock(mutex_);
  return signals_;
}

void IdleThreads::wait(Ticket ticket, std::optional<Instant> until) {
  {
    MutexLock lock(mutex_);
    while (signals_ == ticket) {
      if (!until) {
        changed_.wait(lock);
      } else if (!changed_.wait_until(lock, *until)) {
        break;
      }
    }
  }
  idle_.fetch_sub(1);
}

bool IdleThreads::signal() {
  if (idle_.load() == 0) return false;
  const MutexLock lock(mutex_);
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
