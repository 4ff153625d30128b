#include "cordon/cli/serving.h"

#include <utility>

#include <malloc.h>

#include "cordon/cli/serve_config.h"

namespace cordon::cli {
namespace {

using Level = server::ServiceLog::Level;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

// What loading scripts took for a moment is some thirty megabytes, which the C library would keep.
void give_memory_back() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::unexpected<Error> wrong(const std::vector<std::string>& lines) {
  return fail(Errc::invalid_argument, joined(lines));
}

}  // namespace

Result<> Serving::check(const config::Configuration& configuration) {
  CORDON_TRY(server::options_of(configuration));
  const auto rules = server::ScriptLoader(1, {}).load(configuration);
  if (!rules) return wrong(rules.error());
  return {};
}

Result<std::unique_ptr<Serving>> Serving::create(config::Configuration configuration,
                                                 ServingOptions options) {
  std::unique_ptr<Serving> serving(new Serving(std::move(options)));
  serving->configuration_ = std::move(configuration);
  const config::Configuration& given = serving->configuration_;
  serving->log_ =
      CORDON_TRY(server::ServiceLog::create({.is_json = given.server.log_json,
                                             .access = given.server.access_log,
                                             .shows_stacks = serving->options_.is_dev}));
  const server::ServiceLog& log = *serving->log_;
  server::TunnelServerOptions server_options = CORDON_TRY(server::options_of(given));
  server::Metrics& metrics = serving->metrics_;
  server_options.on_request = [&log, &metrics](const server::RequestRecord& record) {
    metrics.count(record);
    log.request(record);
  };
  serving->loader_ = std::make_unique<server::ScriptLoader>(
      given.server.threads,
      server::ScriptObserver{
          .on_log = [&log](std::string_view id, std::string_view request,
                           const LogLine& line) { log.script(id, request, line); },
          .on_end =
              [&metrics](std::string_view, std::string_view, const Report& report) {
                metrics.count_end(report.ok ? std::string_view("ok") : report.error.code);
              }});
  auto rules = serving->loader_->load(given);
  if (!rules) return wrong(rules.error());
  serving->server_ =
      CORDON_TRY(server::TunnelServer::create(std::move(server_options), *std::move(rules)));
  if (!given.server.metrics_listen.empty()) {
    serving->operations_ = CORDON_TRY(server::OperationsServer::create(
        given.server.metrics_listen,
        [&metrics, raw = serving->server_.get()] { return metrics.text(*raw); }));
    log.say(Level::info, "operations on " + serving->operations_->url());
  }
  give_memory_back();
  return serving;
}

void Serving::run() {
  if (operations_) operations_->set_ready(true);
  server_->run();
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
  if (!loaded) return log_->say(Level::error, "not reloaded: " + loaded.error().detail + kept);
  for (const config::Mistake& one : loaded->mistakes) {
    log_->say(one.is_warning ? Level::warn : Level::error,
              config::to_text(one, loaded->configuration.file));
  }
  if (!loaded->is_right()) return log_->say(Level::error, "not reloaded" + kept);
  auto rules = loader_->load(loaded->configuration);
  if (!rules) {
    for (const std::string& line : rules.error()) log_->say(Level::error, line);
    return log_->say(Level::error, "not reloaded" + kept);
  }
  if (const Result<> taken = server_->reload(*std::move(rules)); !taken) {
    return log_->say(Level::error, "not reloaded: " + taken.error().detail + kept);
  }
  tell_what_needs_a_restart(loaded->configuration);
  configuration_ = std::move(loaded->configuration);
  give_memory_back();
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
  tell(before.listen != after.listen || before.more_listen != after.more_listen, "listen");
  tell(before.tls != after.tls, "tls");
  tell(before.connection != after.connection, "connections");
  tell(before.trusted_proxies != after.trusted_proxies, "trustedProxies");
  tell(before.threads != after.threads, "threads");
  tell(before.sandboxes != after.sandboxes, "sandboxes");
  tell(before.queue != after.queue, "queue");
  tell(before.metrics_listen != after.metrics_listen, "metrics");
  tell(before.access_log != after.access_log || before.log_json != after.log_json, "log");
}

}  // namespace cordon::cli
