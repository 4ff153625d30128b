#pragma once

// The plugins of a configuration: as tools of scripts, as tasks of the tunnel, and as tools of each
// other.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/plugin.h"
#include "cordon/provider.h"
#include "cordon/result.h"
#include "cordon/server/tunnel_rules.h"

namespace cordon::server {

using ProvidersByName = std::map<std::string, Provider, std::less<>>;
// A line that a plugin wrote to its standard error. Any thread.
using PluginLog = std::function<void(std::string_view plugin, std::string_view line)>;

// Plugins may call each other, in circles too. So none owns another: a callback finds its plugin
// here while the plugin is served.
class PluginSet : public std::enable_shared_from_this<PluginSet> {
 public:
  // `tools` has the providers that plugins may call. What does not load is told in `mistakes`, and
  // left out.
  static std::shared_ptr<PluginSet> create(const config::Configuration& configuration,
                                           const ProvidersByName& tools, const PluginLog& on_log,
                                           std::vector<std::string>& mistakes);

  // By their names, what each has done. Any thread.
  std::map<std::string, PluginFigures> figures() const;

  // The functions of each plugin, for scripts. They keep the set alive.
  ProvidersByName providers() const;

  using Handler = std::function<Result<std::shared_ptr<TaskHandler>>(const ShardContext&)>;
  // A function as a task; the plugin is one that there is.
  Result<Handler> task(const config::TaskEntry& entry) const;

 private:
  struct Entry {
    config::PluginEntry configured;
    std::unique_ptr<Plugin> plugin;
  };

  void add(const std::string& name, const config::PluginEntry& configured,
           std::chrono::milliseconds timeout, Provider callbacks, const PluginLog& on_log,
           std::vector<std::string>& mistakes);
  Provider callbacks_of(const std::string& name, const config::Configuration& configuration,
                        const config::PluginEntry& configured, const ProvidersByName& tools,
                        std::vector<std::string>& mistakes);

  std::map<std::string, Entry, std::less<>> plugins_;
};

}  // namespace cordon::server
