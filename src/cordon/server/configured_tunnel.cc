#include "cordon/server/configured_tunnel.h"

#include <algorithm>
#include <utility>

#include "cordon/host/script_task.h"
#include "cordon/server/plugin_set.h"
#include "cordon/server/remote_tunnels.h"
#include "cordon/server/script_tools.h"
#include "cordon/server/served_script.h"

namespace cordon::server {
namespace {

using Tools = ProvidersByName;

TunnelRules rules_without_scripts(const config::Configuration& configuration) {
  const config::Server& server = configuration.server;
  TunnelRules rules(server);
  const std::size_t absent = std::erase_if(rules.auth.validators, [&](const std::string& id) {
    return std::ranges::none_of(configuration.tasks,
                                [&](const auto& task) { return task.first == id; });
  });
  rules.has_absent_validators = absent > 0;
  if (server.expose) rules.exposed.emplace(server.expose->tasks, server.expose->events);
  rules.allow_open_exposure = server.allow_open_exposure;
  return rules;
}

// The entry's own keys go before those of all scripts, and single clocks before `timeoutMs`.
template <class Entry>
TimePolicy time_of(const config::ScriptLimits& limits, const Entry& entry) {
  TimePolicy policy =
      with_limits({.total = {}, .computing = limits.timeout, .cpu = {}}, limits.time);
  if (entry.timeout) policy.computing = entry.timeout;
  return with_limits(policy, entry.time);
}

template <class Entry>
ExecuteOptions execute_options(const config::Configuration& configuration, const Entry& entry,
                               const Tools& tools) {
  ExecuteOptions options = script_options(entry.script, configuration);
  options.limits.time = time_of(configuration.limits, entry);
  options.values = entry.values.value_or(configuration.values);
  if (entry.memory_bytes) options.limits.memory_bytes = *entry.memory_bytes;
  for (const std::string& name : entry.tools) {
    const auto found = tools.find(name);
    if (found != tools.end()) options.providers.push_back(found->second);
  }
  return options;
}

std::vector<std::string> names_of(const Tools& tools) {
  std::vector<std::string> names;
  for (const auto& [name, provider] : tools) {
    for (const Tool& tool : provider.tools()) names.push_back(name + "." + tool.name);
    if (provider.tools().empty()) names.push_back(name + ".*");
  }
  return names;
}

// Names that a tunnel does not list yet may be listed while the server runs.
void add_remote_tools(const config::Configuration& configuration, ScriptLoader::Tunnels asked,
                      Tools& tools, std::vector<std::string>& mistakes,
                      std::vector<std::string>& warnings) {
  const Result<RemoteTunnels> tunnels = RemoteTunnels::create(configuration);
  if (!tunnels) {
    mistakes.push_back(configuration.file + ": " + tunnels.error().message);
    return;
  }
  const bool is_asked = asked == ScriptLoader::Tunnels::asked;
  if (is_asked) tunnels->discover();
  for (const auto& [name, tasks] : tunnels->all()) {
    if (std::string silence = silence_text(*tasks); is_asked && !silence.empty())
      warnings.push_back(std::move(silence) + " yet; its calls ask for them again");
    if (std::string overflow = tasks->overflow(); !overflow.empty())
      warnings.push_back(std::move(overflow));
    tools.emplace(name, tasks->provider(providers::RemoteTasks::Names::open));
  }
}

}  // namespace

ScriptLoader::ScriptLoader(std::size_t threads, ScriptObserver observer, Tunnels tunnels)
    : threads_(threads),
      tunnels_(tunnels),
      observer_(std::make_shared<const ScriptObserver>(std::move(observer))) {}

Result<std::shared_ptr<Engine>> ScriptLoader::tools_engine() {
  const EngineOptions usual = config::Server().engine;
  if (tools_ == nullptr) {
    tools_ = std::make_shared<Engine>(CORDON_TRY(Engine::create(
        {.workers = threads_, .slots = usual.slots, .hibernate_after = usual.hibernate_after})));
  }
  return tools_;
}

std::expected<std::shared_ptr<const TunnelRules>, std::vector<std::string>> ScriptLoader::load(
    const config::Configuration& configuration, std::vector<std::string>& warnings) {
  std::vector<std::string> mistakes;
  Tools tools;
  for (const auto& [name, provider] : configuration.providers) {
    const Result<std::shared_ptr<Engine>> workers = tools_engine();
    if (!workers) {
      mistakes.push_back("providers: " + workers.error().message);
      break;
    }
    Result<Provider> loaded =
        load_script_tools(*workers, name, provider, configuration, observer_->on_log);
    if (loaded) {
      if (loaded->tools().empty()) {
        warnings.push_back(provider.script + ": exports no function, so the provider \"" + name +
                           "\" has no tools; write `export` before those that guests may call");
      }
      tools.emplace(name, *std::move(loaded));
    } else {
      mistakes.push_back(provider.script + ": " + loaded.error().message);
    }
  }
  for (const auto& [name, server] : configuration.mcp_servers) {
    tools.emplace(name, make_absent_tools(name, "MCP servers"));
  }
  add_remote_tools(configuration, tunnels_, tools, mistakes, warnings);
  const std::shared_ptr<PluginSet> plugins =
      PluginSet::create(configuration, tools, observer_->on_plugin, mistakes);
  tools.merge(plugins->providers());

  // Only loads, and goes with what loading took: a module that is loaded starts on any engine.
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) {
    mistakes.push_back(engine.error().message);
    return std::unexpected(std::move(mistakes));
  }
  TunnelRules rules = rules_without_scripts(configuration);
  if (const Result<> added = rules.add_lanes(configuration.server); !added)
    mistakes.push_back("server." + added.error().message);
  const auto serve = [&](const std::string& id, const auto& entry, host::ScriptKind kind,
                         const std::optional<Value>& input) -> Result<Served> {
    host::ScriptTaskOptions options;
    options.kind = kind;
    options.execute = execute_options(configuration, entry, tools);
    const std::string text = CORDON_TRY(read_script(entry.script));
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
    Served served = CORDON_TRY(serve_script(*engine, id, text, std::move(options)));
    if (input) served.input = CORDON_TRY(schema::Schema::compile(*input));
    served.contexts = entry.contexts;
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
      mistakes.push_back((is_script ? task.script : "tasks." + id) + ": " + served.error().message);
    }
  }
  for (const auto& [id, event] : configuration.events) {
    Result<Served> served = serve(id, event, host::ScriptKind::event, event.payload_schema);
    if (served) {
      served->is_parallel = event.is_parallel;
      rules.events.push_back(*std::move(served));
    } else {
      mistakes.push_back(event.script + ": " + served.error().message);
    }
  }
  if (!mistakes.empty()) return std::unexpected(std::move(mistakes));
  rules.tools = names_of(tools);
  rules.plugins = plugins;
  return std::make_shared<const TunnelRules>(std::move(rules));
}

}  // namespace cordon::server
