#pragma once

// Which executions have one of the engine's slots, and which wait for one. Any thread may call it.
//
// A slot is a token that goes from one execution to the next. An execution that ends gives it to
// pass_on(), which hands it to the first that waits. A slot becomes free only if none waits, so a
// newcomer never overtakes those that wait.
//
// Slots are counted in one word, together with a bit that says whether any execution waits. While
// the bit is clear, taking a slot or giving it back is one atomic operation without a lock. The bit
// is set only when all slots are taken, by the same operation that finds that out, and under the
// mutex. While it is set, slots come from pass_on() alone. So no slot can become free between
// "there is none" and "I wait".
//
// The mutex guards the queues. The bit is set exactly while one of the queues is not empty. It
// changes under the mutex only, and is the last thing that is cleared.

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

  // A slot that is taken. Destroying it frees the slot, but does not hand it to an execution that
  // waits: call pass_on() when you are done with it.
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
  // A place in the queue of new executions. An execution that leaves the queue drops its place.
  using Place = Quota::Token;

  // For a new execution: a slot, or a place in the queue, or neither if the queue is full.
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

  // For an execution that gave its slot back and wants one again. It goes before new ones. If it
  // gets no slot, it is in the queue.
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
  // The execution that has the slot now, or nothing: then the slot is free. It may have ended while
  // it waited; pass the slot on again in that case.
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

  // Forgets all that wait, for the end, when none of them lives.
  void clear() {
    std::deque<Waiter> gone[2];  // until the mutex is free
    const MutexLock lock(mutex_);
    std::swap(gone[0], new_);
    std::swap(gone[1], again_);
    forget_wish();
  }

  std::size_t used() const { return state_.load(std::memory_order_relaxed) / one_slot; }
  // How many new executions wait and have not left.
  std::size_t queued() const { return places_.used(); }

 private:
  Slot try_take() {
    std::uint64_t state = state_.load();
    do {
      if ((state & wanted) != 0 || state / one_slot >= slots_) return {};
    } while (!state_.compare_exchange_weak(state, state + one_slot));
    return Slot(state_);
  }

  // Either returns a slot or has set the bit.
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

  // False if an execution waits; the slot is then still taken.
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
