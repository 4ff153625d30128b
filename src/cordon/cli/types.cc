#include "cordon/cli/types.h"

#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>

#include "cordon/cli/exit_codes.h"
#include "cordon/cli/report_text.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/codec/json/encode.h"
#include "cordon/runners/manifests.h"

namespace cordon::cli {
namespace {

constexpr std::string_view name_of_command = "types";

int refused(const Refusal& refusal) {
  write_all(STDERR_FILENO, refusal.text);
  return refusal.code;
}

int refused(const ProviderSet::LateScript& script) {
  return failed(name_of_command,
                "provider " + script.name + " (" + script.file + "): " + script.error.message,
                exit_failed);
}

std::function<void(const LogLine&)> logger(std::string provider) {
  return [provider = std::move(provider)](const LogLine& line) {
    write_all(STDERR_FILENO,
              log_text(line, provider, Terminal::of(STDERR_FILENO), LogTime::hidden));
  };
}

int print(const std::string& text) {
  return write_all(STDOUT_FILENO, text) ? exit_done : cannot_write(name_of_command);
}

int print_json(const std::vector<execbox::HostManifest>& manifests) {
  std::vector<Value> values;
  for (const execbox::HostManifest& manifest : manifests) values.push_back(to_value(manifest));
  const Value whole = Value::object({{"providers", Value::array_from(values)}});
  const Result<std::string> text = json::encode(whole, {.max_bytes = std::size_t{1} << 30});
  if (!text) return failed(name_of_command, text.error(), exit_internal);
  return print(*text + "\n");
}

}  // namespace

void bind_types(CLI::App& command, TypesArguments& arguments) {
  bind_providers(command, arguments.providers,
                 "the file that names the providers; cordon.json unless a --provider is given");
  command.add_flag("--json", arguments.json,
                   "print {\"providers\": [...]}, what the runner of an execbox host is told");
}

int print_types(const TypesArguments& arguments) {
  ProviderArguments providers = arguments.providers;
  if (providers.config.empty() && providers.providers.empty()) providers.config = "cordon.json";
  std::expected<ProviderSet, Refusal> set = ProviderSet::read(name_of_command, providers);
  if (!set) return refused(set.error());
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return failed(name_of_command, engine.error(), exit_internal);
  const auto loaded =
      set->load(*engine, {.limits = limits_of(set->configuration()), .logger = logger});
  if (!loaded)
    return std::visit([](const auto& failure) { return refused(failure); }, loaded.error());
  for (const std::string& silence : set->silent_tunnels())
    write_all(STDERR_FILENO, "cordon types: " + visible(silence, Lines::escaped) + "\n");
  for (const std::string& overflow : set->long_tunnels())
    write_all(STDERR_FILENO, "cordon types: " + visible(overflow, Lines::escaped) + "\n");
  std::vector<execbox::HostManifest> manifests;
  for (const Provider& one : *loaded) manifests.push_back(runners::manifest_of(one));
  if (arguments.json) return print_json(manifests);
  std::string text;
  for (const execbox::HostManifest& manifest : manifests)
    text += (text.empty() ? "" : "\n") + manifest.types;
  return print(text);
}

}  // namespace cordon::cli
