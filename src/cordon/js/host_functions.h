#pragma once

// What the guest may import from `cordon`: the host half of guest/host.h.

#include <span>

#include "cordon/sandbox/module.h"

namespace cordon::js {

struct HostFunctions {
  static std::span<const sandbox::HostFunction> all();

 private:
  static sandbox::Proceed emit(sandbox::Instance& instance, std::span<sandbox::Slot> slots);
  static sandbox::Proceed grow(sandbox::Instance& instance, std::span<sandbox::Slot> slots);
  static sandbox::Proceed clock(sandbox::Instance& instance, std::span<sandbox::Slot> slots);
  static sandbox::Proceed stage(sandbox::Instance& instance, std::span<sandbox::Slot> slots);
  static sandbox::Proceed unstage(sandbox::Instance& instance, std::span<sandbox::Slot> slots);
};

}  // namespace cordon::js
