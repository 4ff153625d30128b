#pragma once

// Who has one of the engine's slots, and who waits for one. Any thread.
//
// A slot is a token that goes from one execution to the next: an execution that ends gives it to
// pass_on(), which hands it to the first that waits. Only where nobody waits does it become free.
// So nobody who comes later takes a slot away from those that wait.
//
// Slots are counted in one word together with a bit that says whether anybody waits. While the bit
// is clear, taking and giving back is one atomic operation and no lock. The bit is set only where
// all slots are taken, in the same operation that finds that out, and under the mutex; while it is
// set, nobody takes a slot but out of pass_on(). Hence no slot can become free between "there is
// none" and "I wait". The mutex guards the queues; the bit is set exactly while one of them has
// somebody, changes under the mutex alone, and is the last thing that is cleared.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "cordon/base/thread_annotations.h"
#include "cordon/host/quota.h"

namespace cordon::host {

template <class Waiter>
class Admission {
  static constexpr std::uint64_t wanted = 1;
  static constexpr std::uint64_t one_slot = 2;

 public:
  Admission(std::size_t slots, std::size_t queue) : slots_(slots), places_(queue) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // A slot that is taken. It is counted no more when it is gone, but goes to nobody then: whoever
  // is done with it calls pass_on().
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    Slot& operator=(Slot&& other) noexcept {
      const Slot old = std::move(*this);
      state_ = std::exchange(other.state_, nullptr);
      return *this;
    }
    ~Slot() {
      if (state_ != nullptr) state_->fetch_sub(one_slot);
    }
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend Admission;
    explicit Slot(std::atomic<std::uint64_t>& state) : state_(&state) {}
    std::atomic<std::uint64_t>* state_ = nullptr;
  };
  // A place in the queue of those that are new. Whoever leaves the queue drops it.
  using Place = Quota::Token;

  // One that is new: a slot, or a place in the queue, or neither where the queue is full.
  std::variant<std::monostate, Slot, Place> enter(const Waiter& waiter) {
    if (Slot slot = try_take()) return slot;
    const MutexLock lock(mutex_);
    if (Slot slot = take_or_want()) return slot;
    Place place = places_.try_take();
    if (!place) {
      forget_wish();
      return {};
    }
    new_.push_back(waiter);
    return place;
  }

  // One that gave its slot back and wants one again, which goes before those that are new. Without
  // a slot it is in the queue.
  Slot enter_again(const Waiter& waiter) {
    if (Slot slot = try_take()) return slot;
    const MutexLock lock(mutex_);
    if (Slot slot = take_or_want()) return slot;
    again_.push_back(waiter);
    return {};
  }

  struct Admitted {
    Waiter waiter;
    Slot slot;
  };
  // Who has the slot now, or nobody: then it is free. Whoever has left meanwhile may be among those
  // that wait; the slot is passed on again then.
  std::optional<Admitted> pass_on(Slot slot) {
    if (!slot || give_back(slot)) return std::nullopt;
    const MutexLock lock(mutex_);
    if (again_.empty() && new_.empty()) {
      give_back(slot);  // the bit is clear, and stays so under the mutex
      return std::nullopt;
    }
    std::deque<Waiter>& queue = again_.empty() ? new_ : again_;
    Waiter first = std::move(queue.front());
    queue.pop_front();
    forget_wish();
    return Admitted{std::move(first), std::move(slot)};
  }

  // Forgets all that wait. For the end, when none of them lives.
  void clear() {
    std::deque<Waiter> gone[2];  // until the mutex is free
    const MutexLock lock(mutex_);
    std::swap(gone[0], new_);
    std::swap(gone[1], again_);
    forget_wish();
  }

  std::size_t used() const { return state_.load(std::memory_order_relaxed) / one_slot; }
  // Of those that are new, and have not left.
  std::size_t queued() const { return places_.used(); }

 private:
  Slot try_take() {
    std::uint64_t state = state_.load();
    do {
      if ((state & wanted) != 0 || state / one_slot >= slots_) return {};
    } while (!state_.compare_exchange_weak(state, state + one_slot));
    return Slot(state_);
  }

  // A slot, or the bit is set.
  Slot take_or_want() CORDON_REQUIRES(mutex_) {
    std::uint64_t state = state_.load();
    for (;;) {
      if ((state & wanted) != 0) return {};
      const bool is_full = state / one_slot >= slots_;
      if (!state_.compare_exchange_weak(state, is_full ? state | wanted : state + one_slot))
        continue;
      return is_full ? Slot() : Slot(state_);
    }
  }

  // False where somebody waits.
  bool give_back(Slot& slot) {
    std::uint64_t state = state_.load();
    do {
      if ((state & wanted) != 0) return false;
    } while (!state_.compare_exchange_weak(state, state - one_slot));
    slot.state_ = nullptr;
    return true;
  }

  void forget_wish() CORDON_REQUIRES(mutex_) {
    if (again_.empty() && new_.empty()) state_.fetch_and(~wanted);
  }

  const std::size_t slots_;
  Quota places_;
  std::atomic<std::uint64_t> state_ = 0;
  Mutex mutex_;
  std::deque<Waiter> new_ CORDON_GUARDED_BY(mutex_);
  std::deque<Waiter> again_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::host
