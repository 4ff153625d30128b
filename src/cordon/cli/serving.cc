#include "cordon/cli/serving.h"

#include <algorithm>
#include <utility>

#include "cordon/base/process_figures.h"
#include "cordon/cli/serve_config.h"
#include "cordon/transport/tls_context.h"
#include "cordon/version.h"

namespace cordon::cli {
namespace {

using Level = server::ServiceLog::Level;

std::unexpected<Error> wrong(const std::vector<std::string>& lines) {
  std::string text;
  for (std::string line : lines) {
    std::ranges::replace(line, '\n', ' ');
    text += (text.empty() ? "" : "\n") + line;
  }
  return fail(ErrorCode::invalid_argument, text);
}

// Who is let in. Validators that are not there count: they let nobody in.
std::string auth_of(const AuthRules& rules) {
  if (!rules.tokens.empty()) return rules.validators.empty() ? "token" : "token, validators";
  if (!rules.validators.empty()) return "validators";
  return rules.allow_anonymous ? "anonymous" : "none, so every call is refused";
}

std::vector<std::string> mistakes_of_tls(const config::Configuration& configuration) {
  const std::optional<TlsFiles>& tls = configuration.server.tls;
  if (!tls) return {};
  const auto made = transport::make_tls_context(*tls);
  if (made) return {};
  const bool is_key = made.error().message.starts_with("cannot use the key");
  return {(is_key ? tls->key : tls->certificate) + ": " + made.error().message};
}

}  // namespace

FileNews Serving::check(const config::Configuration& configuration) {
  FileNews news{.mistakes = mistakes_of_tls(configuration)};
  std::vector<std::string>& lines = news.mistakes;
  if (const Result<> checked = server::check(configuration.server); !checked)
    lines.push_back(checked.error().message);
  const auto rules = server::ScriptLoader(1, {}, server::ScriptLoader::Tunnels::left_alone)
                         .load(configuration, news.warnings);
  if (!rules) lines.insert(lines.end(), rules.error().begin(), rules.error().end());
  return news;
}

Result<std::unique_ptr<Serving>> Serving::create(config::Configuration configuration,
                                                 ServingOptions options) {
  std::unique_ptr<Serving> serving(new Serving(std::move(options)));
  serving->configuration_ = std::move(configuration);
  const config::Configuration& given = serving->configuration_;
  const config::LogThreshold level = serving->options_.log_level.value_or(given.server.log_level);
  serving->log_ =
      CORDON_TRY(server::ServiceLog::create({.level = level,
                                             .is_json = given.server.log_json,
                                             .access = given.server.access_log,
                                             .shows_stacks = serving->options_.is_dev}));
  const server::ServiceLog& log = *serving->log_;
  CORDON_TRY(server::check(given.server));
  server::TunnelServerOptions server_options{.server = given.server, .engine = given.server.engine};
  server::Metrics& metrics = serving->metrics_;
  server_options.on_request = [&log, &metrics](const server::RequestRecord& record) {
    metrics.count(record);
    log.request(record);
  };
  serving->loader_ = std::make_unique<server::ScriptLoader>(
      given.server.threads,
      server::ScriptObserver{
          .on_log = [&log](std::string_view id, const CallOrigin& origin,
                           const LogLine& line) { log.script(id, origin, line); },
          .on_end = [&metrics](std::string_view, const CallOrigin&,
                               const Report& report) { metrics.count(report); },
          .on_plugin = [&log](std::string_view name,
                              std::string_view line) { log.plugin(name, line); }});
  std::vector<std::string> mistakes = mistakes_of_tls(given);
  auto rules = serving->loader_->load(given, serving->warnings_);
  if (!rules) mistakes.insert(mistakes.end(), rules.error().begin(), rules.error().end());
  if (!mistakes.empty()) return wrong(mistakes);
  metrics.set_names(**rules);
  serving->server_ =
      CORDON_TRY(server::TunnelServer::create(std::move(server_options), *std::move(rules)));
  log.started(serving->start_record());
  if (!given.server.metrics_listen.empty()) {
    serving->operations_ = CORDON_TRY(server::OperationsServer::create(
        given.server.metrics_listen,
        [&metrics, raw = serving->server_.get()] { return metrics.text(*raw); }));
    log.say(Level::info, "operations on " + serving->operations_->url());
    // Its sockets are open, and clients that connect from now on are served.
    serving->operations_->set_ready(true);
  }
  // What loading scripts took for a moment is some thirty megabytes, which the C library would
  // keep.
  give_heap_back();
  return serving;
}

void Serving::run() { server_->run(); }

server::StartRecord Serving::start_record() const {
  const config::Server& server = configuration_.server;
  return {.version = CORDON_VERSION,
          .addresses = server_->urls(),
          .tasks = configuration_.tasks.size(),
          .events = configuration_.events.size(),
          .threads = server.threads,
          .auth = auth_of(server.auth)};
}

std::string Serving::status() const {
  const std::lock_guard lock(mutex_);
  return "serving " + summary_of(start_record());
}

void Serving::stop() {
  if (operations_) operations_->set_ready(false);
  log_->say(Level::info, "stopping: requests under way are finished");
  server_->stop();
}

void Serving::reload() {
  const std::lock_guard lock(mutex_);
  const std::string kept = "; the old configuration stays";
  Result<config::Loaded> loaded = load_for_serving(options_.file, options_.listen);
  if (!loaded) return log_->say(Level::error, "not reloaded: " + loaded.error().message + kept);
  const config::Configuration loadable = loadable_part_of(*loaded);
  std::vector<std::string> warnings;
  auto rules = loader_->load(loadable, warnings);
  if (!rules) add_mistakes_of_files(*loaded, rules.error());
  add_mistakes_of_files(*loaded, warnings, Severity::warning);
  add_mistakes_of_files(*loaded, mistakes_of_tls(loadable));
  for (const config::Mistake& one : loaded->mistakes) {
    log_->say(one.is_warning ? Level::warn : Level::error,
              config::to_text(one, loaded->configuration.file));
  }
  if (!rules || !loaded->is_right()) return log_->say(Level::error, "not reloaded" + kept);
  const std::shared_ptr<const server::TunnelRules> next = *std::move(rules);
  const Result<> taken = server_->reload(next, loaded->configuration.server.tls);
  if (!taken) return log_->say(Level::error, "not reloaded: " + taken.error().message + kept);
  metrics_.set_names(*next);
  log_->set_level(options_.log_level.value_or(loaded->configuration.server.log_level));
  tell_what_needs_a_restart(loaded->configuration);
  configuration_ = std::move(loaded->configuration);
  give_heap_back();
  log_->say(Level::info, "reloaded " + options_.file);
}

// What a reload cannot take over.
void Serving::tell_what_needs_a_restart(const config::Configuration& next) const {
  const config::Server& before = configuration_.server;
  const config::Server& after = next.server;
  const auto tell = [&](bool has_changed, const char* key) {
    if (has_changed) {
      log_->say(Level::warn, std::string("server.") + key + " has changed, and needs a restart");
    }
  };
  tell(before.listen != after.listen, "listen");
  tell(before.memory_bytes != after.memory_bytes, "limits.memory");
  tell(before.tls.has_value() != after.tls.has_value(), "tls");
  tell(before.connections != after.connections || before.http != after.http ||
           before.drain_timeout != after.drain_timeout,
       "connections");
  tell(before.trusted_proxies != after.trusted_proxies, "trustedProxies");
  tell(before.threads != after.threads, "threads");
  tell(before.engine.slots != after.engine.slots, "sandboxes");
  tell(before.engine.queue != after.engine.queue, "queue");
  tell(before.engine.max_hibernated != after.engine.max_hibernated, "asleep");
  tell(before.metrics_listen != after.metrics_listen, "metrics");
  tell(before.access_log != after.access_log || before.log_json != after.log_json, "log");
}

}  // namespace cordon::cli
