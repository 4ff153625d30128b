#include "cordon/host/ticker.h"

namespace cordon::host {
namespace {

constexpr auto period = std::chrono::milliseconds(1);
// It goes on for a while after the last guest, so that a busy engine does not wake it for each one.
constexpr int idle_ticks = 50;

}  // namespace

Ticker::Ticker(const sandbox::Engine& engine) : engine_(engine), thread_([this] { loop(); }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

// The counter is raised before the flag is read, and the thread sets the flag before it reads the
// counter: one of them sees the other.
void Ticker::enter() {
  running_.fetch_add(1);
  if (!parked_.load()) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_one();
}

void Ticker::loop() {
  std::unique_lock lock(mutex_);
  int idle = 0;
  while (!over_) {
    if (running_.load() > 0) {
      idle = 0;
    } else if (++idle > idle_ticks) {
      parked_.store(true);
      changed_.wait(lock, [this] { return over_ || running_.load() > 0; });
      parked_.store(false);
      idle = 0;
    }
    changed_.wait_for(lock, period, [this] { return over_; });
    engine_.tick();
  }
}

}  // namespace cordon::host
