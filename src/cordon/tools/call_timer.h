#pragma once

// Calls functions at given times, on a thread of its own that starts with the first of them.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"

namespace cordon::tools {

// Any thread may use it.
class CallTimer {
 public:
  using Key = std::pair<Instant, std::uint64_t>;

  CallTimer();
  // Functions that were not called are dropped.
  ~CallTimer();
  CallTimer(const CallTimer&) = delete;
  CallTimer& operator=(const CallTimer&) = delete;

  Key call_at(Instant when, std::move_only_function<void()> function);
  // The function may be running, or may have run.
  void drop(const Key& key);

 private:
  struct State {
    Mutex mutex;
    Condition changed;
    std::map<Key, std::move_only_function<void()>> functions CORDON_GUARDED_BY(mutex);
    std::uint64_t last CORDON_GUARDED_BY(mutex) = 0;
    bool is_running CORDON_GUARDED_BY(mutex) = false;
    bool is_over CORDON_GUARDED_BY(mutex) = false;
  };
  static void loop(State& state);

  const std::shared_ptr<State> state_;  // shared with the thread
  std::thread thread_;
};

}  // namespace cordon::tools
