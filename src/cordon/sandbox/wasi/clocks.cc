#include "cordon/sandbox/wasi/clocks.h"

#include <ctime>

namespace cordon::sandbox::wasi {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t ns_per_us = 1'000;
constexpr std::uint64_t ns_per_second = 1'000'000'000;

std::uint64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * ns_per_second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Clocks::Clocks() : start_(read_clock(CLOCK_MONOTONIC)) {}

std::optional<std::uint64_t> Clocks::now(std::uint32_t clock) const {
  switch (static_cast<ClockId>(clock)) {
    case ClockId::realtime:
      return read_clock(CLOCK_REALTIME) / ns_per_ms * ns_per_ms;
    case ClockId::monotonic:
      return (read_clock(CLOCK_MONOTONIC) - start_) / ns_per_us * ns_per_us;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Clocks::resolution(std::uint32_t clock) {
  switch (static_cast<ClockId>(clock)) {
    case ClockId::realtime:
      return ns_per_ms;
    case ClockId::monotonic:
      return ns_per_us;
  }
  return std::nullopt;
}

}  // namespace cordon::sandbox::wasi
