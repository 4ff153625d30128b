#pragma once

// The functions of a module as tools, each call in a fresh sandbox.

#include <functional>
#include <string_view>

#include "cordon/module.h"
#include "cordon/provider.h"

namespace cordon::host {

struct ModuleProviderOptions {
  ExecuteOptions execute = {};  // of each call; its origin is that of whoever calls
  // Whether a function is told of its call's origin, by a second argument: {requestId,
  // traceparent}. The module then has the rule ValueRule::rich.
  bool has_context = false;
  // What a call logs, as it does, in the place of execute.on_log. Any thread calls it.
  std::function<void(std::string_view function, const CallOrigin&, const LogLine&)> on_log = {};
};

// A call ends with the execution that made it. What a function throws is a tool_error.
Provider provider_of(const Module& module, std::string_view name, ModuleProviderOptions options);

}  // namespace cordon::host
