#pragma once

// The functions of a module as tools, each call in a fresh sandbox.

#include <functional>
#include <string_view>

#include "cordon/module.h"
#include "cordon/provider.h"

namespace cordon::host {

struct ModuleProviderOptions {
  ExecuteOptions execute = {};  // for each call; its origin is that of the caller
  // Whether a function gets the origin of its call as a second argument: {requestId, traceparent}.
  // The module then has the rule ValueRule::rich.
  bool has_context = false;
  // Gets each log line of a call at once, instead of execute.on_log. Any thread may call it.
  std::function<void(std::string_view function, const CallOrigin&, const LogLine&)> on_log = {};
};

// A call ends with the execution that made it. An error that a function throws is a tool_error.
Provider provider_of(const Module& module, std::string_view name, ModuleProviderOptions options);

}  // namespace cordon::host
