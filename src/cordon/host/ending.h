#pragma once

// The end of one execution: whether it has come, the report, who waits for the report, and the
// tools that must stop because of it. Any thread may call it.
//
//   running --begin()--> ending --make()--> made --announce()--> announced
//
// begin() claims the right to make the report, so that there is only one. make() stores it and asks
// long tools to stop. announce() hands it over; that happens later, when the sandbox is free for
// the next execution. No callback runs under the lock of this class, so a callback may call
// anything here.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "cordon/base/thread_annotations.h"
#include "cordon/execution.h"

namespace cordon::host {

class Ending {
 public:
  using Done = std::move_only_function<void(Report)>;

  // False if the report is being made or has been made already.
  bool begin();
  void make(Report report);
  // Only the first call does anything.
  void announce();

  // Sets who gets the report, when it is announced or at once if it was. Only one caller gets it.
  void then(Done done);

  // Stops when the report is made.
  std::stop_token stop_token();

 private:
  enum class Stage : std::uint8_t { running, ending, made, announced };

  Mutex mutex_;
  Stage stage_ CORDON_GUARDED_BY(mutex_) = Stage::running;
  // From make() until it is handed over. It lies outside, because a report is large and most
  // executions at any time are waiting ones.
  std::unique_ptr<Report> report_ CORDON_GUARDED_BY(mutex_);
  Done done_ CORDON_GUARDED_BY(mutex_);
  // Made at the first call of stop_token().
  std::optional<std::stop_source> stop_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::host
