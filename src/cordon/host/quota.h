#pragma once

// A count with a limit. Each thing that is counted is a token. A token can be moved, and stops
// counting when it is destroyed, so no code has to count down. Any thread may use it. The quota
// must outlive its tokens.

#include <atomic>
#include <cstdint>
#include <utility>

namespace cordon::host {

class Quota {
 public:
  explicit Quota(std::uint64_t limit) : limit_(limit) {}
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  class Token {
   public:
    Token() = default;
    Token(Token&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), amount_(other.amount_) {}
    Token& operator=(Token&& other) noexcept {
      const Token old = std::move(*this);
      quota_ = std::exchange(other.quota_, nullptr);
      amount_ = other.amount_;
      return *this;
    }
    ~Token() {
      if (quota_ != nullptr) quota_->used_.fetch_sub(amount_, std::memory_order_relaxed);
    }
    explicit operator bool() const { return quota_ != nullptr; }

   private:
    friend Quota;
    Token(Quota& quota, std::uint64_t amount) : quota_(&quota), amount_(amount) {}
    Quota* quota_ = nullptr;
    std::uint64_t amount_ = 0;
  };

  // An empty token if there is no room for the amount.
  Token try_take(std::uint64_t amount = 1) {
    std::uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used >= limit_ || limit_ - used < amount) return {};
    } while (!used_.compare_exchange_weak(used, used + amount, std::memory_order_relaxed));
    return {*this, amount};
  }
  // Counts something that exists already, whether there is room for it or not.
  Token take(std::uint64_t amount) {
    used_.fetch_add(amount, std::memory_order_relaxed);
    return {*this, amount};
  }

  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  bool is_full() const { return used() >= limit_; }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

}  // namespace cordon::host
