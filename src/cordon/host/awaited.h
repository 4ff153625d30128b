#pragma once

// Something that another thread will bring, or this one while it drives the engine. Whoever brings
// it shares it: the one that waits may be gone before set() has returned.
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
  // Once. An engine without workers is driven by this thread meanwhile.
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
