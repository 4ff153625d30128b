#pragma once

// The times of one execution: what it has taken so far, and what it may take. Reads no clock; one
// thread at a time.
//
// Four times run beside each other. The total runs from acceptance to the end, and has the deadline
// as its limit. The computing time is what the guest computes or waits for of its own accord,
// without waits for others. The processor time is a part of that. The busy time is what it has
// computed since it last waited. A module that stays has no end: once its functions are called, all
// limits count each stretch of computing alone, and none counts the whole.

#include <optional>

#include "cordon/base/instant.h"
#include "cordon/execution.h"

namespace cordon::host {

class Clocks {
 public:
  Clocks(const Limits& limits, Instant accepted);

  Instant accepted() const { return accepted_; }
  std::optional<Instant> deadline() const { return deadline_; }
  bool is_late(Instant now) const { return deadline_ && now >= *deadline_; }
  Duration computing_time() const { return computing_time_; }
  bool measures_cpu() const { return cpu_limit_.has_value(); }

  // When a turn that begins now must be over.
  Instant slice_end(Instant now, Duration slice) const;
  bool is_past_limit(Instant now) const;

  // It computed for so long.
  void add_computing(Duration took, Duration cpu);
  // And has nothing more to do for now.
  void rest() {
    busy_time_ = Duration();
    if (measures_calls_) computing_time_ = cpu_time_ = Duration();
  }

  // The guest's own next timer.
  void set_timer(std::optional<Instant> at) { timer_ = at; }
  bool has_timer() const { return timer_.has_value(); }
  bool timer_is_due(Instant now) const { return timer_ && now >= *timer_; }

  // It waits from now on. Time that it waits for nobody but itself, for its timers or for nothing
  // at all, is its own. What it waits longer than for its timer is not: it is not up to the guest
  // when it gets its turn.
  enum class Waits { for_others, for_itself };
  void begin_wait(Instant now, Waits waits);
  void end_wait(Instant now);

  // While it waits: when it must have a turn, for its timer or because a limit is met then.
  std::optional<Instant> next_timer() const;

  // The functions of a module are called from now on.
  void measure_calls() { measures_calls_ = true; }
  void drop_deadline() { deadline_.reset(); }

  // Nobody wants its answer any more. It has a moment left to close what it has open.
  void begin_abort(Instant now);

 private:
  const Instant accepted_;
  std::optional<Instant> deadline_;
  std::optional<Duration> call_limit_;  // of busy_time_, once calls are measured
  std::optional<Duration> computing_limit_;
  std::optional<Duration> cpu_limit_;
  Duration computing_time_{};
  Duration cpu_time_{};
  Duration busy_time_{};
  std::optional<Instant> timer_;
  std::optional<Instant> idle_since_;  // it waits for itself since then
  bool measures_calls_ = false;
  bool is_aborted_ = false;
};

}  // namespace cordon::host
