#pragma once

// Threads for functions that wait. One is made when none is idle, up to a limit; past it work
// queues.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cordon::tools {

class BlockingThreads {
 public:
  explicit BlockingThreads(std::size_t most) : most_(most) {}
  // Waits for what runs; what is queued is dropped.
  ~BlockingThreads();
  BlockingThreads(const BlockingThreads&) = delete;
  BlockingThreads& operator=(const BlockingThreads&) = delete;

  void run(std::function<void()> work);

 private:
  void loop();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool over_ = false;
};

}  // namespace cordon::tools
