#pragma once

// The times of one execution: what it has used so far, and what it may use. It reads no clock. One
// thread at a time may use it.
//
// Four clocks run side by side. The total runs from acceptance to the end, and has the deadline
// as its limit. The computing time is what the guest computes or waits by itself, without waits for
// others. The processor time is a part of that. The busy time is what it has computed since it last
// waited. A kept module has no end: once its functions are called, all limits count each stretch of
// computing alone.

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

  // The guest computed for this long.
  void add_computing(Duration took, Duration cpu);
  // The guest has nothing more to do for now.
  void rest() {
    busy_time_ = Duration();
    if (measures_calls_) computing_time_ = cpu_time_ = Duration();
  }

  // The guest's own next timer.
  void set_timer(std::optional<Instant> at) { timer_ = at; }
  bool has_timer() const { return timer_.has_value(); }
  bool timer_is_due(Instant now) const { return timer_ && now >= *timer_; }

  // The guest waits from now on. A wait for nothing but itself, for its timers or for nothing at
  // all, counts as its own time. What exceeds the wait for its timer does not count, since the
  // guest cannot decide when it gets its turn.
  enum class Waits { for_others, for_itself };
  void begin_wait(Instant now, Waits waits);
  void end_wait(Instant now);

  // While it waits: when it needs a turn, for its timer or because it meets a limit then.
  std::optional<Instant> next_timer() const;

  // The functions of a module are called from now on.
  void measure_calls() { measures_calls_ = true; }
  void drop_deadline() { deadline_.reset(); }

  // Its answer is not wanted any more. It has a moment left to close what is open.
  void begin_abort(Instant now);
  bool is_aborted() const { return is_aborted_; }

 private:
  const Instant accepted_;
  std::optional<Instant> deadline_;
  std::optional<Duration> call_limit_;  // limits busy_time_, once calls are measured
  std::optional<Duration> computing_limit_;
  std::optional<Duration> cpu_limit_;
  Duration computing_time_{};
  Duration cpu_time_{};
  Duration busy_time_{};
  std::optional<Instant> timer_;
  std::optional<Instant> idle_since_;  // since when it waits for itself
  bool measures_calls_ = false;
  bool is_aborted_ = false;
};

}  // namespace cordon::host
