#include "cordon/tools/blocking_threads.h"

#include <utility>

namespace cordon::tools {

BlockingThreads::~BlockingThreads() {
  std::deque<std::move_only_function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    const MutexLock lock(state_->mutex);
    state_->over = true;
    dropped.swap(state_->queue);
    threads.swap(threads_);
  }
  state_->more.notify_all();
  for (std::thread& thread : threads) {
    // The last user of a provider may be one of its own tools, on one of these threads.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void BlockingThreads::run(std::move_only_function<void()> work) {
  const MutexLock lock(state_->mutex);
  state_->queue.push_back(std::move(work));
  if (state_->queue.size() > state_->idle && threads_.size() < most_) {
    threads_.emplace_back([state = state_] { loop(*state); });
  } else {
    state_->more.notify_one();
  }
}

void BlockingThreads::loop(State& state) {
  MutexLock lock(state.mutex);
  while (!state.over) {
    if (state.queue.empty()) {
      ++state.idle;
      state.more.wait(lock);
      --state.idle;
      continue;
    }
    std::move_only_function<void()> work = std::move(state.queue.front());
    state.queue.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace cordon::tools
