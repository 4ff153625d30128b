#pragma once

// A part of the Scheduler's executions: those that are ready, the timers of those that wait, and
// all that live. There is one for each worker, so that workers do not meet at one lock; an
// execution stays with the lane that it was submitted to. All members are under the mutex, apart
// from the hints, which anybody may read to see whether it is worth taking the lock.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/seat.h"

namespace cordon::host {

struct alignas(64) Lane {
  using Shared = std::shared_ptr<ExecutionState>;
  enum class Queue : std::uint8_t { fresh, spent };

  // An execution that has its turn now, with what came for it.
  struct Taken {
    Shared execution;
    std::vector<Delivery> deliveries;
  };

  void add_living(const Shared& execution);
  void remove_living(ExecutionState& execution);

  // Makes it ready.
  void push(Queue queue, const Shared& execution);
  // The next that is ready, which is running then. Those that ended in the queue are skipped.
  std::optional<Taken> take(Queue queue);
  // Which queue goes first this time: every eighth turn it is that of the spent ones.
  Queue first_queue();
  // Every so often others' executions go before those of this lane: their worker may be held up by
  // a tool that takes long, and no worker may be idle.
  // Not in a turn that is for spent ones.
  bool is_to_look_around() const { return turns % turns_between_looks == 1; }
  bool has_ready() const { return !queues[0].empty() || !queues[1].empty(); }

  // Takes out all that lie in the queues. For the end, when none of them lives.
  std::vector<Shared> clear_queues();

  // Sets, moves or removes its timer. True where it is the first of the lane now.
  bool set_timer(ExecutionState& execution, std::optional<Instant> at);
  std::optional<Instant> first_timer() const;
  // The first one that is due, without its timer then; or null.
  Shared take_due(Instant now);

  // Hints.
  bool may_have(Queue queue) const {
    return counts[index_of(queue)].load(std::memory_order_relaxed) > 0;
  }
  bool may_be_due(Instant now) const {
    return first_due.load(std::memory_order_relaxed) <= now.time_since_epoch().count();
  }

  mutable std::mutex mutex;
  std::vector<Shared> living;

 private:
  static constexpr unsigned turns_between_looks = 32;
  static std::size_t index_of(Queue queue) { return static_cast<std::size_t>(queue); }
  void note_first_timer();

  std::deque<Shared> queues[2];  // by Queue: new or woken ones; those that used up a slice
  unsigned turns = 0;
  std::set<std::pair<Instant, ExecutionState*>> timers;  // of those that live here
  std::atomic<std::size_t> counts[2] = {0, 0};
  std::atomic<Instant::rep> first_due = Instant::max().time_since_epoch().count();
};

}  // namespace cordon::host
