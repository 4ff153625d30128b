#pragma once

// Advances the epoch of an engine every millisecond while guests run, with a thread that sleeps
// while none does.
//
// The thread waits for a kernel timer. Setting the timer wakes no thread, and a guest that runs for
// less than a millisecond is gone before it fires. If turns follow each other closely, the first
// sets the timer and the others find it set; the thread ticks on and stops the timer when it has
// seen no guest for a while. If there are pauses between turns, the turn that has set the timer
// stops it at its end, and the thread never wakes.

#include <atomic>
#include <cstdint>
#include <thread>

#include "cordon/base/instant.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/sandbox/engine.h"

namespace cordon::host {

class Ticker {
 public:
  // Throws std::system_error if the system gives no thread or no timer.
  explicit Ticker(const sandbox::Engine& engine);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Hold it while a guest runs.
  class Running {
   public:
    explicit Running(Ticker& ticker) : ticker_(ticker), stops_(ticker_.enter()) {}
    ~Running() { ticker_.leave(stops_); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Ticker& ticker_;
    const bool stops_;
  };

  // How often the thread has woken up so far.
  std::uint64_t wakes() const { return wakes_.load(std::memory_order_relaxed); }

 private:
  class Timer {
   public:
    Timer();
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    void start(Duration first, Duration period);
    void stop() { start(Duration(), Duration()); }
    // Waits until it fires.
    void wait() const;

   private:
    const int fd_;
  };

  // True if this turn has to stop the timer.
  bool enter();
  void leave(bool stops);
  bool start();
  void stop();
  void loop();

  const sandbox::Engine& engine_;
  std::atomic<std::uint32_t> running_ = 0;
  std::atomic<bool> is_ticking_ = false;  // the timer is set
  std::atomic<std::uint64_t> wakes_ = 0;
  Mutex mutex_;  // guards the timer too
  Instant stopped_at_ CORDON_GUARDED_BY(mutex_){};
  std::atomic<bool> is_over_ = false;
  Timer timer_;
  std::thread thread_;
};

}  // namespace cordon::host
