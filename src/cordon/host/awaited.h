#pragma once

// A value that another thread will set, or this thread while it drives the engine. Both sides share
// ownership, because the waiting thread may be gone before set() has returned.
//
//   const auto report = std::make_shared<Awaited<Report>>();
//   then([report](Report made) { report->set(std::move(made)); });
//   return report->wait(scheduler);

#include <atomic>
#include <optional>
#include <utility>

#include "cordon/host/scheduler.h"

namespace cordon::host {

template <class T>
class Awaited {
 public:
  // Once.
  void set(T value) {
    value_ = std::move(value);
    is_there_ = true;
    is_there_.notify_one();
  }
  // Call it once. If the engine has no workers, this thread drives it meanwhile.
  T wait(Scheduler& scheduler) {
    if (scheduler.has_workers()) {
      is_there_.wait(false);
    } else {
      scheduler.drive_until([this] { return is_there_.load(); });
    }
    return *std::move(value_);
  }

 private:
  std::optional<T> value_;
  std::atomic<bool> is_there_ = false;
};

}  // namespace cordon::host
