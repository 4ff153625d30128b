#pragma once

// The end of one execution: whether it has come, the report, who waits for it, and who is to stop
// because of it. Any thread.
//
// An end has four stages, which only go forward. `begin` marks that somebody makes the report, so
// that nobody makes a second one. `make` has it, and asks long tools to stop. `announce` hands it
// over, which happens later, when the sandbox is free for the next. No callback runs under the lock
// of this class: it may ask for anything here.

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

  // False: somebody else makes the report, or has made it.
  bool begin();
  void make(Report report);
  // Once; another call does nothing.
  void announce();

  // Who gets the report: when it is announced, or at once. The report goes to one of them only.
  void then(Done done);

  // Stops when the report is made.
  std::stop_token stop_token();

 private:
  enum class Stage : std::uint8_t { running, ending, made, announced };

  Mutex mutex_;
  Stage stage_ CORDON_GUARDED_BY(mutex_) = Stage::running;
  // From its making until it is handed over. Not in here: most executions that there are wait, and
  // a report is large.
  std::unique_ptr<Report> report_ CORDON_GUARDED_BY(mutex_);
  Done done_ CORDON_GUARDED_BY(mutex_);
  // Made when somebody asks for it.
  std::optional<std::stop_source> stop_ CORDON_GUARDED_BY(mutex_);
};

}  // namespace cordon::host
