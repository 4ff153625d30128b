#pragma once

// The private part of an Engine.

#include <memory>

#include "cordon/engine.h"
#include "cordon/host/scheduler.h"

namespace cordon {

struct Engine::State {
  std::shared_ptr<host::Scheduler> scheduler;
};

}  // namespace cordon
