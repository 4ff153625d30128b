#pragma once

// Threads for functions that wait. One is made when none is idle, up to a limit; past it work
// queues.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "cordon/base/thread_annotations.h"

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
    Mutex mutex;
    Condition more;
    std::deque<std::move_only_function<void()>> queue CORDON_GUARDED_BY(mutex);
    std::size_t idle CORDON_GUARDED_BY(mutex) = 0;
    bool over CORDON_GUARDED_BY(mutex) = false;
  };
  static void loop(State& state);

  const std::size_t most_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<std::thread> threads_ CORDON_GUARDED_BY(state_->mutex);
};

}  // namespace cordon::tools
