#include "cordon/host/scheduler.h"

#include <algorithm>
#include <string>

#include "cordon/host/failure.h"

namespace cordon::host {
namespace {

Instant clock_now() { return std::chrono::steady_clock::now(); }

constexpr unsigned turns_between_spent = 8;
// Others get their turn in between.
constexpr int most_sleepers_at_once = 4;
// Where more sandboxes than this are in use, one that waits gives its own back sooner. A sandbox
// that was used once stays resident, so thousands that wait at once would keep thousands of them.
constexpr std::size_t crowd = 128;
constexpr std::chrono::milliseconds patience_in_a_crowd(20);

}  // namespace

Result<std::shared_ptr<Scheduler>> Scheduler::create(const EngineOptions& options) {
  const auto slots =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(options.slots, 1, 1'000'000));
  // One more: a guest that has ended gives its slot back a moment after the next one starts. And
  // one for the guest that is buried, and one to compare sleeping guests with.
  const auto needed = slots + static_cast<std::uint32_t>(options.workers) + 3;
  // From this many on Wasmtime keeps slots apart by thread: workers then do not take the same ones
  // in turn and move their memory from core to core. It costs addresses only.
  constexpr std::uint32_t slots_kept_apart = 128;
  const auto pooled = options.workers > 1 ? std::max(needed, slots_kept_apart) : needed;
  auto module = CORDON_TRY(js::GuestModule::create({.slots = options.pool ? pooled : 0}));
  auto scheduler = std::make_shared<Scheduler>(options, std::move(module));
  scheduler->start_workers();
  return scheduler;
}

Scheduler::Scheduler(const EngineOptions& options, std::unique_ptr<js::GuestModule> module)
    : options_(options),
      module_(std::move(module)),
      ticker_(module_->engine()),
      typescript_(options.workers) {}

Scheduler::~Scheduler() = default;

void Scheduler::bury(std::unique_ptr<js::Guest> guest) {
  // A small one in a pool is freed in microseconds.
  constexpr std::size_t large_bytes = std::size_t{8} << 20;
  if (guest == nullptr || (options_.pool && guest->memory_bytes() < large_bytes)) return;
  const std::lock_guard lock(buried_mutex_);
  std::swap(buried_, guest);
  has_buried_ = true;
}

void Scheduler::forget_buried() {
  if (!has_buried_.load(std::memory_order_relaxed)) return;
  std::unique_ptr<js::Guest> guest;
  const std::lock_guard lock(buried_mutex_);
  std::swap(buried_, guest);
  has_buried_ = false;
}

void Scheduler::start_workers() {
  for (std::size_t i = 0; i < options_.workers; ++i) workers_.emplace_back([this] { work(); });
}

void Scheduler::submit(Shared execution) {
  {
    const Lock lock(mutex_);
    if (!over_ && slots_used_ < options_.slots) {
      living_.insert(execution);
      ++slots_used_;
      execution->has_slot = true;
      make_ready(execution);
      return;
    }
    if (!over_ && queued_ < options_.queue) {
      living_.insert(execution);
      ++queued_;
      execution->phase = Phase::queued;
      admission_.push_back(execution);
      wait_for_delivery(execution);
      return;
    }
    execution->phase = Phase::finished;
  }
  execution->refuse(overloaded("All " + std::to_string(options_.slots) +
                               " sandboxes are in use and " + std::to_string(options_.queue) +
                               " executions wait already"));
  announce(execution);
}

void Scheduler::deliver(ExecutionState& execution, Delivery delivery) {
  // One that comes too late goes with this parameter, when the lock is released: it may answer
  // somebody else.
  const Lock lock(mutex_);
  if (execution.phase == Phase::finished) return;
  execution.inbox.push_back(std::move(delivery));
  if (execution.phase == Phase::waiting) make_ready(execution.shared_from_this());
}

bool Scheduler::offer(ExecutionState& execution, StripPlaces::Place& place) {
  const Lock lock(mutex_);
  if (execution.phase == Phase::finished) return false;
  execution.inbox.push_back({std::move(place)});
  if (execution.phase == Phase::waiting) make_ready(execution.shared_from_this());
  return true;
}

void Scheduler::cancel(ExecutionState& execution) {
  execution.cancel_requested() = true;
  Lock lock(mutex_);
  if (execution.phase == Phase::finished || execution.phase == Phase::running) return;
  end_now(lock, execution.shared_from_this(), cancelled());
}

void Scheduler::abort(ExecutionState& execution) {
  Lock lock(mutex_);
  if (execution.phase == Phase::finished) return;
  if (execution.phase == Phase::queued) {
    end_now(lock, execution.shared_from_this(), cancelled());
    return;
  }
  execution.inbox.push_back({Delivery::Abort()});
  if (execution.phase == Phase::waiting) make_ready(execution.shared_from_this());
}

void Scheduler::make_ready(const Shared& execution) {
  if (!execution->has_slot) {
    if (slots_used_ >= options_.slots) {
      execution->phase = Phase::woken;
      woken_.push_back(execution);
      wait_for_delivery(execution);
      return;
    }
    ++slots_used_;
    count_awake(*execution);
    execution->has_slot = true;
  }
  execution->phase = Phase::ready;
  fresh_.push_back(execution);
  notify();
}

void Scheduler::notify() {
  if (workers_.empty() && options_.on_ready) options_.on_ready();
  if (sleepers_ > 0) changed_.notify_one();
}

Scheduler::Shared Scheduler::take_ready(std::deque<Shared>& queue) {
  while (!queue.empty()) {
    Shared execution = std::move(queue.front());
    queue.pop_front();
    if (execution->phase == Phase::ready)
      return execution;  // else it has ended here, and was counted then
  }
  return nullptr;
}

Scheduler::Shared Scheduler::take_next() {
  const bool spent_first = ++turns_ % turns_between_spent == 0;
  if (Shared execution = take_ready(spent_first ? spent_ : fresh_)) return execution;
  return take_ready(spent_first ? fresh_ : spent_);
}

void Scheduler::run_turn(Lock& lock, const Shared& execution) {
  execution->phase = Phase::running;
  std::vector<Delivery> deliveries = std::exchange(execution->inbox, {});
  lock.unlock();
  forget_buried();

  Turn turn = Turn::finished;
  try {
    if (!deliveries.empty()) execution->deliver(std::move(deliveries));
    const Ticker::Running running(ticker_);
    turn = execution->run(*module_, clock_now(), options_.slice);
  } catch (const std::exception& error) {
    // An observer threw, or the process is out of memory: this execution ends, the others go on.
    execution->refuse(internal_error(error.what()));
  }

  lock.lock();
  switch (turn) {
    case Turn::again:
      execution->phase = Phase::ready;
      spent_.push_back(execution);
      break;
    case Turn::waiting:
      execution->phase = Phase::waiting;
      if (options_.sleep_after) execution->doze_at = clock_now() + patience();
      wait_for_delivery(execution);
      break;
    case Turn::finished:
      ended(lock, execution);
      break;
  }
}

void Scheduler::wait_for_delivery(const Shared& execution) {
  if (execution->phase == Phase::waiting &&
      (!execution->inbox.empty() || execution->cancel_requested())) {
    make_ready(execution);
    return;
  }
  const std::optional<Instant> next = next_of(*execution);
  if (execution->timer == next) return;
  forget_timer(*execution);
  if (!next) return;
  const bool is_first = timers_.empty() || *next < timers_.begin()->first;
  timers_.emplace(*next, execution);
  execution->timer = next;
  if (is_first) notify();  // somebody must sleep less long
}

std::optional<Instant> Scheduler::next_of(const ExecutionState& execution) const {
  // Without a slot there is nothing to wake it for but its end.
  if (execution.phase != Phase::waiting) return execution.deadline();
  const std::optional<Instant> next = execution.next_timer();
  if (!execution.doze_at || !next) return next ? next : execution.doze_at;
  return std::min(*next, *execution.doze_at);
}

std::chrono::milliseconds Scheduler::patience() const {
  const bool is_crowded = slots_used_ > crowd;
  return is_crowded ? std::min(*options_.sleep_after, patience_in_a_crowd) : *options_.sleep_after;
}

bool Scheduler::has_room_for_a_sleeper() const {
  return asleep_ < options_.most_asleep && asleep_bytes_ < options_.most_asleep_bytes;
}

void Scheduler::count_awake(ExecutionState& execution) {
  execution.is_asleep = false;
  --asleep_;
  asleep_bytes_ -= std::exchange(execution.asleep_bytes, 0);
}

void Scheduler::put_to_sleep(Lock& lock, const Shared& execution) {
  execution->phase = Phase::running;
  lock.unlock();
  const bool sleeps = execution->doze();
  lock.lock();
  execution->phase = Phase::waiting;
  if (sleeps) {
    execution->has_slot = false;
    execution->is_asleep = true;
    execution->asleep_bytes = execution->dozing_bytes();
    --slots_used_;
    ++asleep_;
    asleep_bytes_ += execution->asleep_bytes;
    admit();
  }
  wait_for_delivery(execution);  // an answer may have come meanwhile
}

void Scheduler::forget_timer(ExecutionState& execution) {
  if (!execution.timer) return;
  timers_.erase({*execution.timer, execution.shared_from_this()});
  execution.timer.reset();
}

void Scheduler::ended(Lock& lock, const Shared& execution) {
  execution->phase = Phase::finished;
  std::vector<Delivery> too_late = std::exchange(execution->inbox, {});
  forget_timer(*execution);
  living_.erase(execution);
  if (std::exchange(execution->has_slot, false)) {
    --slots_used_;
    admit();
  } else if (execution->is_asleep) {
    count_awake(*execution);
  }
  lock.unlock();
  too_late.clear();  // an invocation that goes unanswered tells its caller so, through deliver()
  announce(execution);
  lock.lock();
  // Callers that drive the engine themselves look whether it was theirs.
  if (sleepers_ > 0 && (workers_.empty() || over_)) changed_.notify_all();
}

void Scheduler::announce(const Shared& execution) {
  try {
    execution->announce();
  } catch (const std::exception&) {
    // Its callback threw. It has ended all the same, and nobody here could do anything about it.
  }
}

void Scheduler::admit() {
  // What has begun goes before what is new.
  while (slots_used_ < options_.slots && !woken_.empty()) {
    const Shared execution = std::move(woken_.front());
    woken_.pop_front();
    if (execution->phase == Phase::woken) make_ready(execution);
  }
  while (slots_used_ < options_.slots && !admission_.empty()) {
    const Shared execution = std::move(admission_.front());
    admission_.pop_front();
    if (execution->phase != Phase::queued) continue;
    --queued_;
    ++slots_used_;
    execution->has_slot = true;
    make_ready(execution);
  }
}

void Scheduler::end_now(Lock& lock, const Shared& execution, ExecutionError error) {
  if (execution->phase == Phase::queued) --queued_;
  execution->phase = Phase::running;
  lock.unlock();
  execution->refuse(std::move(error));
  lock.lock();
  ended(lock, execution);
}

void Scheduler::run_timers(Lock& lock, Instant now) {
  int put_to_sleep_now = 0;
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const Shared execution = timers_.begin()->second;
    forget_timer(*execution);
    const bool dozes = execution->doze_at && *execution->doze_at <= now;
    if (dozes) execution->doze_at.reset();
    // One that runs or is about to sees for itself what is due.
    if (execution->phase != Phase::waiting && execution->phase != Phase::queued &&
        execution->phase != Phase::woken) {
      continue;
    }
    const std::optional<Instant> next = execution->next_timer();
    if (dozes && execution->phase == Phase::waiting && (!next || *next > now)) {
      if (!has_room_for_a_sleeper()) {
        execution->doze_at = now + patience();  // there may be by then
        wait_for_delivery(execution);
        continue;
      }
      put_to_sleep(lock, execution);
      if (++put_to_sleep_now == most_sleepers_at_once) return;
      continue;
    }
    if (execution->is_late(now)) {
      end_now(lock, execution, timed_out());
    } else {
      make_ready(execution);
    }
  }
}

void Scheduler::sleep(Lock& lock) {
  if (has_buried_) {
    lock.unlock();
    forget_buried();
    lock.lock();
    return;  // something may have come meanwhile
  }
  ++sleepers_;
  if (timers_.empty()) {
    changed_.wait(lock);
  } else {
    const Instant until = timers_.begin()->first;
    changed_.wait_until(lock, until);
  }
  --sleepers_;
}

void Scheduler::drive_until(const std::function<bool()>& over) {
  Lock lock(mutex_);
  while (!over()) {
    run_timers(lock, clock_now());
    if (over()) return;
    if (const Shared execution = take_next()) {
      run_turn(lock, execution);
    } else {
      sleep(lock);
    }
  }
}

void Scheduler::work() {
  drive_until([this] { return over_ && living_.empty(); });
}

Instant Scheduler::run_some(Duration budget) {
  forget_buried();  // whoever drives has told what came of the last turn
  const Instant end = clock_now() + budget;
  Lock lock(mutex_);
  for (Instant now = clock_now();; now = clock_now()) {
    run_timers(lock, now);
    if (now >= end) return now;
    const Shared execution = take_next();
    if (execution == nullptr) return timers_.empty() ? Instant::max() : timers_.begin()->first;
    run_turn(lock, execution);
  }
}

void Scheduler::shut_down() {
  Lock lock(mutex_);
  over_ = true;
  const std::vector<Shared> all(living_.begin(), living_.end());
  for (const Shared& execution : all) {
    execution->cancel_requested() = true;
    if (execution->phase != Phase::running && execution->phase != Phase::finished) {
      end_now(lock, execution, cancelled());
    }
  }
  changed_.notify_all();
  while (!living_.empty()) {
    ++sleepers_;
    changed_.wait(lock);
    --sleepers_;
  }
  lock.unlock();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

Engine::Load Scheduler::load() const {
  const Lock lock(mutex_);
  const auto waits = [](const Shared& one) {
    return one->has_slot && one->phase == Phase::waiting;
  };
  const auto waiting = static_cast<std::size_t>(std::ranges::count_if(living_, waits));
  return {.running = slots_used_, .waiting = waiting, .queued = queued_, .asleep = asleep_};
}

}  // namespace cordon::host
