#include "cordon/host/scheduler.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "cordon/host/failure.h"
#include "cordon/sandbox/idle_slots.h"

// The phases of an execution (Seat::Phase):
//
//   submit -------a slot is free--------------> ready
//   submit -------no slot is free-------------> queued ----a slot--> ready
//   ready --------its turn comes--------------> running
//   running ------its slice is over-----------> ready     (in the queue of the spent)
//   running ------it waits--------------------> waiting
//   waiting ------a delivery or its timer-----> ready, or, if it has hibernated and no slot is
//                                               free, restoring --a slot--> ready
//   running ------its end---------------------> finished
//
// end_now() ends an execution that no thread runs, and hibernate() packs one that waits. Both make
// it `running` meanwhile.
//
// Locks. The lock of its lane guards a seat, and an execution never changes its lane. The thread
// that sets the phase to `running` has the execution to itself from then on, without a lock, until
// it sets another phase: a turn, an end and a hibernation all begin this way. What is delivered
// meanwhile lies in the inbox. begin_wait() looks into the inbox under the lock before it leaves
// the execution waiting, so no delivery is missed.
//
// Order of locks: the lock of one lane, then those inside Admission, IdleThreads or Ticker, which
// take no others. No thread holds the locks of two lanes. That is why a slot is passed on without a
// lane's lock: the execution that gets it may live in any lane.
//
// Lifetime. An execution is among the living of its lane from its submission to its end, and its
// phase is not `finished` for exactly that time. After its end it may still lie in a queue of the
// lane or of the admission; its phase tells a thread that finds it there to skip it.
//
// No callback runs under a lock, apart from EngineOptions::on_ready. That one does, so that it is
// not called after shut_down(): the execution that it is called for lives, under the lock. And what
// may call back when it is destroyed is destroyed after the lock is released: a delivery that is
// dropped answers its caller. This is why some variables are declared before a lock.

namespace cordon::host {
namespace {

Instant clock_now() { return std::chrono::steady_clock::now(); }

// Others get their turn in between.
constexpr int max_hibernations_at_once = 4;
// Where more sandboxes than this are in use, one that waits gives its own back sooner. A sandbox
// that was used once stays resident, so thousands that wait at once would keep thousands of them.
constexpr std::size_t crowd = 128;
constexpr std::chrono::milliseconds hibernate_delay_in_a_crowd(20);

}  // namespace

Result<std::shared_ptr<Scheduler>> Scheduler::create(const EngineOptions& options) {
  const auto slots =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(options.slots, 1, 1'000'000));
  // Three more: a guest that has ended gives its slot back a moment after the next one starts, one
  // guest is destroyed later, and one is there to compare hibernating guests with.
  const auto needed = slots + static_cast<std::uint32_t>(options.workers) + 3;
  // With at least this many slots Wasmtime keeps the slots of each thread apart. Workers then do
  // not take the same slots in turn and move their memory from core to core. It costs addresses
  // only.
  constexpr std::uint32_t slots_kept_apart = 128;
  const auto pooled = options.workers > 1 ? std::max(needed, slots_kept_apart) : needed;
  auto module = CORDON_TRY(js::GuestModule::create({.slots = options.pool ? pooled : 0}));
  try {
    auto scheduler = std::make_shared<Scheduler>(options, std::move(module));
    scheduler->start_workers();
    return scheduler;
  } catch (const std::system_error& error) {
    return fail(ErrorCode::unavailable, std::string("no threads for the engine: ") + error.what());
  }
}

Scheduler::Scheduler(const EngineOptions& options, std::unique_ptr<js::GuestModule> module)
    : options_(options),
      module_(std::move(module)),
      idle_slots_(module_->engine().idle_slots()),
      ticker_(std::in_place, module_->engine()),
      typescript_(options.workers),
      slots_(options.slots, options.queue),
      hibernated_(options.max_hibernated),
      hibernated_bytes_(options.max_hibernated_bytes),
      lanes_(options.workers) {}

Scheduler::~Scheduler() = default;

void Scheduler::destroy_later(std::unique_ptr<js::Guest> guest) {
  // A small one in a pool is freed in microseconds.
  constexpr std::size_t large_bytes = std::size_t{8} << 20;
  if (guest == nullptr || (options_.pool && guest->memory_bytes() < large_bytes)) return;
  doomed_.destroy_later(std::move(guest));
}

// What comes from outside.

void Scheduler::submit(Shared execution) {
  Seat& seat = execution->seat();
  seat.lane = &lanes_.for_new();
  {
    Held held(*seat.lane);
    // shut_down() sets `over_` before it takes this lock: one of them sees the other.
    auto entry = over_ ? decltype(slots_.enter(execution))() : slots_.enter(execution);
    if (auto* const slot = std::get_if<Slots::Slot>(&entry)) {
      seat.slot = std::move(*slot);
      held.lane.add_living(execution);
      make_ready(held, execution);
      return;
    }
    if (auto* const place = std::get_if<Slots::Place>(&entry)) {
      seat.place = std::move(*place);
      seat.phase = Phase::queued;
      held.lane.add_living(execution);
      watch_time(held, *execution);
      return;
    }
    seat.phase = Phase::finished;
  }
  execution->refuse(overloaded("All " + std::to_string(options_.slots) +
                               " sandboxes are in use and " + std::to_string(options_.queue) +
                               " executions wait already"));
  announce(*execution);
}

void Scheduler::deliver(ExecutionState& execution, Delivery delivery) {
  // A delivery that comes too late is destroyed with this parameter, after the lock is released:
  // its destructor may answer a caller, and so come back here.
  Seat& seat = execution.seat();
  Held held(*seat.lane);
  if (seat.phase == Phase::finished) return;
  seat.inbox.push_back(std::move(delivery));
  if (seat.phase == Phase::waiting) make_ready(held, execution.shared_from_this());
}

bool Scheduler::offer(ExecutionState& execution, StripPlaces::Place& place) {
  Seat& seat = execution.seat();
  Held held(*seat.lane);
  if (seat.phase == Phase::finished) return false;
  seat.inbox.push_back({std::move(place)});
  if (seat.phase == Phase::waiting) make_ready(held, execution.shared_from_this());
  return true;
}

void Scheduler::cancel(ExecutionState& execution) {
  execution.cancel_requested() = true;
  Seat& seat = execution.seat();
  Held held(*seat.lane);
  if (seat.phase == Phase::finished || seat.phase == Phase::running) return;
  end_now(held, execution.shared_from_this(), EndedBy::caller);
}

void Scheduler::abort(ExecutionState& execution) {
  Seat& seat = execution.seat();
  Held held(*seat.lane);
  if (seat.phase == Phase::finished) return;
  if (seat.phase == Phase::queued) {
    end_now(held, execution.shared_from_this(), EndedBy::caller);
    return;
  }
  seat.inbox.push_back({Delivery::Abort()});
  if (seat.phase == Phase::waiting) make_ready(held, execution.shared_from_this());
}

// Slots and waits.

// An execution that has hibernated needs a slot first. Where none is free it waits for one, before
// all executions that are new.
void Scheduler::make_ready(Held& held, const Shared& execution) {
  Seat& seat = execution->seat();
  if (!seat.slot) {
    seat.slot = slots_.enter_again(execution);
    if (!seat.slot) {
      seat.phase = Phase::restoring;
      watch_time(held, *execution);
      return;
    }
  }
  seat.hibernated = {};
  held.lane.push(Lane::Queue::fresh, execution);
  notify();
}

void Scheduler::notify() {
  if (!has_workers() && options_.on_ready) options_.on_ready();
  idle_.wake_one();
}

// Gives the slot to the next execution that waits for one and still lives. Call it without a lock:
// it takes the lock of that execution's lane. A loop and not a recursion, since any number of those
// that wait may have ended meanwhile.
void Scheduler::pass_on(Slots::Slot slot) {
  while (slot) {
    auto next = slots_.pass_on(std::move(slot));
    if (!next) return;
    Seat& seat = next->waiter->seat();
    Held held(*seat.lane);
    if (seat.phase == Phase::queued || seat.phase == Phase::restoring) {
      seat.slot = std::move(next->slot);
      seat.place = {};
      make_ready(held, next->waiter);
      return;
    }
    slot = std::move(next->slot);
  }
}

// The only way into `waiting`. What came while the execution was `running` is in the inbox, and a
// cancellation is in the flag: both are checked under the lock that deliver() and cancel() take, so
// either this function sees them or they see the phase `waiting`.
void Scheduler::begin_wait(Held& held, const Shared& execution) {
  Seat& seat = execution->seat();
  seat.phase = Phase::waiting;
  if (!seat.inbox.empty() || execution->cancel_requested()) {
    make_ready(held, execution);
  } else {
    watch_time(held, *execution);
  }
}

void Scheduler::watch_time(Held& held, ExecutionState& execution) {
  const Seat& seat = execution.seat();
  std::optional<Instant> next = execution.deadline();
  // An execution without a slot cannot run, so only its deadline is a reason to wake for it.
  if (seat.phase == Phase::waiting) {
    next = execution.next_timer();
    if (seat.hibernate_at) next = next ? std::min(*next, *seat.hibernate_at) : seat.hibernate_at;
  }
  if (held.lane.set_timer(execution, next)) notify();  // an idle thread must wake sooner
}

std::chrono::milliseconds Scheduler::hibernate_delay() const {
  const bool is_crowded = slots_.used() > crowd;
  return is_crowded ? std::min(*options_.hibernate_after, hibernate_delay_in_a_crowd)
                    : *options_.hibernate_after;
}

// Packing a memory takes long, so it happens without the lock, in the phase `running`. Enters and
// leaves with the lock held.
void Scheduler::hibernate(Held& held, const Shared& execution, Quota::Token one) {
  Seat& seat = execution->seat();
  seat.phase = Phase::running;
  held.lock.unlock();
  const bool has_hibernated = execution->hibernate();
  held.lock.lock();
  Slots::Slot slot;
  if (has_hibernated) {
    seat.hibernated = {std::move(one), hibernated_bytes_.take(execution->hibernating_bytes())};
    slot = std::move(seat.slot);
  }
  begin_wait(held, execution);  // an answer may have come meanwhile
  held.lock.unlock();
  pass_on(std::move(slot));
  held.lock.lock();
}

// The end.

// Ends an execution that no thread runs. Making the report calls observers and drops providers, so
// it happens without the lock. Leaves without the lock, as ended() does.
void Scheduler::end_now(Held& held, const Shared& execution, EndedBy cause) {
  execution->seat().phase = Phase::running;
  execution->seat().place = {};
  held.lock.unlock();
  execution->end(cause);
  held.lock.lock();
  ended(held, *execution);
}

// The order matters. The slot is passed on before the report is handed over: a caller that gets the
// report may submit again at once, and finds the slot accounted for. What came too late is
// destroyed without the lock. The report comes after both, since its callback may do anything.
void Scheduler::ended(Held& held, ExecutionState& execution) {
  Seat& seat = execution.seat();
  seat.phase = Phase::finished;
  std::vector<Delivery> too_late = std::exchange(seat.inbox, {});
  Slots::Slot slot = std::move(seat.slot);
  seat.hibernated = {};
  held.lane.set_timer(execution, std::nullopt);
  held.lane.remove_living(execution);
  held.lock.unlock();
  pass_on(std::move(slot));
  too_late.clear();  // an invocation that goes unanswered tells its caller so, through deliver()
  announce(execution);
  // Callers that drive the engine themselves look whether it was theirs.
  if (!has_workers() || over_) idle_.wake_all();
}

void Scheduler::announce(ExecutionState& execution) {
  try {
    execution.announce();
  } catch (const std::exception&) {
    // Its callback threw. The execution has ended all the same, and there is no one to report it
    // to.
  }
}

// Turns.

// The execution is `running`, so this thread has it alone until the lock is taken below. An
// exception ends this execution and no other.
void Scheduler::run_turn(Lane::Taken taken) {
  ExecutionState& execution = *taken.execution;
  doomed_.destroy_now();
  Turn turn = Turn::finished;
  try {
    if (!taken.deliveries.empty()) execution.deliver(std::move(taken.deliveries));
    const Ticker::Running running(*ticker_);
    turn = execution.run(*module_, clock_now(), options_.slice);
  } catch (const std::exception& error) {
    // An observer threw, or the process is out of memory.
    execution.refuse(internal_error(error.what()));
  }

  Seat& seat = execution.seat();
  Held held(*seat.lane);
  switch (turn) {
    case Turn::again:
      held.lane.push(Lane::Queue::spent, taken.execution);
      break;
    case Turn::waiting:
      if (options_.hibernate_after) seat.hibernate_at = clock_now() + hibernate_delay();
      begin_wait(held, taken.execution);
      // It may have told a thread that drives the engine that a module is ready.
      if (!has_workers()) idle_.wake_all();
      break;
    case Turn::finished:
      ended(held, execution);
      break;
  }
}

// Looks at the timers of all lanes: the worker of another lane may be in the middle of a long turn.
bool Scheduler::run_due_timers(Instant now) {
  bool acted = false;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (!lane->may_be_due(now)) continue;
    Held held(*lane);
    acted = run_timers(held, now) || acted;
  }
  return acted;
}

// Ends executions whose deadline has passed, wakes those whose own timer is due, and puts those
// into hibernation that have waited for long. True if it did any of it. It releases the lock on the
// way, so the loop asks the lane anew for the next timer instead of walking a list. Few hibernate
// at once, since others wait for this thread.
bool Scheduler::run_timers(Held& held, Instant now) {
  int hibernations = 0;
  bool acted = false;
  while (const Shared execution = held.lane.take_due(now)) {
    Seat& seat = execution->seat();
    const bool is_patient = !seat.hibernate_at || *seat.hibernate_at > now;
    if (!is_patient) seat.hibernate_at.reset();
    // An execution that runs or is about to run sees for itself what is due.
    if (seat.phase != Phase::waiting && seat.phase != Phase::queued &&
        seat.phase != Phase::restoring) {
      continue;
    }
    acted = true;
    const std::optional<Instant> next = execution->next_timer();
    if (!is_patient && seat.phase == Phase::waiting && (!next || *next > now)) {
      Quota::Token one = hibernated_bytes_.is_full() ? Quota::Token() : hibernated_.try_take();
      if (!one) {
        seat.hibernate_at = now + hibernate_delay();  // there may be room by then
        watch_time(held, *execution);
        continue;
      }
      hibernate(held, execution, std::move(one));
      if (++hibernations == max_hibernations_at_once) return acted;
    } else if (execution->is_late(now)) {
      end_now(held, execution, EndedBy::deadline);
      held.lock.lock();
    } else {
      make_ready(held, execution);
    }
  }
  return acted;
}

// See IdleThreads for why no wake-up is lost: every look for work takes a lane's lock, under which
// the work was made.
void Scheduler::wait_idle(const std::function<bool()>& over) {
  if (doomed_.is_pending()) {
    doomed_.destroy_now();
    return;  // something may have come meanwhile
  }
  const IdleThreads::Ticket ticket = idle_.prepare();
  if (over() || lanes_.has_ready()) {
    idle_.cancel();
    return;
  }
  idle_.wait(ticket, lanes_.first_timer());
}

void Scheduler::drive_until(const std::function<bool()>& over) {
  Lane& home = lanes_.for_new();
  while (!over()) {
    if (run_due_timers(clock_now()) && over()) return;
    if (auto taken = lanes_.take_next(home)) {
      run_turn(*std::move(taken));
    } else {
      wait_idle(over);
    }
  }
}

Instant Scheduler::run_some(Duration budget) {
  doomed_.destroy_now();  // the caller has had the chance to send what came of the last turn
  Lane& home = lanes_.first();
  const Instant end = clock_now() + budget;
  for (Instant now = clock_now();; now = clock_now()) {
    run_due_timers(now);
    if (now >= end) return now;
    auto taken = lanes_.take_next(home);
    if (!taken) return lanes_.first_timer().value_or(Instant::max());
    run_turn(*std::move(taken));
  }
}

// Workers.

void Scheduler::start_workers() {
  try {
    for (std::size_t i = 0; i < options_.workers; ++i)
      workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    shut_down();
    throw;
  }
}

void Scheduler::work(std::size_t number) {
  lanes_.own(number);
  drive_until([this] { return over_ && lanes_.nothing_lives(); });
}

// First `over_`, so that submit() refuses what comes: it reads the flag under a lane's lock, and
// the loop below takes each of them. Then all that live are cancelled, and the workers leave when
// none lives any more. The guest module goes last, after everything that runs or could start in it.
void Scheduler::shut_down() {
  over_ = true;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    std::vector<Shared> all;
    {
      const Held held(*lane);
      all = lane->living;
    }
    for (const Shared& execution : all) cancel(*execution);
  }
  idle_.wake_all();
  for (;;) {
    const IdleThreads::Ticket ticket = idle_.prepare();
    if (lanes_.nothing_lives()) {
      idle_.cancel();
      break;
    }
    idle_.wait(ticket, std::nullopt);
  }
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  // Executions that ended in a queue still lie there, and each keeps this Scheduler alive.
  slots_.clear();
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    std::vector<Shared> gone;
    const Held held(*lane);
    gone = lane->clear_queues();
  }
  // Nothing runs any more, and submit() refuses what comes.
  doomed_.destroy_now();
  ticker_.reset();
  module_.reset();
}

void Scheduler::give_memory_back() const {
  if (idle_slots_ != nullptr) idle_slots_->give_back();
}

Engine::Figures Scheduler::load() const {
  const auto waits = [](const Shared& one) {
    const Seat& seat = one->seat();
    return seat.slot && seat.phase == Phase::waiting;
  };
  std::size_t waiting = 0;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const Held held(*lane);
    waiting += static_cast<std::size_t>(std::ranges::count_if(lane->living, waits));
  }
  return {.running = slots_.used(),
          .waiting = waiting,
          .queued = slots_.queued(),
          .hibernated = static_cast<std::size_t>(hibernated_.used())};
}

}  // namespace cordon::host
