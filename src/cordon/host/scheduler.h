#pragma once

// Gives executions their turns. Workers are one driver of it; a caller's own thread is another.
//
// New and woken executions go before those that used up a slice, which get every eighth turn all
// the same. One lock guards the queues; guests run outside of it.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/engine.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/ticker.h"
#include "cordon/host/typescript_service.h"
#include "cordon/js/guest_module.h"

namespace cordon::host {

class Scheduler : public std::enable_shared_from_this<Scheduler> {
 public:
  static Result<std::shared_ptr<Scheduler>> create(const EngineOptions& options);
  Scheduler(const EngineOptions& options, std::unique_ptr<js::GuestModule> module);
  ~Scheduler();

  void submit(std::shared_ptr<ExecutionState> execution);
  void deliver(ExecutionState& execution, Delivery delivery);
  // Delivers a place that it waits for; false where it has ended, and the place stays where it is.
  bool offer(ExecutionState& execution, StripPlaces::Place& place);
  void cancel(ExecutionState& execution);
  // Of a task: ends it where it has not begun; else tells it, and it has a moment left.
  void abort(ExecutionState& execution);

  // Drives until `over` says so, which is asked after each turn and wake-up.
  void drive_until(const std::function<bool()>& over);
  Instant run_some(Duration budget);
  bool has_workers() const { return !workers_.empty(); }

  // Takes a guest that has ended. Giving a large memory back takes a millisecond for each ten
  // megabytes, and whoever waits for the execution's end is told before that.
  void bury(std::unique_ptr<js::Guest> guest);

  // Cancels all, refuses what comes, waits for the workers.
  void shut_down();
  Engine::Load load() const;
  const EngineOptions& options() const { return options_; }
  TypeScriptService& typescript() { return typescript_; }

 private:
  using Shared = std::shared_ptr<ExecutionState>;
  using Lock = std::unique_lock<std::mutex>;

  void start_workers();
  void forget_buried();
  void work();
  // The next to have a turn, or nothing.
  Shared take_next();
  Shared take_ready(std::deque<Shared>& queue);
  void run_turn(Lock& lock, const Shared& execution);
  void make_ready(const Shared& execution);
  void ended(Lock& lock, const Shared& execution);
  static void announce(const Shared& execution);
  void admit();
  void notify();
  void sleep(Lock& lock);
  void wait_for_delivery(const Shared& execution);
  void forget_timer(ExecutionState& execution);
  // Ends those whose deadline has passed, and wakes those that have a timer of their own.
  void run_timers(Lock& lock, Instant now);
  std::optional<Instant> next_of(const ExecutionState& execution) const;
  // How long one keeps its slot while it waits, where it may sleep.
  std::chrono::milliseconds patience() const;
  // Frees the slot of one that has waited for long.
  bool has_room_for_a_sleeper() const;
  void put_to_sleep(Lock& lock, const Shared& execution);
  void count_awake(ExecutionState& execution);
  // Ends one that has no turn at the moment.
  void end_now(Lock& lock, const Shared& execution, ExecutionError error);

  const EngineOptions options_;
  const std::unique_ptr<js::GuestModule> module_;
  Ticker ticker_;
  TypeScriptService typescript_;
  std::mutex buried_mutex_;
  std::unique_ptr<js::Guest> buried_;  // one at most, so that its slot is counted for
  std::atomic<bool> has_buried_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Shared> fresh_;      // new or woken
  std::deque<Shared> spent_;      // used up a slice
  std::deque<Shared> admission_;  // wait for a slot
  std::deque<Shared> woken_;      // wait for a slot again
  std::size_t queued_ = 0;        // of admission_, without those that have ended there
  std::size_t slots_used_ = 0;
  std::size_t asleep_ = 0;
  std::uint64_t asleep_bytes_ = 0;
  std::size_t sleepers_ = 0;  // threads that wait for something to do
  unsigned turns_ = 0;
  // What those that wait, for a delivery or for a slot, want to be seen to: next_timer() of each.
  std::set<std::pair<Instant, Shared>> timers_;
  std::unordered_set<Shared> living_;
  bool over_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace cordon::host
