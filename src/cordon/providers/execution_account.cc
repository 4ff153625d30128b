#include "cordon/providers/execution_account.h"

#include <utility>

#include "cordon/tools/reply_access.h"

namespace cordon::providers {
namespace {

// Takes `more` if the sum stays within the limit.
bool take(std::atomic<std::uint64_t>& sum, std::uint64_t more, std::uint64_t limit) {
  std::uint64_t now = sum.load();
  do {
    if (more > limit || now > limit - more) return false;
  } while (!sum.compare_exchange_weak(now, now + more));
  return true;
}

}  // namespace

bool ExecutionAccount::spend_call() {
  return !limits_.max_calls || calls_.fetch_add(1) < *limits_.max_calls;
}

ExecutionAccount::Spent ExecutionAccount::spend_bytes(std::size_t bytes) {
  if (limits_.max_bytes && !take(bytes_, bytes, *limits_.max_bytes)) return Spent::past_max_bytes;
  if (take(held_, bytes, limits_.max_held_bytes)) return Spent::yes;
  bytes_.fetch_sub(limits_.max_bytes ? bytes : 0);
  return Spent::past_held_bytes;
}

// A callback is made, and destroyed, outside of the lock: its execution may be ending, and then the
// callback runs at once, or is waited for while it waits for the lock.
std::shared_ptr<ExecutionAccount> ExecutionAccounts::of(const Reply& reply) {
  const std::stop_token stop = reply.stop_token();
  if (!stop.stop_possible()) return std::make_shared<ExecutionAccount>(limits_);
  const void* const execution = detail::ReplyAccess::caller(reply);
  Entry old;  // of an execution that was at the same address
  std::shared_ptr<ExecutionAccount> account;
  {
    const MutexLock lock(mutex_);
    Entry& entry = entries_[execution];
    if (entry.account != nullptr && entry.stop == stop) return entry.account;
    account = std::make_shared<ExecutionAccount>(limits_);
    old = std::exchange(entry, Entry{account, stop, nullptr});
  }
  auto at_end =
      std::make_unique<std::stop_callback<Forget>>(stop, Forget{weak_from_this(), execution, stop});
  const MutexLock lock(mutex_);
  const auto found = entries_.find(execution);
  if (found != entries_.end() && found->second.stop == stop)
    std::swap(found->second.at_end, at_end);
  return account;
}

void ExecutionAccounts::Forget::operator()() const {
  const auto self = accounts.lock();
  if (self == nullptr) return;
  Entry over;
  const MutexLock lock(self->mutex_);
  const auto found = self->entries_.find(execution);
  if (found == self->entries_.end() || found->second.stop != stop) return;
  over = std::move(found->second);
  self->entries_.erase(found);
}

}  // namespace cordon::providers
