#include "cordon/cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

#include "cordon/cli/exit_codes.h"
#include "cordon/cli/terminal.h"

namespace cordon::cli {

Interrupt::Interrupt(Hangups hangups) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (hangups == Hangups::watched) sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  over_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  eventfd_write(over_, 1);
  thread_.join();
  close(signals_);
  close(over_);
}

void Interrupt::on_signal(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  act_ = std::move(act);
  if (signalled_ && act_) act_();
}

bool Interrupt::was_signalled() const {
  const std::lock_guard lock(mutex_);
  return signalled_;
}

void Interrupt::on_hangup(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  reload_ = std::move(act);
  if (reload_ && std::exchange(hung_up_, false)) reload_();
}

void Interrupt::watch() {
  for (;;) {
    pollfd ready[2] = {{signals_, POLLIN, 0}, {over_, POLLIN, 0}};
    if (poll(ready, 2, -1) < 0) continue;
    if (ready[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (read(signals_, &signal, sizeof signal) != sizeof signal) continue;
    const std::lock_guard lock(mutex_);
    if (signal.ssi_signo == SIGHUP) {
      if (reload_) {
        reload_();
      } else {
        hung_up_ = true;
      }
      continue;
    }
    if (std::exchange(signalled_, true)) _exit(exit_interrupted);
    if (!act_) {
      write_all(STDERR_FILENO, "cordon: interrupted\n");
      _exit(exit_interrupted);
    }
    act_();
  }
}

}  // namespace cordon::cli
