#pragma once

// cordon.json, read and checked. docs/configuration.md explains the keys; schema.cc says them to
// editors.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/value.h"

namespace cordon::config {

// Entries keep the order of the file.
template <class T>
using Named = std::vector<std::pair<std::string, T>>;

// Of every script, unless its own entry says otherwise.
struct Limits {
  std::chrono::milliseconds timeout{5000};
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;
  std::size_t log_lines = 100;
  std::size_t log_chars = 64'000;
};

struct ScriptProvider {
  std::string script;  // paths are absolute here
};

struct McpServer {
  std::string command;  // or url
  std::vector<std::string> arguments;
  Named<std::string> environment;
  std::string url;
};

struct TunnelTarget {
  std::string url;
  std::optional<std::string> token;
};

// What compiling a plugin's module may cost.
struct PluginCompile {
  std::chrono::milliseconds timeout{30'000};
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
};

struct PluginEntry {
  std::string wasm;
  std::vector<std::string> functions;  // that scripts and plugins may call; none: all
  std::size_t processes = 1;
  std::size_t spares = 0;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::string> callbacks;  // "provider.tool"
  std::uint64_t frame_bytes = std::uint64_t{16} << 20;
  PluginCompile compile;
};

struct TaskEntry {
  std::string script;  // or a plugin's function
  std::string plugin;
  std::string function;
  std::optional<Value> input_schema;
  std::vector<std::string> tools;  // names of providers, MCP servers, tunnels, plugins
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::uint64_t> memory_bytes;
};

struct EventEntry {
  std::string script;
  bool is_parallel = false;
  std::optional<Value> payload_schema;
  std::vector<std::string> tools;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::uint64_t> memory_bytes;
};

struct Auth {
  std::vector<std::string> tokens;
  std::string header = "x-runner-token";
  bool allow_anonymous = false;
  std::vector<std::string> validators;  // ids of tasks
};

struct Cors {
  bool any_origin = false;                          // "*"
  std::optional<std::string> origin;                // one, sent whatever the request's is
  std::optional<std::vector<std::string>> origins;  // a list: the match is echoed
  bool credentials = false;
  std::vector<std::string> methods;
  std::vector<std::string> allowed_headers;
  std::vector<std::string> exposed_headers;
  std::optional<std::uint64_t> max_age;
};

struct BodyLimits {
  std::uint64_t json_bytes = 2'097'152;
  std::uint64_t file_bytes = 20'971'520;
  std::size_t files = 10;
  std::size_t fields = 100;
  std::uint64_t field_bytes = 1'048'576;
  std::uint64_t response_bytes = std::uint64_t{64} << 20;
  std::size_t memory_bytes = std::size_t{1} << 30;
};

struct Tls {
  std::string certificate;  // PEM files
  std::string key;

  friend bool operator==(const Tls&, const Tls&) = default;
};

// Of connections, whatever is asked on them.
struct ConnectionLimits {
  std::size_t connections = 20'000;
  std::optional<std::size_t> connections_per_address;  // 0: no limit
  std::size_t header_bytes = 16'384;
  std::chrono::milliseconds header_timeout{
      10'000};  // from the first byte of a request to its head's end
  std::chrono::milliseconds idle_timeout{75'000};   // between requests
  std::chrono::milliseconds stall_timeout{30'000};  // a body or an answer that makes no progress
  std::chrono::milliseconds drain_timeout{10'000};  // on SIGTERM: for what is under way

  friend bool operator==(const ConnectionLimits&, const ConnectionLimits&) = default;
};

struct Expose {
  std::vector<std::string> tasks;
  std::vector<std::string> events;
};

struct Server {
  std::string listen = "127.0.0.1:7070";  // HOST:PORT, [IPv6]:PORT or unix:PATH
  std::vector<std::string> more_listen;   // further ones
  std::string base_path = "/__runner";
  Auth auth;
  std::optional<Cors> cors;
  BodyLimits limits;
  std::optional<Expose> expose;
  bool allow_open_exposure = false;
  std::optional<std::chrono::milliseconds> deadline;
  std::optional<Tls> tls;
  ConnectionLimits connection;
  std::vector<std::string> trusted_proxies;  // addresses or CIDR ranges
  std::size_t threads = 0;                   // 0: as many as processors
  std::size_t sandboxes = 0;                 // a thread's; 0: the default
  std::size_t queue = 1000;                  // calls that may wait for a sandbox; past it: 503
  std::size_t asleep = 10'000;               // a thread's calls that may wait without a sandbox
  std::string metrics_listen;                // /healthz, /readyz, /metrics; empty: none
  std::string access_log;                    // empty: none; "-": stderr; else a file
  bool log_json = false;
};

struct Configuration {
  std::string file;  // as it was named
  // What no script may import, though it lies beside them: the file itself, files with secrets,
  // keys and certificates.
  std::vector<std::string> private_files;
  Limits limits;
  Named<ScriptProvider> providers;
  Named<McpServer> mcp_servers;
  Named<TunnelTarget> tunnels;
  Named<PluginEntry> plugins;
  std::vector<std::string> contexts;
  Named<TaskEntry> tasks;
  Named<EventEntry> events;
  Server server;
};

}  // namespace cordon::config
