#pragma once

// A module in a sandbox as a task or event of a tunnel.

#include <string>
#include <string_view>

#include "cordon/engine.h"
#include "cordon/host/script_task.h"
#include "cordon/result.h"
#include "cordon/script.h"
#include "cordon/server/tunnel_rules.h"

namespace cordon::server {

// Runs the top level of the module `text` on `loader`. Calls run on the engine of the thread that
// serves them: a module that is loaded starts on any engine. Blocks.
Result<Served> serve_script(Engine& loader, std::string_view id, std::string_view text,
                            host::ScriptTaskOptions options);

// The same of what an embedder gives. The error begins with the file, or else with the id.
Result<Served> serve_script(Engine& loader, std::string_view id, host::ScriptKind kind,
                            const Script& script);

}  // namespace cordon::server
