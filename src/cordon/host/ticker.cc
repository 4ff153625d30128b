#include "cordon/host/ticker.h"

#include <cerrno>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

namespace cordon::host {
namespace {

constexpr auto period = std::chrono::milliseconds(1);
// How long the thread ticks on after the last guest.
constexpr int idle_ticks = 5;
// Turns that begin sooner after the timer was stopped follow each other closely: a tick for each
// millisecond costs less than to set and stop the timer for each of them.
constexpr auto pause = std::chrono::microseconds(500);

timespec time_of(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(),
          .tv_nsec = std::chrono::nanoseconds(duration - seconds).count()};
}

}  // namespace

Ticker::Timer::Timer() : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

Ticker::Timer::~Timer() { close(fd_); }

void Ticker::Timer::start(Duration first, Duration period_after) {
  const itimerspec times{.it_interval = time_of(period_after), .it_value = time_of(first)};
  timerfd_settime(fd_, 0, &times, nullptr);
}

void Ticker::Timer::wait() const {
  std::uint64_t fired = 0;
  while (read(fd_, &fired, sizeof fired) < 0 && errno == EINTR) {
  }
}

Ticker::Ticker(const sandbox::Engine& engine) : engine_(engine), thread_([this] { loop(); }) {}

Ticker::~Ticker() {
  is_over_ = true;
  {
    const MutexLock lock(mutex_);
    is_ticking_ = true;  // so that no turn stops it any more
    timer_.start(std::chrono::nanoseconds(1), period);
  }
  thread_.join();
}

// The counter is raised before the flag is read, and stop() clears the flag before it reads the
// counter: one of them sees the other.
bool Ticker::enter() {
  running_.fetch_add(1);
  return !is_ticking_.load() && start();
}

void Ticker::leave(bool stops) {
  const bool is_last = running_.fetch_sub(1) == 1;
  if (stops && is_last) stop();
}

bool Ticker::start() {
  const Instant now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  if (is_ticking_.load()) return false;
  timer_.start(period, period);
  is_ticking_ = true;
  return now - stopped_at_ > pause;
}

void Ticker::stop() {
  const Instant now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  if (!is_ticking_.load() || is_over_) return;
  is_ticking_ = false;
  if (running_.load() > 0) {
    is_ticking_ = true;  // a turn has begun, and may have found the flag set
    return;
  }
  timer_.stop();
  stopped_at_ = now;
}

void Ticker::loop() {
  int idle = 0;
  for (;;) {
    timer_.wait();
    if (is_over_) return;
    wakes_.fetch_add(1, std::memory_order_relaxed);
    engine_.tick();
    idle = running_.load() > 0 ? 0 : idle + 1;
    if (idle > idle_ticks) {
      stop();
      idle = 0;
    }
  }
}

}  // namespace cordon::host
