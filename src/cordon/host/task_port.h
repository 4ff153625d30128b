#pragma once

// Where the execution of a task gets its call from, and where its requests to the server go.

#include "cordon/js/guest.h"

namespace cordon::host {

// The thread that drives the guest calls it. Answer at once or later, with
// ExecutionState::answer_port.
class TaskPort {
 public:
  // What the task gets beside its input. The values must live until the guest has them.
  virtual js::TaskRequest request() const = 0;
  // False for a call that our own code in a guest would not make.
  virtual bool take(js::PortCall call) = 0;
  // Whether the guest waits for its client, to send bytes or to take some.
  virtual bool waits_for_client() const = 0;

 protected:
  ~TaskPort() = default;
};

}  // namespace cordon::host
