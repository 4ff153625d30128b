#include "cordon/host/clocks.h"

#include <algorithm>

namespace cordon::host {
namespace {

// Enough to close what is open. The client is gone, and other executions want the sandbox.
constexpr std::chrono::milliseconds abort_computing_grace(50);
constexpr std::chrono::seconds abort_grace(1);

}  // namespace

Clocks::Clocks(const Limits& limits, Instant accepted)
    : accepted_(accepted),
      call_limit_(limits.time.total),
      computing_limit_(limits.time.computing),
      cpu_limit_(limits.time.cpu) {
  if (limits.time.total) deadline_ = accepted + *limits.time.total;
}

Instant Clocks::slice_end(Instant now, Duration slice) const {
  Instant end = now + slice;
  if (deadline_) end = std::min(end, *deadline_);
  if (computing_limit_) end = std::min(end, now + (*computing_limit_ - computing_time_));
  if (cpu_limit_) end = std::min(end, now + (*cpu_limit_ - cpu_time_));
  return end;
}

bool Clocks::is_past_limit(Instant now) const {
  if (measures_calls_ && call_limit_ && busy_time_ >= *call_limit_) return true;
  return is_late(now) || (computing_limit_ && computing_time_ >= *computing_limit_) ||
         (cpu_limit_ && cpu_time_ >= *cpu_limit_);
}

void Clocks::add_computing(Duration took, Duration cpu) {
  computing_time_ += took;
  busy_time_ += took;
  cpu_time_ += cpu;
}

void Clocks::begin_wait(Instant now, Waits waits) {
  const bool counts = computing_limit_ && !measures_calls_ && !is_aborted_;
  if (counts && waits == Waits::for_itself) idle_since_ = now;
}

void Clocks::end_wait(Instant now) {
  if (!idle_since_) return;
  const Instant until = timer_ ? std::min(now, *timer_) : now;
  computing_time_ += std::max(Duration(), Duration(until - *idle_since_));
  idle_since_.reset();
}

std::optional<Instant> Clocks::next_timer() const {
  std::optional<Instant> next = deadline_;
  const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (timer_) consider(*timer_);
  if (idle_since_) consider(*idle_since_ + (*computing_limit_ - computing_time_));
  return next;
}

void Clocks::begin_abort(Instant now) {
  end_wait(now);
  is_aborted_ = true;
  deadline_ = deadline_ ? std::min(*deadline_, now + abort_grace) : now + abort_grace;
  const Duration own = computing_time_ + abort_computing_grace;
  computing_limit_ = computing_limit_ ? std::min(*computing_limit_, own) : own;
}

}  // namespace cordon::host
