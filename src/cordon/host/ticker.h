#pragma once

// The thread that moves the epoch on every millisecond while guests run, and sleeps while none
// does.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "cordon/sandbox/engine.h"

namespace cordon::host {

class Ticker {
 public:
  explicit Ticker(const sandbox::Engine& engine);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Held while a guest runs.
  class Running {
   public:
    explicit Running(Ticker& ticker) : ticker_(ticker) { ticker_.enter(); }
    ~Running() { ticker_.running_.fetch_sub(1); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    Ticker& ticker_;
  };

 private:
  void enter();
  void loop();

  const sandbox::Engine& engine_;
  std::atomic<std::uint32_t> running_ = 0;
  std::atomic<bool> parked_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cordon::host
