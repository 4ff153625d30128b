#pragma once

// Threads that have nothing to do wait here. Waking costs nothing while no thread waits.
//
//   const auto ticket = idle.prepare();
//   if (there_is_work()) return idle.cancel();
//   idle.wait(ticket, until);
//
// A thread that has made work calls wake_one() afterwards. There must be a lock that both sides
// take: the maker when it makes work, and the idle thread when it looks for work between prepare()
// and wait(). Then one of the two sees the other. If the idle thread looked first, its prepare()
// came before the work was made, and wake_one() counts it. Otherwise it finds the work. This class
// takes no lock but its own.

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
  // Returns at `until`, or once a thread has called wake_one() or wake_all() since prepare().
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
