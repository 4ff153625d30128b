#pragma once

// Where threads wait that have nothing to do, so that waking costs nothing while none does.
//
//   const auto ticket = idle.prepare();
//   if (there_is_work()) return idle.cancel();
//   idle.wait(ticket, until);
//
// Whoever has made work calls wake_one() after that. There must be a lock that both sides take, the
// maker when it makes work and the idle thread when it looks for some between prepare() and wait().
// Then one of the two sees the other: if the thread looked first, its prepare() came before the
// making, and wake_one() counts it; else it finds the work. No other lock is taken in here.

#include <atomic>
#include <cstdint>
#include <optional>

#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"

namespace cordon::host {

class IdleThreads {
 public:
  using Ticket = std::uint64_t;

  Ticket prepare();
  // Instead of wait().
  void cancel() { idle_.fetch_sub(1); }
  // Until somebody wakes, which may have been since prepare(), or until then.
  void wait(Ticket ticket, std::optional<Instant> until);

  void wake_one();
  void wake_all();

 private:
  bool signal();

  std::atomic<std::uint32_t> idle_ = 0;
  Mutex mutex_;
  Condition changed_;
  std::uint64_t signals_ CORDON_GUARDED_BY(mutex_) = 0;
};

}  // namespace cordon::host
