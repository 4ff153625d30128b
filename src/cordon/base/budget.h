#pragma once

// What one party may cost the host: bytes of its memory, and time of its threads.
//
// A guest, a client, a plugin, an image and a peer each have a budget of their own. Code that
// builds or computes something for one of them gets that budget, and takes from it before it spends
// memory or time. A budget that is used up ends that party's request, never the process. Bytes are
// what the host's allocations cost (blocks of an arena, buffers), not what was on the wire.
//
//   auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 64 << 20});
//   Result<Value> value = json::decode(text, {.budget = budget});  // ErrorCode::too_large past it
//
// A budget may be part of a larger one. What is taken from it is then taken from the larger one
// too.
//
// Any thread may use a budget at any time.

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "cordon/base/instant.h"

namespace cordon {

class Budget {
 public:
  struct Limits {
    std::size_t bytes = std::numeric_limits<std::size_t>::max();
    Duration time = Duration::max();
  };

  explicit Budget(Limits limits, std::shared_ptr<Budget> whole = {})
      : limits_(limits), whole_(std::move(whole)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Takes all of it or nothing.
  [[nodiscard]] bool take(std::size_t bytes) noexcept;
  // Whether a request was refused that this budget could cover, but the larger one could not.
  // Others use it up at the moment, so it may succeed later.
  bool was_refused_by_whole() const noexcept {
    return was_refused_by_whole_.load(std::memory_order_relaxed);
  }
  void give_back(std::size_t bytes) noexcept;
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  std::size_t left() const noexcept;
  // The largest `used` so far. Tests compare it with a bound on amplification.
  std::size_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  const Limits& limits() const noexcept { return limits_; }

  // Time is never given back. Once the limit is passed, nothing is left.
  void spend(Duration time) noexcept;
  Duration time_left() const noexcept;

  // The default budget of a decoder for a message of this size. No honest message needs more per
  // byte, and small messages may have any shape. Null if the message is so small that no shape of
  // it can pass the limit.
  static std::shared_ptr<Budget> for_message(std::size_t bytes);

  // An honest message costs less than this for each of its bytes: JSON's `[0,0,…` takes 20.
  static constexpr std::size_t max_bytes_per_byte = 24;
  static constexpr std::size_t min_message_bytes = std::size_t{32} << 20;

 private:
  const Limits limits_;
  const std::shared_ptr<Budget> whole_;
  std::atomic<std::size_t> used_ = 0;
  std::atomic<std::size_t> peak_ = 0;
  std::atomic<Duration::rep> spent_ = 0;
  std::atomic<bool> was_refused_by_whole_ = false;
};

// An allocation throws it if the budget does not cover it. The decoder or builder that was given
// the budget turns it into an error, so it never leaves the function that takes the budget.
struct OverBudget : std::bad_alloc {
  const char* what() const noexcept override { return "over its budget"; }
};

// Holds bytes of a budget as long as it lives. An empty charge costs nothing.
class Charge {
 public:
  Charge() = default;
  explicit Charge(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}
  Charge(Charge&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    if (this == &other) return *this;
    reset();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~Charge() { reset(); }

  // Takes more bytes. Without a budget it always succeeds.
  [[nodiscard]] bool add(std::size_t bytes) noexcept {
    if (budget_ == nullptr) return true;
    if (!budget_->take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  // The same, but throws OverBudget: an allocator has no other way to fail.
  void require(std::size_t bytes) {
    if (!add(bytes)) throw OverBudget();
  }
  void give_back(std::size_t bytes) noexcept {
    if (budget_ == nullptr) return;
    budget_->give_back(bytes);
    bytes_ -= bytes;
  }
  void reset() noexcept {
    if (budget_ != nullptr && bytes_ > 0) budget_->give_back(std::exchange(bytes_, 0));
  }

  std::size_t bytes() const noexcept { return bytes_; }
  const std::shared_ptr<Budget>& budget() const noexcept { return budget_; }

 private:
  std::shared_ptr<Budget> budget_;
  std::size_t bytes_ = 0;
};

}  // namespace cordon
