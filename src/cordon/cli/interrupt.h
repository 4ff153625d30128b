#pragma once

// Ctrl-C and SIGTERM as a call of a function, once. A second one ends the process at once, as does
// the first where there is nothing to call: while a program is being read, or its result written.
// SIGHUP, for those who want it, as a call of another one, each time.
//
// Made before any other thread, so that none of them takes the signal.

#include <functional>
#include <mutex>
#include <thread>

namespace cordon::cli {

class Interrupt {
 public:
  enum class Hangups { end_the_process, watched };
  explicit Interrupt(Hangups hangups = Hangups::end_the_process);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Called by another thread, or at once where the signal has come already. When this has returned,
  // what was set before is not called any more.
  void on_signal(std::function<void()> act);
  bool was_signalled() const;

  // Where they are watched. One that came before is not forgotten.
  void on_hangup(std::function<void()> act);

 private:
  void watch();

  int signals_ = -1;
  int over_ = -1;
  mutable std::mutex mutex_;
  std::function<void()> act_;
  bool signalled_ = false;
  std::function<void()> reload_;
  bool hung_up_ = false;
  std::thread thread_;
};

}  // namespace cordon::cli
