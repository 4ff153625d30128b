#pragma once

// Memory that a burst took is given back once it is over.
//
// The heap and the pages of sandboxes are kept for the next request, which is right while there is
// one. A server that held five thousand sessions for a minute would keep a hundred megabytes for
// ever. So the server checks about once a second whether little is left of a burst, and whether the
// process is larger than it was after the last time.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "cordon/base/instant.h"

namespace cordon::server {

// When to give memory back. No clock and no thread of its own.
class BurstWatch {
 public:
  // `resident_bytes` is what the process has before any burst.
  explicit BurstWatch(std::size_t resident_bytes) : usual_bytes_(resident_bytes) {}

  // Whether a burst is over, and has left something. `load` is what is under way: connections,
  // executions.
  bool is_due(std::size_t load, std::size_t resident_bytes, Instant now);
  // After that, with what is resident then.
  void given_back(std::size_t load, std::size_t resident_bytes);

 private:
  std::size_t usual_bytes_;
  std::size_t peak_load_ = 0;
  std::optional<Instant> quiet_since_;
};

// Looks on a thread of its own until it is destroyed.
class IdleMemory {
 public:
  // Both are called by that thread. `give_back` returns what the server's parts keep; the heap is
  // done here.
  IdleMemory(std::function<std::size_t()> load, std::function<void()> give_back);
  ~IdleMemory();
  IdleMemory(const IdleMemory&) = delete;
  IdleMemory& operator=(const IdleMemory&) = delete;

 private:
  void watch();

  BurstWatch burst_;
  std::function<std::size_t()> load_;
  std::function<void()> give_back_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace cordon::server
