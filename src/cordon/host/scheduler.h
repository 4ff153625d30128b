#pragma once

// Gives executions their turns. Workers are one driver of it; a caller's own thread is another.
//
// New and woken executions go before those that used up a slice, but every eighth turn is for the
// latter. Each worker has a lane of executions. It takes from another lane when its own has nothing
// as urgent: a fresh execution of another lane goes before a spent one of its own. Without workers
// there is one lane.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/engine.h"
#include "cordon/host/admission.h"
#include "cordon/host/deferred_destroy.h"
#include "cordon/host/execution_state.h"
#include "cordon/host/idle_threads.h"
#include "cordon/host/lanes.h"
#include "cordon/host/quota.h"
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
  // Delivers a place that the execution waits for. False if the execution has ended; the place is
  // then left as it is.
  bool offer(ExecutionState& execution, StripPlaces::Place& place);
  void cancel(ExecutionState& execution);
  // For a task: ends it if it has not begun. If it has, tells it, and it has a moment left.
  void abort(ExecutionState& execution);

  // Gives turns until `over` returns true. It is asked after each turn and each wake-up.
  void drive_until(const std::function<bool()>& over);
  Instant run_some(Duration budget);
  bool has_workers() const { return options_.workers > 0; }

  // Takes a guest that has ended. Giving a large memory back takes a millisecond for each ten
  // megabytes, so the report of the execution is handed over before that.
  void destroy_later(std::unique_ptr<js::Guest> guest);

  // Cancels all executions, refuses new ones, and waits for the workers.
  void shut_down();
  Engine::Figures load() const;
  void give_memory_back() const;
  const EngineOptions& options() const { return options_; }
  TypeScriptService& typescript() { return typescript_; }

 private:
  using Shared = Lane::Shared;
  using Slots = Seat::Slots;
  using Phase = Seat::Phase;

  // A lane with its lock held.
  struct Held {
    explicit Held(Lane& of) : lane(of), lock(of.mutex) {}
    Lane& lane;
    std::unique_lock<std::mutex> lock;
  };

  void start_workers();
  void work(std::size_t number);

  // Call these without a lock.
  void run_turn(Lane::Taken taken);
  void pass_on(Slots::Slot slot);
  bool run_due_timers(Instant now);
  void wait_idle(const std::function<bool()>& over);
  static void announce(ExecutionState& execution);

  // Call these with the lock of the execution's lane.
  void make_ready(Held& held, const Shared& execution);
  void begin_wait(Held& held, const Shared& execution);
  void watch_time(Held& held, ExecutionState& execution);
  void notify();
  // These release the lock in between or at their end.
  bool run_timers(Held& held, Instant now);
  void hibernate(Held& held, const Shared& execution, Quota::Token one);
  void end_now(Held& held, const Shared& execution, EndedBy cause);
  void ended(Held& held, ExecutionState& execution);

  // How long an execution that may hibernate keeps its slot while it waits.
  std::chrono::milliseconds hibernate_delay() const;

  const EngineOptions options_;
  // Destroyed by shut_down(). A Module that outlives the engine keeps only this shell alive.
  std::unique_ptr<js::GuestModule> module_;
  const std::shared_ptr<sandbox::IdleSlots> idle_slots_;  // null where there is no pool
  std::optional<Ticker> ticker_;
  TypeScriptService typescript_;
  DeferredDestroy<js::Guest> doomed_;  // one at most: the pool has one more slot for it

  Slots slots_;
  Quota hibernated_;
  Quota hibernated_bytes_;
  IdleThreads idle_;
  std::atomic<bool> over_ = false;
  Lanes lanes_;
  std::vector<std::thread> workers_;
};

}  // namespace cordon::host
