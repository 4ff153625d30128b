#pragma once

// Runner processes that are started before they are needed. Each is used once; another thread then
// starts its successor, and waits for the end of those that were used or had ended by themselves. A
// spare that ended by itself is not handed out.

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cordon/base/thread_annotations.h"
#include "cordon/result.h"
#include "cordon/runners/child.h"
#include "cordon/runners/link.h"

namespace cordon::runners {

// Any thread may use it.
class ProcessPool {
 public:
  ProcessPool(std::vector<std::string> words, Confinement confinement, std::size_t spares);
  // Ends the spares.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  // Waits for nothing.
  std::optional<Child> take_spare();
  // Waits until it runs.
  Result<Child> start();
  // Destroys it in that other thread.
  void destroy_later(std::unique_ptr<Link> link);

  std::size_t spares() const;
  std::size_t started() const;

 private:
  void refill();

  const std::vector<std::string> words_;
  const std::vector<std::string> environment_ = environment_of_runners();
  const Confinement confinement_;
  const std::size_t max_spares_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Child> spares_ CORDON_GUARDED_BY(mutex_);
  std::size_t started_ CORDON_GUARDED_BY(mutex_) = 0;
  // How many successors are to be started. A runner that cannot start is not tried again and again:
  // each execution asks for one.
  std::size_t wanted_ CORDON_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Link>> used_ CORDON_GUARDED_BY(mutex_);
  std::vector<Child> ended_ CORDON_GUARDED_BY(mutex_);
  bool is_over_ CORDON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace cordon::runners
