#include "cordon/server/configured_tunnel.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "cordon/host/script_task.h"
#include "cordon/server/plugin_set.h"
#include "cordon/server/script_tools.h"
#include "cordon/transport/http/trusted_proxies.h"
#include "cordon/transport/listen_address.h"

namespace cordon::server {
namespace {

namespace http = transport::http;
using Tools = ProvidersByName;

// Of a script's top level, which may wait for a timer or a tool.
constexpr std::chrono::seconds longest_load{10};

std::size_t threads_of(const config::Configuration& configuration) {
  const std::size_t asked = configuration.server.threads;
  return asked == 0 ? processors() : asked;
}

tunnel::CorsRules cors_of(const std::optional<config::Cors>& cors) {
  tunnel::CorsRules rules;
  if (!cors) return rules;
  rules.origin = cors->any_origin ? std::optional<std::string>("*") : cors->origin;
  rules.origins = cors->origins;
  rules.credentials = cors->credentials;
  rules.methods = cors->methods;
  rules.allowed_headers = cors->allowed_headers;
  rules.exposed_headers = cors->exposed_headers;
  rules.max_age = cors->max_age;
  return rules;
}

TunnelRules rules_without_scripts(const config::Configuration& configuration) {
  const config::Server& server = configuration.server;
  TunnelRules rules;
  rules.base_path = server.base_path;
  rules.tokens = server.auth.tokens;
  rules.token_header = server.auth.header;
  rules.allow_anonymous = server.auth.allow_anonymous;
  for (const std::string& id : server.auth.validators) {
    const bool is_there = std::ranges::any_of(configuration.tasks,
                                              [&](const auto& task) { return task.first == id; });
    if (is_there) {
      rules.validators.push_back(id);
    } else {
      rules.has_absent_validators = true;
    }
  }
  rules.contexts = configuration.contexts;
  rules.cors = cors_of(server.cors);
  rules.json_bytes = server.limits.json_bytes;
  rules.response_bytes = server.limits.response_bytes;
  rules.multipart.file_bytes = server.limits.file_bytes;
  rules.multipart.files = server.limits.files;
  rules.multipart.fields = server.limits.fields;
  rules.multipart.field_bytes = server.limits.field_bytes;
  rules.deadline = server.deadline;
  if (server.expose) rules.exposed.emplace(server.expose->tasks, server.expose->events);
  rules.allow_open_exposure = server.allow_open_exposure;
  return rules;
}

template <class Entry>
ExecuteOptions execute_options(const config::Configuration& configuration, const Entry& entry,
                               const Tools& tools) {
  ExecuteOptions options;
  options.limits.timeout.reset();
  options.limits.own_time = entry.timeout.value_or(configuration.limits.timeout);
  options.limits.memory_bytes = entry.memory_bytes.value_or(configuration.limits.memory_bytes);
  options.limits.log_lines = configuration.limits.log_lines;
  options.limits.log_chars = configuration.limits.log_chars;
  options.module_folder = folder_of(entry.script);
  options.private_files = configuration.private_files;
  options.name = name_in_folder(entry.script);
  for (const std::string& name : entry.tools) {
    const auto found = tools.find(name);
    if (found != tools.end()) options.providers.push_back(found->second);
  }
  return options;
}

}  // namespace

Result<TunnelServerOptions> options_of(const config::Configuration& configuration) {
  const config::Server& server = configuration.server;
  TunnelServerOptions options;
  std::vector<std::string> addresses = server.more_listen;
  addresses.insert(addresses.begin(), server.listen);
  for (const std::string& address : addresses) {
    options.listen.push_back(CORDON_TRY(transport::parse_http_address(address)));
  }
  options.threads = threads_of(configuration);
  options.sandboxes = server.sandboxes;
  options.queue = server.queue;
  options.asleep = server.asleep;
  options.memory_bytes = server.limits.memory_bytes;
  options.drain_timeout = server.connection.drain_timeout;
  options.http.header_bytes = server.connection.header_bytes;
  options.http.header_timeout = server.connection.header_timeout;
  options.http.idle_timeout = server.connection.idle_timeout;
  options.http.stall_timeout = server.connection.stall_timeout;
  options.http.proxies = CORDON_TRY(http::TrustedProxies::parse(server.trusted_proxies));
  options.connections.connections = server.connection.connections;
  options.connections.connections_per_address = server.connection.connections_per_address;
  if (server.tls) options.tls = {.certificate = server.tls->certificate, .key = server.tls->key};
  return options;
}

ScriptLoader::ScriptLoader(std::size_t threads, ScriptObserver observer)
    : threads_(threads == 0 ? processors() : threads),
      observer_(std::make_shared<const ScriptObserver>(std::move(observer))) {}

Result<std::shared_ptr<Engine>> ScriptLoader::tools_engine() {
  constexpr std::size_t sandboxes = 64;
  if (tools_ == nullptr) {
    tools_ = std::make_shared<Engine>(CORDON_TRY(Engine::create(
        {.workers = threads_, .slots = sandboxes, .sleep_after = std::chrono::milliseconds(250)})));
  }
  return tools_;
}

std::expected<std::shared_ptr<const TunnelRules>, std::vector<std::string>> ScriptLoader::load(
    const config::Configuration& configuration) {
  std::vector<std::string> mistakes;
  Tools tools;
  for (const auto& [name, provider] : configuration.providers) {
    const Result<std::shared_ptr<Engine>> workers = tools_engine();
    if (!workers) {
      mistakes.push_back("providers: " + workers.error().detail);
      break;
    }
    Result<Provider> loaded =
        load_script_tools(*workers, name, provider, configuration, observer_->on_log);
    if (loaded) {
      tools.emplace(name, *std::move(loaded));
    } else {
      mistakes.push_back(provider.script + ": " + loaded.error().detail);
    }
  }
  for (const auto& [name, server] : configuration.mcp_servers) {
    tools.emplace(name, make_absent_tools(name, "MCP servers"));
  }
  for (const auto& [name, tunnel] : configuration.tunnels) {
    tools.emplace(name, make_absent_tools(name, "tunnels"));
  }
  const std::shared_ptr<PluginSet> plugins =
      PluginSet::create(configuration, tools, observer_->on_plugin, mistakes);
  tools.merge(plugins->providers());

  // Only loads, and goes with what loading took: what was prepared starts on any engine.
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) {
    mistakes.push_back(engine.error().detail);
    return std::unexpected(std::move(mistakes));
  }
  TunnelRules rules = rules_without_scripts(configuration);
  const auto serve = [&](const std::string& id, const auto& entry, host::ScriptKind kind,
                         const std::optional<Value>& input) -> Result<Served> {
    host::ScriptTaskOptions options;
    options.kind = kind;
    options.execute = execute_options(configuration, entry, tools);
    const std::string text = CORDON_TRY(read_script(entry.script));
    ExecuteOptions loading = options.execute;
    loading.limits.timeout = longest_load;
    const Prepared prepared = CORDON_TRY(host::ScriptTask::prepare(*engine, text, loading));
    if (observer_->on_log) {
      options.on_log = [observer = observer_, id](const CallOrigin& origin, const LogLine& line) {
        observer->on_log(id, origin, line);
      };
    }
    if (observer_->on_end) {
      options.on_end = [observer = observer_, id](const CallOrigin& origin, const Report& report) {
        observer->on_end(id, origin, report);
      };
    }
    Served served;
    served.id = id;
    if (input) served.input = CORDON_TRY(schema::Schema::compile(*input));
    served.make = [prepared,
                   options](const ShardTools& shard) -> Result<std::shared_ptr<TaskHandler>> {
      return std::make_shared<host::ScriptTask>(*shard.engine, prepared, options);
    };
    return served;
  };
  const auto serve_plugin = [&](const std::string& id,
                                const config::TaskEntry& task) -> Result<Served> {
    Served served;
    served.id = id;
    if (task.input_schema) {
      served.input = CORDON_TRY(schema::Schema::compile(*task.input_schema));
    }
    served.make = CORDON_TRY(plugins->task(task));
    return served;
  };
  for (const auto& [id, task] : configuration.tasks) {
    const bool is_script = task.plugin.empty();
    Result<Served> served = is_script ? serve(id, task, host::ScriptKind::task, task.input_schema)
                                      : serve_plugin(id, task);
    if (served) {
      rules.tasks.push_back(*std::move(served));
    } else {
      mistakes.push_back((is_script ? task.script : "tasks." + id) + ": " + served.error().detail);
    }
  }
  for (const auto& [id, event] : configuration.events) {
    Result<Served> served = serve(id, event, host::ScriptKind::event, event.payload_schema);
    if (served) {
      served->is_parallel = event.is_parallel;
      rules.events.push_back(*std::move(served));
    } else {
      mistakes.push_back(event.script + ": " + served.error().detail);
    }
  }
  if (!mistakes.empty()) return std::unexpected(std::move(mistakes));
  rules.plugins = plugins;
  return std::make_shared<const TunnelRules>(std::move(rules));
}

}  // namespace cordon::server
