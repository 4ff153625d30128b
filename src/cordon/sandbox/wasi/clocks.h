#pragma once

// The clocks of a guest. They are coarse, so that they reveal little about others on the machine.

#include <cstdint>
#include <optional>

namespace cordon::sandbox::wasi {

enum class ClockId : std::uint32_t { realtime = 0, monotonic = 1 };

class Clocks {
 public:
  Clocks();

  // Nanoseconds: the wall clock in whole milliseconds, the monotonic one in microseconds since the
  // guest's start. Returns nothing for a clock that a guest does not get.
  std::optional<std::uint64_t> now(std::uint32_t clock) const;
  static std::optional<std::uint64_t> resolution(std::uint32_t clock);

 private:
  std::uint64_t start_;
};

}  // namespace cordon::sandbox::wasi
