#include "cordon/providers/callback_inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace cordon::providers {

CallbackInbox::CallbackInbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CallbackInbox::~CallbackInbox() { close(wake_); }

Reply CallbackInbox::reply_for(std::string id) {
  const std::lock_guard lock(mutex_);
  open_.emplace(next_, std::move(id));
  return Reply(shared_from_this(), next_++);
}

std::vector<CallbackAnswer> CallbackInbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

void CallbackInbox::answer(std::uint64_t call, Result<Value> result) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(call);
  if (found == open_.end()) return;
  answers_.push_back({std::move(found->second), std::move(result)});
  open_.erase(found);
  wake();
}

std::size_t CallbackInbox::open() {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

void CallbackInbox::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof one);
}

void CallbackInbox::fail(std::uint64_t call, ToolFailure failure) {
  answer(call, cordon::fail(Errc::tool_error, std::move(failure.message)));
}

}  // namespace cordon::providers
