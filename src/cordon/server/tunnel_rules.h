#pragma once

// What a tunnel serves and to whom: all that one configuration says. It does not change; a new
// configuration is a new one, and requests under way finish with theirs.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/engine.h"
#include "cordon/protocol/tunnel/policy.h"
#include "cordon/result.h"
#include "cordon/schema/schema.h"
#include "cordon/server_options.h"
#include "cordon/task_call.h"

namespace cordon::server {

class PluginSet;
class WorkPool;

// What a handler may use of the thread that calls it.
struct ShardContext {
  Engine* engine;  // null if there are no scripts
  // Any thread: calls it by this one, later.
  std::function<void(std::function<void()>)> post;
  WorkPool* pool;  // for what would keep this one for long
};

// A task or an event.
struct Served {
  std::string id;
  // Once for each thread of the server.
  std::function<Result<std::shared_ptr<TaskHandler>>(const ShardContext&)> make;
  std::optional<schema::Schema> input = {};
  bool is_parallel = false;  // of an event
  // Instead of those of all.
  std::optional<std::vector<std::string>> contexts = {};
};

using ExposedIds = tunnel::ExposedIds;

struct TunnelRules : tunnel::PolicyOptions {
  // Those of the options that a reload may change; the others are the TunnelServer's. Without the
  // lanes, whose keys may be wrong.
  explicit TunnelRules(const ServerOptions& options = {});
  Result<> add_lanes(const ServerOptions& options);

  std::vector<Served> tasks = {};
  std::vector<Served> events = {};
  // What scripts may call, as "provider.tool", or "provider.*" where any name is one: for figures.
  std::vector<std::string> tools = {};
  std::shared_ptr<const PluginSet> plugins = {};  // behind them, for their figures; null: none
};

}  // namespace cordon::server
