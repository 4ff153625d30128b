#pragma once

// Where the execution of a task gets its call from, and what it asks of whoever serves it.

#include "cordon/js/guest.h"

namespace cordon::host {

// The thread that drives the guest calls it. It may be answered from there or later, by
// ExecutionState::answer_port.
class TaskPort {
 public:
  // What the task has beside its input. What it refers to lives until the guest has it.
  virtual js::TaskRequest request() const = 0;
  // False: what our own code in a guest would not ask.
  virtual bool take(js::PortCall call) = 0;
  // Whether something that the guest asked for waits for its client: bytes, or room for some.
  virtual bool waits_for_client() const = 0;

 protected:
  ~TaskPort() = default;
};

}  // namespace cordon::host
