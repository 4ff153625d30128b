#include "cordon/providers/callback_inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace cordon::providers {

// One callback that runs. It can be told to stop without the others.
class CallbackInbox::Sink final : public CallSink {
 public:
  explicit Sink(std::shared_ptr<CallbackInbox> inbox) : inbox_(std::move(inbox)) {}

  void answer(std::uint64_t call, Result<Value> result) override {
    inbox_->answer(call, std::move(result));
  }
  std::stop_token stop_token() override { return source().get_token(); }
  void stop() { source().request_stop(); }

 private:
  // Most callbacks answer at once and never ask.
  std::stop_source source() {
    const MutexLock lock(mutex_);
    if (!stop_) stop_.emplace();
    return *stop_;
  }

  std::shared_ptr<CallbackInbox> inbox_;
  Mutex mutex_;
  std::optional<std::stop_source> stop_ CORDON_GUARDED_BY(mutex_);
};

CallbackInbox::CallbackInbox() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CallbackInbox::~CallbackInbox() { close(wake_); }

Reply CallbackInbox::reply_for(std::optional<std::string> id, Charge held,
                               std::optional<Instant> deadline, Check check) {
  auto sink = std::make_shared<Sink>(shared_from_this());
  const MutexLock lock(mutex_);
  const std::uint64_t call = next_++;
  open_.emplace(call, Open{std::move(id), deadline, std::move(check), sink, std::move(held)});
  if (deadline) deadlines_.emplace(*deadline, call);
  return Reply(std::move(sink), call);
}

std::vector<CallbackAnswer> CallbackInbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
  std::vector<std::shared_ptr<Sink>> late;
  std::vector<CallbackAnswer> answers;
  {
    const MutexLock lock(mutex_);
    answers = std::exchange(answers_, {});
    const Instant now = deadlines_.empty() ? Instant{} : std::chrono::steady_clock::now();
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      const auto open = open_.find(deadlines_.begin()->second);
      deadlines_.erase(deadlines_.begin());
      if (open->second.id) {
        answers.push_back({*std::move(open->second.id), fail(ErrorCode::timeout, "it timed out")});
      }
      late.push_back(open->second.sink.lock());
      open_.erase(open);
    }
  }
  // What they do when they are told to stop is theirs, and not under the lock.
  for (const auto& sink : late) {
    if (sink) sink->stop();
  }
  return answers;
}

std::optional<Instant> CallbackInbox::deadline() {
  const MutexLock lock(mutex_);
  if (deadlines_.empty()) return std::nullopt;
  return deadlines_.begin()->first;
}

void CallbackInbox::answer(std::uint64_t call, Result<Value> result) {
  Open open;
  {
    const MutexLock lock(mutex_);
    const auto found = open_.find(call);
    if (found == open_.end()) return;  // it was late
    open = std::move(found->second);
    if (open.deadline) deadlines_.erase({*open.deadline, call});
    // Still counted as open until its answer is there to be taken.
    if (!open.check || !result) {
      open_.erase(found);
      push(std::move(open.id), std::move(result));
      return;
    }
  }
  Result<Value> checked = open.check(*std::move(result));
  const MutexLock lock(mutex_);
  open_.erase(call);
  push(std::move(open.id), std::move(checked));
}

void CallbackInbox::push(std::optional<std::string> id, Result<Value> result) {
  if (id) answers_.push_back({*std::move(id), std::move(result)});
  wake();
}

std::size_t CallbackInbox::open() {
  const MutexLock lock(mutex_);
  return open_.size();
}

void CallbackInbox::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof one);
}

void CallbackInbox::stop() {
  std::vector<std::shared_ptr<Sink>> running;
  {
    const MutexLock lock(mutex_);
    for (const auto& [call, open] : open_) running.push_back(open.sink.lock());
  }
  for (const auto& sink : running) {
    if (sink) sink->stop();
  }
}

}  // namespace cordon::providers
