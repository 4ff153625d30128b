#pragma once

// A configuration as what a TunnelServer serves: its rules, with every script loaded.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/result.h"
#include "cordon/server/tunnel_rules.h"

namespace cordon::server {

// What scripts and plugins report to the operator. Any thread may call it.
struct ScriptObserver {
  // Also for tools, as "provider.tool".
  std::function<void(std::string_view id, const CallOrigin&, const LogLine&)> on_log = {};
  std::function<void(std::string_view id, const CallOrigin&, const Report&)> on_end = {};
  // A line that a plugin wrote to its standard error.
  std::function<void(std::string_view plugin, std::string_view line)> on_plugin = {};
};

// Loads scripts. It outlives the servers that serve what it loaded.
class ScriptLoader {
 public:
  // Whether tunnels are asked for their tasks. A check sends nothing.
  enum class Tunnels : std::uint8_t { asked, left_alone };
  // As many threads run the tools of scripts, where there are any.
  ScriptLoader(std::size_t threads, ScriptObserver observer, Tunnels tunnels = Tunnels::asked);

  // Runs the top level of every script. What does not load is told all at once, a line each, as
  // "FILE: what"; so is, in `warnings`, what loads and is of no use.
  std::expected<std::shared_ptr<const TunnelRules>, std::vector<std::string>> load(
      const config::Configuration& configuration, std::vector<std::string>& warnings);

 private:
  Result<std::shared_ptr<Engine>> tools_engine();

  std::size_t threads_;
  Tunnels tunnels_;
  std::shared_ptr<Engine> tools_;  // made when it is needed
  std::shared_ptr<const ScriptObserver> observer_;
};

}  // namespace cordon::server
