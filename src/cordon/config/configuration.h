#pragma once

// cordon.json, read and checked. docs/configuration.md explains the keys; keys.cc says them, for
// the reader and for editors. The options are the very structs of the layers that obey them, so a
// new key is a field there and a line in keys.cc.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/plugin.h"
#include "cordon/providers/tool_list.h"
#include "cordon/server_options.h"
#include "cordon/value.h"
#include "cordon/value_rule.h"

namespace cordon::config {

// Entries keep the order of the file.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

// A clock that the file does not name is as `timeoutMs` sets it, or does not run.
inline constexpr TimePolicy no_clocks{.total = {}, .computing = {}, .cpu = {}};

// The limits of every script, unless its own entry says otherwise: the defaults of an execution,
// except for its clocks.
struct ScriptLimits : Limits {
  ScriptLimits() { time = no_clocks; }  // those that the file names
  // Whose time it is depends on what the script is: docs/configuration.md.
  std::chrono::milliseconds timeout = *TimePolicy().total;
};

struct ScriptProvider {
  std::string script;               // paths are absolute here
  std::optional<ValueRule> values;  // this and those below: instead of Configuration::values
  // These of its functions and no others, with rules; all where there is no list.
  std::optional<providers::ToolList> tools;
};

struct McpServer {
  std::string command;  // or url
  std::vector<std::string> arguments;
  Named<std::string> environment;
  std::string url;
};

// A lane of another tunnel, whose calls are signed.
struct SignedLane {
  std::vector<std::string> tasks;     // patterns of ids
  std::optional<std::string> secret;  // or a key
  std::optional<std::string> private_key;
  std::optional<std::string> key_id;
  std::string header = "authorization";
};

struct TunnelTarget {
  std::string url;
  std::optional<std::string> token;
  std::string header = "x-runner-token";          // that has the token
  Named<std::string> headers;                     // of every request
  std::optional<std::vector<std::string>> allow;  // patterns of ids of tasks; none: all
  std::optional<std::size_t> max_calls;           // this and the next: of one execution
  std::uint64_t max_bytes = std::uint64_t{256} << 20;
  std::chrono::milliseconds timeout{30'000};  // of a call
  std::chrono::milliseconds discovery_timeout{2'000};
  Named<SignedLane> lanes;
};

struct PluginEntry {
  PluginOptions options;                             // without callbacks and contracts
  std::vector<std::string> functions;                // that scripts and plugins may call; none: all
  std::optional<std::chrono::milliseconds> timeout;  // instead of limits.timeoutMs
  std::vector<std::string> callbacks;                // "provider.tool"
};

struct TaskEntry {
  std::string script;  // or a plugin's function
  std::string plugin;
  std::string function;
  std::optional<Value> input_schema;
  std::vector<std::string> tools;  // names of providers, MCP servers, tunnels, plugins
  std::optional<ValueRule> values;
  std::optional<std::vector<std::string>> contexts;  // instead of those of all
  std::optional<std::chrono::milliseconds> timeout;
  TimePolicy time = no_clocks;
  std::optional<std::uint64_t> memory_bytes;
};

struct EventEntry {
  std::string script;
  bool is_parallel = false;
  std::optional<Value> payload_schema;
  std::vector<std::string> tools;
  std::optional<ValueRule> values;
  std::optional<std::vector<std::string>> contexts;  // instead of those of all
  std::optional<std::chrono::milliseconds> timeout;
  TimePolicy time = no_clocks;
  std::optional<std::uint64_t> memory_bytes;
};

struct Expose {
  std::vector<std::string> tasks;
  std::vector<std::string> events;
};

// Lines of a server's log, from the least important on. One that is configured stands for itself
// and all that follow.
enum class LogThreshold : std::uint8_t { debug, info, warn, error };

// A server's options, and what only a file can say.
struct Server : ServerOptions {
  std::optional<Expose> expose;
  bool allow_open_exposure = false;
  // For each thread. A task that waits, for example for a slow client, soon gives its sandbox to
  // others. Otherwise as many slow clients as there are sandboxes would stop the server. So `queue`
  // holds only calls that are about to run, and need not be long.
  EngineOptions engine = {.workers = 0,
                          .slots = 64,
                          .queue = 1000,
                          .hibernate_after = std::chrono::milliseconds(250),
                          .max_hibernated = 10'000,
                          .max_hibernated_bytes = std::uint64_t{256} << 20};
  std::string metrics_listen;  // /healthz, /readyz, /metrics; empty: none
  std::string access_log;      // empty: none; "-": stderr; else a file
  bool log_json = false;
  LogThreshold log_level = LogThreshold::debug;
};

struct Configuration {
  std::string file;  // as it was named
  // What no script may import, though it lies beside them: the file itself, files with secrets,
  // keys and certificates.
  std::vector<std::string> private_files;
  ScriptLimits limits;
  ValueRule values = ValueRule::rich;  // or json
  Named<ScriptProvider> providers;
  Named<McpServer> mcp_servers;
  Named<TunnelTarget> tunnels;
  Named<PluginEntry> plugins;
  Named<TaskEntry> tasks;
  Named<EventEntry> events;
  Server server;
};

}  // namespace cordon::config
