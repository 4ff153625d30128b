#pragma once

// What each execution has used of something, and what it holds now. An account lives as long as
// its execution, and as its calls.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>

#include "cordon/base/thread_annotations.h"
#include "cordon/provider.h"

namespace cordon::providers {

struct AccountLimits {
  std::optional<std::size_t> max_calls = {};
  std::optional<std::uint64_t> max_bytes = {};
  // The bytes of all its calls that have no answer yet.
  std::uint64_t max_held_bytes = std::uint64_t{128} << 20;
};

// Any thread may use it.
class ExecutionAccount {
 public:
  explicit ExecutionAccount(const AccountLimits& limits) : limits_(limits) {}

  // False: that is one too many.
  bool spend_call();
  enum class Spent : std::uint8_t { yes, past_max_bytes, past_held_bytes };
  // Takes all of it or nothing.
  Spent spend_bytes(std::size_t bytes);
  // Gives back bytes that were spent, once they are not kept any more.
  void release(std::uint64_t bytes) { held_.fetch_sub(bytes); }
  // Whether bytes could be spent at all.
  bool has_bytes_left() const { return !limits_.max_bytes || bytes_.load() < *limits_.max_bytes; }

 private:
  const AccountLimits limits_;
  std::atomic<std::size_t> calls_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> held_ = 0;
};

// Any thread may use it.
class ExecutionAccounts : public std::enable_shared_from_this<ExecutionAccounts> {
 public:
  explicit ExecutionAccounts(const AccountLimits& limits) : limits_(limits) {}

  // That of the execution which waits for the reply. A caller without a stop token is no execution,
  // and has an account for each call.
  std::shared_ptr<ExecutionAccount> of(const Reply& reply);

 private:
  struct Forget {
    std::weak_ptr<ExecutionAccounts> accounts;
    const void* execution;
    std::stop_token stop;
    void operator()() const;
  };
  struct Entry {
    std::shared_ptr<ExecutionAccount> account;
    std::stop_token stop;
    std::unique_ptr<std::stop_callback<Forget>> at_end;
  };

  const AccountLimits limits_;
  Mutex mutex_;
  std::unordered_map<const void*, Entry> entries_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::providers
