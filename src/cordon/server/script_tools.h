#pragma once

// Tools of a server's scripts that a module exports.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cordon/config/configuration.h"
#include "cordon/engine.h"
#include "cordon/provider.h"
#include "cordon/result.h"

namespace cordon::server {

// The functions that a module exports. Each call has a fresh sandbox, as the module left it when it
// was loaded: nothing that one call does is seen by another. They run on `engine`, which has
// workers of its own: a task that waits for a tool keeps its sandbox, so tools must not wait for
// one of the same. What a tool logs goes to `on_log`, by any thread. Blocks.
using ToolLog = std::function<void(std::string_view id, const CallOrigin&, const LogLine&)>;
Result<Provider> load_script_tools(const std::shared_ptr<Engine>& engine, const std::string& name,
                                   const config::ScriptProvider& entry,
                                   const config::Configuration& configuration, ToolLog on_log);

// What cannot be called yet: any name is a function, which fails and says so. `kind` is "MCP
// servers" or the like.
Provider make_absent_tools(const std::string& name, std::string_view kind);

// What the configuration says of single clocks, over what its `timeoutMs` sets.
TimePolicy with_limits(TimePolicy policy, const TimePolicy& given);

// What every script of the configuration is run with: its limits but for the clocks, and where its
// imports lie.
ExecuteOptions script_options(const std::string& file, const config::Configuration& configuration);
// The limit for a script's top level, which may wait for a timer or a tool.
inline constexpr std::chrono::milliseconds max_load_time{10'000};

// The whole of a script.
Result<std::string> read_script(const std::string& file);

}  // namespace cordon::server
