#pragma once

// The providers that a program is run with, and that `cordon types` shows: those of a configuration
// and those of the command line.

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/config/load.h"
#include "cordon/engine.h"
#include "cordon/execution.h"
#include "cordon/provider.h"
#include "cordon/providers/tool_list.h"

namespace CLI {
class App;
}

namespace cordon::cli {

struct ProviderArguments {
  std::string config;                  // a file; empty: none
  std::vector<std::string> providers;  // NAME=FILE.js
  std::vector<std::string> read_only;  // names of those that keep only such tools
};

// Adds --config and --provider.
void bind_providers(CLI::App& command, ProviderArguments& arguments,
                    const std::string& about_config);

// The limits of a configuration, or the usual ones without it: `timeoutMs` is the whole time.
Limits limits_of(const config::Configuration* configuration);

// What stderr is told of what cannot be run, and the exit code.
struct Refusal {
  std::string text;
  int code;
};

class ProviderSet {
 public:
  // Reads all files, and checks what can be checked without running any of it. `command` is the
  // name of the command, for its messages.
  static std::expected<ProviderSet, Refusal> read(std::string_view command,
                                                  const ProviderArguments& arguments);

  bool is_empty() const { return scripts_.empty(); }
  // Null without one.
  const config::Configuration* configuration() const {
    return loaded_ ? &loaded_->configuration : nullptr;
  }
  // What is to be said of tunnels whose tasks are not known, a line each. After load().
  const std::vector<std::string>& silent_tunnels() const { return silent_tunnels_; }
  // And of those that have too many tasks.
  const std::vector<std::string>& long_tunnels() const { return long_tunnels_; }
  // That neither programs nor providers may import.
  std::vector<std::string> private_files() const;

  struct LoadOptions {
    Limits limits = {};
    ValueRule values = ValueRule::strict;         // unless the configuration says otherwise
    std::vector<std::string> private_files = {};  // beside those of the folders
    std::function<std::function<void(const LogLine&)>(std::string provider)> logger = {};
  };
  // A script of the command line whose top level took longer than programs may. Any other failure
  // of a script is wrong usage.
  struct LateScript {
    std::string name;
    std::string file;
    Error error;
  };
  using Failure = std::variant<Refusal, LateScript>;
  // Runs the top level of each, in a sandbox that stays for the execution's calls, and asks tunnels
  // for their tasks. A tunnel that is silent is no failure.
  std::expected<std::vector<Provider>, Failure> load(Engine& engine, const LoadOptions& options);

 private:
  struct Script {
    std::string name;
    std::string file;   // as it was named
    std::string shown;  // in stacks
    std::string text = {};
    const providers::ToolList* tools = nullptr;
    std::optional<ValueRule> values = {};
    bool is_configured = false;
  };

  explicit ProviderSet(std::string_view command) : command_(command) {}
  std::optional<Refusal> read_configured(const std::string& file);
  std::optional<Refusal> read_given(const std::string& argument);
  std::optional<Refusal> keep_read_only(const std::vector<std::string>& names);
  std::optional<Refusal> refuse_mistakes() const;
  Refusal usage(const std::string& message) const;
  bool has(std::string_view name) const;
  bool is_tunnel(std::string_view name) const;
  std::optional<Refusal> add_tunnels(std::vector<Provider>& made);
  // Leaves the tools of the script's list. False: the configuration has a mistake.
  bool list_tools(Provider& provider, const Script& script,
                  const std::vector<std::string>& functions);
  Result<KeptModule> run(Engine& engine, const Script& script, const LoadOptions& options) const;

  std::string command_;
  std::unique_ptr<config::Loaded> loaded_;
  std::vector<Script> scripts_;
  std::vector<std::string> read_only_;
  std::vector<std::string> silent_tunnels_;
  std::vector<std::string> long_tunnels_;
};

}  // namespace cordon::cli
