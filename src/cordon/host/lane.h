#pragma once

// A part of the Scheduler's executions: those that are ready, the timers of those that wait, and
// all that live. Each worker has a lane, so that workers do not compete for one lock. An execution
// stays with the lane that it was submitted to. The mutex guards all members, apart from the hints:
// any thread may read those to see whether taking the lock is worthwhile.

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

  // An execution that has its turn now, with its deliveries.
  struct Taken {
    Shared execution;
    std::vector<Delivery> deliveries;
  };

  void add_living(const Shared& execution);
  void remove_living(ExecutionState& execution);

  // Makes the execution ready.
  void push(Queue queue, const Shared& execution);
  // Takes the next execution that is ready and makes it `running`. Skips those that ended in the
  // queue.
  std::optional<Taken> take(Queue queue);
  // Which queue goes first this time. Every eighth turn it is the queue of the spent ones.
  Queue first_queue();
  // Now and then the executions of other lanes go before those of this one: their worker may be
  // held up by a slow tool while no worker is idle. Never in a turn that is for spent ones.
  bool is_to_look_around() const { return turns % turns_between_looks == 1; }
  bool has_ready() const { return !queues[0].empty() || !queues[1].empty(); }

  // Empties the queues, for the end, when none of the executions in them lives.
  std::vector<Shared> clear_queues();

  // Sets, moves or removes an execution's timer. True if it is now the first of the lane.
  bool set_timer(ExecutionState& execution, std::optional<Instant> at);
  std::optional<Instant> first_timer() const;
  // The first execution whose timer is due, or null. Its timer is removed.
  Shared take_due(Instant now);

  // Hints. They may be out of date by the time you read them, so take the lock and look again.
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
