#pragma once

// Threads for functions that wait. One is made when none is idle, up to a limit; past it work
// queues.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cordon::tools {

class BlockingThreads {
 public:
  static constexpr std::size_t usual_most = 64;
  explicit BlockingThreads(std::size_t most = usual_most) : most_(most) {}
  // Waits for running work and drops queued work. Work may itself destroy its threads; its own
  // thread is then not waited for.
  ~BlockingThreads();
  BlockingThreads(const BlockingThreads&) = delete;
  BlockingThreads& operator=(const BlockingThreads&) = delete;

  void run(std::move_only_function<void()> work);

 private:
  // A thread whose work destroyed the owner still reads this, so it shares ownership.
  struct State {
    std::mutex mutex;
    std::condition_variable more;
    std::deque<std::move_only_function<void()>> queue;
    std::size_t idle = 0;
    bool over = false;
  };
  static void loop(State& state);

  const std::size_t most_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<std::thread> threads_;  // guarded by state_->mutex
};

}  // namespace cordon::tools
