#include "cordon/tools/call_timer.h"

namespace cordon::tools {

CallTimer::CallTimer() : state_(std::make_shared<State>()) {}

CallTimer::~CallTimer() {
  std::map<Key, std::move_only_function<void()>> dropped;
  {
    const MutexLock lock(state_->mutex);
    state_->is_over = true;
    dropped.swap(state_->functions);
  }
  state_->changed.notify_one();
  if (!thread_.joinable()) return;
  // One of its own functions may have had the last handle of this.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

CallTimer::Key CallTimer::call_at(Instant when, std::move_only_function<void()> function) {
  const MutexLock lock(state_->mutex);
  const Key key{when, ++state_->last};
  const auto added = state_->functions.emplace(key, std::move(function)).first;
  if (!state_->is_running) {
    thread_ = std::thread([state = state_] { loop(*state); });
    state_->is_running = true;
  } else if (added == state_->functions.begin()) {
    state_->changed.notify_one();
  }
  return key;
}

void CallTimer::drop(const Key& key) {
  std::move_only_function<void()> dropped;
  const MutexLock lock(state_->mutex);
  const auto found = state_->functions.find(key);
  if (found == state_->functions.end()) return;
  dropped = std::move(found->second);
  state_->functions.erase(found);
}

void CallTimer::loop(State& state) {
  MutexLock lock(state.mutex);
  while (!state.is_over) {
    if (state.functions.empty()) {
      state.changed.wait(lock);
      continue;
    }
    const auto first = state.functions.begin();
    if (std::chrono::steady_clock::now() < first->first.first) {
      state.changed.wait_until(lock, first->first.first);
      continue;
    }
    std::move_only_function<void()> function = std::move(first->second);
    state.functions.erase(first);
    lock.unlock();
    function();
    function = nullptr;
    lock.lock();
  }
}

}  // namespace cordon::tools
