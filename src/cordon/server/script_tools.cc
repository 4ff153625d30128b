#include "cordon/server/script_tools.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/config/reader.h"
#include "cordon/host/module_provider.h"

namespace cordon::server {
namespace {

constexpr std::size_t max_script_bytes = std::size_t{16} << 20;
// The limit for a call with its waits, unless it may even compute for longer. Tools do what is
// slow, and their callers do not pay for that with their own time.
constexpr std::chrono::milliseconds max_call_time{30'000};

ExecuteOptions options_of(const config::ScriptProvider& entry,
                          const config::Configuration& configuration) {
  ExecuteOptions options = script_options(entry.script, configuration);
  const config::ScriptLimits& limits = configuration.limits;
  options.limits.time = with_limits(
      {.total = std::max(limits.timeout, max_call_time), .cpu = limits.timeout}, limits.time);
  options.values = entry.values.value_or(configuration.values);
  return options;
}

}  // namespace

TimePolicy with_limits(TimePolicy policy, const TimePolicy& given) {
  if (given.total) policy.total = given.total;
  if (given.computing) policy.computing = given.computing;
  if (given.cpu) policy.cpu = given.cpu;
  return policy;
}

Result<std::string> read_script(const std::string& file) {
  std::string text = CORDON_TRY(config::read_file(file, max_script_bytes));
  if (valid_utf8_prefix(text) != text.size()) return fail(ErrorCode::invalid_utf8, "is not UTF-8");
  return text;
}

ExecuteOptions script_options(const std::string& file, const config::Configuration& configuration) {
  const std::size_t folder_size = file.rfind('/') + 1;
  ExecuteOptions options;
  options.limits = configuration.limits;
  options.module_folder = file.substr(0, folder_size);
  options.private_files = configuration.private_files;
  options.name = file.substr(folder_size);
  return options;
}

Result<Provider> load_script_tools(const std::shared_ptr<Engine>& engine, const std::string& name,
                                   const config::ScriptProvider& entry,
                                   const config::Configuration& configuration, ToolLog on_log) {
  const ExecuteOptions options = options_of(entry, configuration);
  const std::string text = CORDON_TRY(read_script(entry.script));
  ExecuteOptions loading = options;
  loading.limits.time.total = max_load_time;
  const Module module = CORDON_TRY(engine->load(text, std::move(loading)));
  host::ModuleProviderOptions made{.execute = options, .has_context = true};
  if (on_log) {
    made.on_log = [on_log, name](std::string_view function, const CallOrigin& origin,
                                 const LogLine& line) {
      on_log(name + "." + std::string(function), origin, line);
    };
  }
  Provider provider = host::provider_of(module, name, std::move(made));
  if (entry.tools) provider = CORDON_TRY(providers::listed_tools(provider, *entry.tools));
  provider.keep(engine);
  return provider;
}

Provider make_absent_tools(const std::string& name, std::string_view kind) {
  Provider provider(name);
  provider.add_any(
      [name, kind = std::string(kind)](const std::string& tool, const Value&, Reply reply) {
        reply(fail(ErrorCode::tool_error,
                   name + "." + tool + ": tools of " + kind + " cannot be called yet"));
      });
  return provider;
}

}  // namespace cordon::server
