#include "cordon/cli/provider_set.h"

#include <algorithm>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/options.h"
#include "cordon/cli/serve_config.h"
#include "cordon/cli/terminal.h"
#include "cordon/config/spelling.h"
#include "cordon/server/remote_tunnels.h"
#include "cordon/tools/global_names.h"
#include "cordon/tools/safe_name.h"

namespace cordon::cli {
namespace {

constexpr std::size_t max_text_bytes = std::size_t{64} << 20;

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// "…; did you mean shop?" where there is something to say.
std::string with_suggestion(std::string text, const std::string& name,
                            const std::vector<std::string>& known, std::string_view what) {
  const std::string more = config::suggestion(name, known, what);
  return more.empty() ? text : std::move(text) + "; " + more;
}

}  // namespace

void bind_providers(CLI::App& command, ProviderArguments& arguments,
                    const std::string& about_config) {
  CLI::Option* config =
      command.add_option("--config", arguments.config, about_config)->type_name("FILE");
  refuse_empty(*config);
  add_list(command, "--provider", arguments.providers,
           "tools for the program: the functions that a module exports, in a sandbox of their own; "
           "may be given several times")
      .type_name("NAME=FILE.js");
}

Limits limits_of(const config::Configuration* configuration) {
  if (configuration == nullptr) return {};
  const config::ScriptLimits& given = configuration->limits;
  Limits limits = given;
  if (!limits.time.total) limits.time.total = given.timeout;
  return limits;
}

std::expected<ProviderSet, Refusal> ProviderSet::read(std::string_view command,
                                                      const ProviderArguments& arguments) {
  ProviderSet set(command);
  if (!arguments.config.empty())
    if (auto refusal = set.read_configured(arguments.config)) return std::unexpected(*refusal);
  for (const std::string& argument : arguments.providers)
    if (auto refusal = set.read_given(argument)) return std::unexpected(*refusal);
  if (auto refusal = set.keep_read_only(arguments.read_only)) return std::unexpected(*refusal);
  return set;
}

std::optional<Refusal> ProviderSet::read_configured(const std::string& file) {
  Result<config::Loaded> loaded = config::load_configuration(file);
  if (!loaded) return usage("--config: the file '" + file + "' " + loaded.error().message);
  loaded_ = std::make_unique<config::Loaded>(*std::move(loaded));
  // They are about serving.
  std::erase_if(loaded_->mistakes, &config::Mistake::is_warning);
  for (const auto& [name, provider] : loaded_->configuration.providers) {
    Script script{.name = name,
                  .file = provider.script,
                  .shown = file_name(provider.script),
                  .is_configured = true};
    if (provider.tools) script.tools = &*provider.tools;
    // Programs here carry what JSON can, and so do their tools.
    if (provider.values == ValueRule::json) script.values = ValueRule::json;
    if (loaded_->is_right()) {
      Result<std::string> text = read_text(provider.script, max_text_bytes);
      if (!text) {
        loaded_->add_mistake(name, {}, "providers." + name + ": " + text.error().message);
      } else {
        script.text = *std::move(text);
      }
    }
    scripts_.push_back(std::move(script));
  }
  return refuse_mistakes();
}

std::optional<Refusal> ProviderSet::read_given(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == argument.size())
    return usage("--provider: '" + argument + "' is not NAME=FILE.js");
  const std::string file = argument.substr(equals + 1);
  Script script{.name = argument.substr(0, equals), .file = file, .shown = file};
  if (!tools::is_identifier(script.name))
    return usage("--provider: a program could not write the name '" + script.name + "'");
  if (tools::is_guest_global(script.name))
    return usage("--provider: '" + script.name +
                 "' is a name that programs have already; write another, such as my_" +
                 script.name + "=" + file);
  if (has(script.name)) {
    const bool is_configured = std::ranges::any_of(scripts_, [&](const Script& known) {
      return known.is_configured && known.name == script.name;
    });
    return usage("--provider: " + script.name +
                 (is_tunnel(script.name) ? " is a tunnel of the configuration too"
                  : is_configured        ? " is a provider of the configuration too"
                                         : " is there twice"));
  }
  Result<std::string> text = read_text(file, max_text_bytes);
  if (!text) return usage("--provider: " + text.error().message);
  script.text = *std::move(text);
  scripts_.push_back(std::move(script));
  return std::nullopt;
}

std::optional<Refusal> ProviderSet::keep_read_only(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  known.reserve(scripts_.size());
  for (const Script& script : scripts_) known.push_back(script.name);
  if (loaded_ != nullptr) {
    for (const auto& [name, tunnel] : loaded_->configuration.tunnels)
      known.push_back(tools::safe_name(name));
  }
  for (const std::string& name : names) {
    if (!has(name))
      return usage(with_suggestion("--read-only: there is no provider '" + name + "'", name, known,
                                   "providers"));
  }
  read_only_ = names;
  return std::nullopt;
}

bool ProviderSet::has(std::string_view name) const {
  return std::ranges::find(scripts_, name, &Script::name) != scripts_.end() || is_tunnel(name);
}

// By the name that programs write.
bool ProviderSet::is_tunnel(std::string_view name) const {
  return loaded_ != nullptr &&
         std::ranges::any_of(loaded_->configuration.tunnels, [&](const auto& tunnel) {
           return tools::safe_name(tunnel.first) == name;
         });
}

Refusal ProviderSet::usage(const std::string& message) const {
  const std::string title = "cordon " + command_;
  return {title + ": " + visible(message, Lines::escaped) + " (see `" + title + " --help`)\n",
          exit_usage};
}

std::optional<Refusal> ProviderSet::refuse_mistakes() const {
  const std::size_t count = loaded_->mistakes.size();
  if (count == 0) return std::nullopt;
  return Refusal{lines_of(*loaded_) + "cordon " + command_ + ": " + std::to_string(count) +
                     (count == 1 ? " mistake" : " mistakes") + " in the configuration\n",
                 exit_usage};
}

std::vector<std::string> ProviderSet::private_files() const {
  return loaded_ ? loaded_->configuration.private_files : std::vector<std::string>();
}

Result<KeptModule> ProviderSet::run(Engine& engine, const Script& script,
                                    const LoadOptions& options) const {
  ExecuteOptions execute;
  execute.limits = options.limits;
  execute.name = script.shown;
  execute.values = script.values.value_or(options.values);
  execute.module_folder = folder_of(script.file);
  execute.private_files = private_files_in(execute.module_folder);
  append(execute.private_files, options.private_files);
  append(execute.private_files, private_files());
  if (options.logger) execute.on_log = options.logger(script.name);
  const Module module = CORDON_TRY(engine.load(script.text, std::move(execute)));
  return module.keep();
}

std::expected<std::vector<Provider>, ProviderSet::Failure> ProviderSet::load(
    Engine& engine, const LoadOptions& options) {
  std::vector<Provider> made;
  for (const Script& script : scripts_) {
    const Result<KeptModule> module = run(engine, script, options);
    if (!module && !script.is_configured) {
      const Error& error = module.error();
      if (error.is(ErrorCode::timeout))
        return std::unexpected(Failure(LateScript{script.name, script.file, error}));
      return std::unexpected(
          Failure(usage("--provider: " + script.name + "=" + script.file + ": " + error.message)));
    }
    if (!module) {
      loaded_->add_mistake(script.name, {}, script.file + ": " + module.error().message);
      continue;
    }
    Provider provider = module->provider(script.name);
    if (script.tools != nullptr && !list_tools(provider, script, module->functions())) continue;
    const bool is_read_only = std::ranges::find(read_only_, script.name) != read_only_.end();
    made.push_back(is_read_only ? provider.read_only() : std::move(provider));
  }
  if (loaded_ == nullptr) return made;
  if (auto refusal = refuse_mistakes()) return std::unexpected(Failure(*std::move(refusal)));
  if (auto refusal = add_tunnels(made)) return std::unexpected(Failure(*std::move(refusal)));
  return made;
}

std::optional<Refusal> ProviderSet::add_tunnels(std::vector<Provider>& made) {
  const Result<server::RemoteTunnels> tunnels =
      server::RemoteTunnels::create(loaded_->configuration);
  if (!tunnels) return usage("--config: " + tunnels.error().message);
  tunnels->discover();
  for (const auto& [name, tasks] : tunnels->all()) {
    const std::string silence = server::silence_text(*tasks);
    if (!silence.empty()) silent_tunnels_.push_back(silence);
    if (const std::string overflow = tasks->overflow(); !overflow.empty())
      long_tunnels_.push_back(overflow);
    using Names = providers::RemoteTasks::Names;
    Provider provider = tasks->provider(tasks->knows_all() ? Names::listed : Names::open);
    const bool is_read_only = std::ranges::find(read_only_, provider.name()) != read_only_.end();
    made.push_back(is_read_only ? provider.read_only() : std::move(provider));
  }
  return std::nullopt;
}

bool ProviderSet::list_tools(Provider& provider, const Script& script,
                             const std::vector<std::string>& functions) {
  if (const auto missing = providers::missing_tool(*script.tools, provider)) {
    loaded_->add_mistake(script.name, *missing,
                         with_suggestion("providers." + script.name + ".tools: " + script.shown +
                                             " exports no function \"" + *missing + "\"",
                                         *missing, functions, "functions"));
    return false;
  }
  Result<Provider> listed = providers::listed_tools(provider, *script.tools);
  if (!listed) {
    loaded_->add_mistake(script.name, {}, listed.error().message);
    return false;
  }
  provider = *std::move(listed);
  return true;
}

}  // namespace cordon::cli
