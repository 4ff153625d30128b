#include "cordon/server/idle_memory.h"

#include <algorithm>
#include <utility>

#include "cordon/base/process_figures.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;

constexpr auto period = 1s;
// A burst often comes in waves, and each would pay for the pages again.
constexpr auto quiet_time = 2s;
// A burst counts as over when no more than its peak divided by this is left.
constexpr std::size_t left_of_peak = 4;
// Less is not worth the page faults of the next burst.
constexpr std::size_t min_growth_bytes = std::size_t{16} << 20;

}  // namespace

bool BurstWatch::is_due(std::size_t load, std::size_t resident_bytes, Instant now) {
  peak_load_ = std::max(peak_load_, load);
  const bool is_quiet = load <= peak_load_ / left_of_peak;
  if (!is_quiet || resident_bytes < usual_bytes_ + min_growth_bytes) {
    quiet_since_.reset();
    return false;
  }
  if (!quiet_since_) quiet_since_ = now;
  return now - *quiet_since_ >= quiet_time;
}

void BurstWatch::given_back(std::size_t load, std::size_t resident_bytes) {
  usual_bytes_ = resident_bytes;
  peak_load_ = load;
  quiet_since_.reset();
}

IdleMemory::IdleMemory(std::function<std::size_t()> load, std::function<void()> give_back)
    : burst_(resident_bytes()),
      load_(std::move(load)),
      give_back_(std::move(give_back)),
      thread_([this] { watch(); }) {}

IdleMemory::~IdleMemory() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void IdleMemory::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period, [this] { return is_over_; })) {
    const std::size_t load = load_();
    if (!burst_.is_due(load, resident_bytes(), std::chrono::steady_clock::now())) continue;
    give_back_();
    give_heap_back();
    burst_.given_back(load, resident_bytes());
  }
}

}  // namespace cordon::server
