#pragma once

// What a tunnel serves and to whom: all that one configuration says. It does not change; a new
// configuration is a new one, and requests under way finish with theirs.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/engine.h"
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
};

// The allow-list.
struct ExposedIds {
  std::vector<std::string> tasks = {};
  std::vector<std::string> events = {};
};

struct TunnelRules {
  // Those of the options that a reload may change; the others are the TunnelServer's.
  explicit TunnelRules(const ServerOptions& options = {});

  std::string base_path;  // as normal_base_path gives it
  AuthRules auth;         // its header in lower case
  // Validators are configured but missing. They refuse every request, and no request is anonymous.
  bool has_absent_validators = false;
  std::vector<std::string> contexts;
  CorsRules cors;
  BodyLimits limits;
  std::optional<std::chrono::milliseconds> deadline;
  std::optional<ExposedIds> exposed = {};
  bool allow_open_exposure = false;  // without `exposed`: all that is served
  std::vector<Served> tasks = {};
  std::vector<Served> events = {};
  std::shared_ptr<const PluginSet> plugins = {};  // behind them, for their figures; null: none
};

}  // namespace cordon::server
