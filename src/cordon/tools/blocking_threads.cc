#include "cordon/tools/blocking_threads.h"

#include <utility>

namespace cordon::tools {

BlockingThreads::~BlockingThreads() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    dropped.swap(queue_);
  }
  more_.notify_all();
  for (std::thread& thread : threads_) {
    // The last user of a provider may be one of its own tools, on one of these threads.
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void BlockingThreads::run(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  if (queue_.size() > idle_ && threads_.size() < most_) {
    threads_.emplace_back([this] { loop(); });
  } else {
    more_.notify_one();
  }
}

void BlockingThreads::loop() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (queue_.empty()) {
      ++idle_;
      more_.wait(lock);
      --idle_;
      continue;
    }
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace cordon::tools
