#pragma once

// A write to a process that is gone raises SIGPIPE, which ends a program that has not said
// otherwise. A library must not say it for the program, so the signal is held back in this thread
// while one of these lives, and one that came is taken away with it.

#include <csignal>
#include <ctime>

namespace cordon::providers {

class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoPipeSignal() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    if (came_) {
      const timespec now{};
      sigtimedwait(&signal_, nullptr, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  // A write has failed with EPIPE.
  void came() { came_ = true; }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool came_ = false;
};

}  // namespace cordon::providers
