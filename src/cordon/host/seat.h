#pragma once

// What the Scheduler knows about one execution. It lies in the execution, so that finding and
// making it cost nothing, but only the Scheduler and the lanes can look into it. The lock of its
// lane guards it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/host/admission.h"
#include "cordon/host/delivery.h"
#include "cordon/host/quota.h"

namespace cordon::host {

class ExecutionState;
struct Lane;

class Seat {
 public:
  using Slots = Admission<std::shared_ptr<ExecutionState>>;

 private:
  friend class Scheduler;
  friend struct Lane;

  enum class Phase : std::uint8_t {
    queued,     // is new and waits for a slot
    ready,      // in a queue of its lane
    running,    // one thread has it without the lock: for its turn, its end, or its hibernation
    waiting,    // for a delivery or for its timer
    restoring,  // gave its slot back while it waited, and waits for one again
    finished,
  };

  Lane* lane = nullptr;   // from its submission on
  std::size_t index = 0;  // among those that live in the lane
  Phase phase = Phase::queued;
  std::vector<Delivery> inbox;
  Slots::Slot slot;
  Slots::Place place;  // while it is queued
  // While it hibernates: the count of one, and the bytes that it takes.
  struct Hibernated {
    Quota::Token one;
    Quota::Token bytes;
  };
  Hibernated hibernated;
  std::optional<Instant> timer;         // its entry among the timers of the lane
  std::optional<Instant> hibernate_at;  // if it still waits then
};

}  // namespace cordon::host
