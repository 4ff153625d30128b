#include "cordon/host/lane.h"

#include <algorithm>
#include <iterator>

// All of this runs under the mutex of the lane. Two things must stay in step with the members that
// they mirror: Seat::index is an execution's place in `living`, so that removing it takes constant
// time, and Seat::timer is its entry in `timers`, so that an execution has one timer at most. The
// hints (`counts`, `first_due`) are written with every change and read without the mutex.

namespace cordon::host {
namespace {

constexpr unsigned turns_between_spent = 8;

}  // namespace

void Lane::add_living(const Shared& execution) {
  execution->seat().index = living.size();
  living.push_back(execution);
}

void Lane::remove_living(ExecutionState& execution) {
  const std::size_t index = execution.seat().index;
  if (index + 1 != living.size()) {
    living[index] = std::move(living.back());
    living[index]->seat().index = index;
  }
  living.pop_back();
}

void Lane::push(Queue queue, const Shared& execution) {
  execution->seat().phase = Seat::Phase::ready;
  queues[index_of(queue)].push_back(execution);
  counts[index_of(queue)].store(queues[index_of(queue)].size(), std::memory_order_relaxed);
}

// An execution that ended in the queue is not searched for: it stays until it comes to the front,
// and its phase shows that it is not ready any more.
std::optional<Lane::Taken> Lane::take(Queue queue) {
  std::deque<Shared>& waiting = queues[index_of(queue)];
  std::optional<Taken> taken;
  while (!waiting.empty() && !taken) {
    Shared execution = std::move(waiting.front());
    waiting.pop_front();
    Seat& seat = execution->seat();
    if (seat.phase != Seat::Phase::ready) continue;
    seat.phase = Seat::Phase::running;
    taken.emplace(Taken{std::move(execution), std::exchange(seat.inbox, {})});
  }
  counts[index_of(queue)].store(waiting.size(), std::memory_order_relaxed);
  return taken;
}

Lane::Queue Lane::first_queue() {
  return ++turns % turns_between_spent == 0 ? Queue::spent : Queue::fresh;
}

std::vector<Lane::Shared> Lane::clear_queues() {
  std::vector<Shared> all;
  for (std::deque<Shared>& queue : queues) {
    std::ranges::move(queue, std::back_inserter(all));
    queue.clear();
  }
  for (std::atomic<std::size_t>& count : counts) count.store(0, std::memory_order_relaxed);
  return all;
}

bool Lane::set_timer(ExecutionState& execution, std::optional<Instant> at) {
  Seat& seat = execution.seat();
  if (seat.timer == at) return false;
  if (seat.timer) timers.erase({*seat.timer, &execution});
  seat.timer = at;
  const bool is_first = at && (timers.empty() || *at < timers.begin()->first);
  if (at) timers.emplace(*at, &execution);
  note_first_timer();
  return is_first;
}

std::optional<Instant> Lane::first_timer() const {
  return timers.empty() ? std::nullopt : std::optional(timers.begin()->first);
}

Lane::Shared Lane::take_due(Instant now) {
  if (timers.empty() || timers.begin()->first > now) return nullptr;
  Shared execution = timers.begin()->second->shared_from_this();
  set_timer(*execution, std::nullopt);
  return execution;
}

void Lane::note_first_timer() {
  const Instant first = timers.empty() ? Instant::max() : timers.begin()->first;
  first_due.store(first.time_since_epoch().count(), std::memory_order_relaxed);
}

}  // namespace cordon::host
