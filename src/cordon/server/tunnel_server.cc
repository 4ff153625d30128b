#include "cordon/server/tunnel_server.h"

#include <mutex>
#include <random>
#include <utility>

#include "cordon/host/sandbox_regexps.h"
#include "cordon/server/shard_group.h"
#include "cordon/server/tunnel_service.h"
#include "cordon/transport/http/trusted_proxies.h"
#include "cordon/transport/listen_address.h"
#include "cordon/transport/tls_context.h"

namespace cordon::server {
namespace {

namespace http = transport::http;

rich::Options serializer_options() {
  rich::Options options;
  // How much is read is the operator's choice, and is counted before.
  options.max_input_bytes = rich::unlimited;
  return options;
}

Result<std::shared_ptr<boost::asio::ssl::context>> tls_context_of(const TlsFiles& files) {
  return CORDON_TRY(transport::make_tls_context(files, "h2,http/1.1"));
}

Result<std::vector<transport::ListenAddress>> addresses_of(const ServerOptions& options) {
  std::vector<transport::ListenAddress> addresses;
  for (const std::string& text : options.listen)
    addresses.push_back(CORDON_TRY(transport::parse_http_address(text)));
  return addresses;
}

std::mt19937_64 seeded_random() {
  std::random_device device;
  std::seed_seq seeds{device(), device(), device(), device(),
                      device(), device(), device(), device()};
  return std::mt19937_64(seeds);
}

// Proxies are not counted as clients: they stand for many.
transport::ConnectionGate::IsShared is_proxy(const http::TrustedProxies& proxies) {
  return [proxies](const auto& address) { return proxies.trusts(address); };
}

}  // namespace

Result<> check(const ServerOptions& options) {
  const std::pair<const char*, bool> needed[] = {
      {"threads: at least 1 is needed", options.threads > 0},
      {"connections.max: at least 1 is needed", options.connections.max > 0},
      {"connections.max_per_address: at least 1 is needed",
       options.connections.max_per_address != 0},
      {"listen: at least one address is needed", !options.listen.empty()},
  };
  for (const auto& [complaint, is_there] : needed) {
    if (!is_there) return fail(ErrorCode::invalid_argument, complaint);
  }
  CORDON_TRY(addresses_of(options));
  CORDON_TRY(http::TrustedProxies::parse(options.trusted_proxies));
  return {};
}

struct TunnelServer::Shared {
  Shared(TunnelServerOptions given, http::TrustedProxies trusted)
      : options(std::move(given)),
        proxies(std::move(trusted)),
        memory(options.server.memory_bytes),
        group(options.server.connections, is_proxy(proxies)) {}

  Result<> add_shard(const http::HttpOptions& http);
  std::vector<transport::Adopter*> adopters() const;

  TunnelServerOptions options;
  const http::TrustedProxies proxies;
  host::SandboxRegExps regexps;
  rich::Serializer serializer{serializer_options(), regexps};
  RequestMemory memory;
  ShardGroup group;
  std::vector<TunnelService*> services;             // of the group's shards
  std::vector<transport::ListenAddress> addresses;  // with the ports that were chosen
  // Its threads tell the shards when they are done, and so go first.
  WorkPool pool;
  mutable std::mutex mutex;  // of what follows
  std::shared_ptr<const TunnelRules> rules;
};

Result<> TunnelServer::Shared::add_shard(const http::HttpOptions& http) {
  Shard& shard = group.add(CORDON_TRY(
      Shard::create({.engine = options.engine, .drain_timeout = options.server.drain_timeout})));
  auto context =
      std::make_shared<TunnelContext>(TunnelContext{.executor = shard.io()->get_executor(),
                                                    .reader = {serializer, regexps},
                                                    .pool = pool,
                                                    .memory = memory,
                                                    .exposure = nullptr,
                                                    .on_request = options.on_request,
                                                    .random = seeded_random()});
  services.push_back(
      &shard.serve(std::make_unique<TunnelService>(shard, http, std::move(context))));
  return {};
}

std::vector<transport::Adopter*> TunnelServer::Shared::adopters() const {
  std::vector<transport::Adopter*> all;
  for (TunnelService* const service : services) all.push_back(&service->server());
  return all;
}

TunnelServer::TunnelServer(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
TunnelServer::~TunnelServer() = default;

Result<std::unique_ptr<TunnelServer>> TunnelServer::create(
    TunnelServerOptions options, std::shared_ptr<const TunnelRules> rules) {
  CORDON_TRY(check(options.server));
  auto proxies = CORDON_TRY(http::TrustedProxies::parse(options.server.trusted_proxies));
  auto shared = std::make_unique<Shared>(std::move(options), std::move(proxies));
  const ServerOptions& given = shared->options.server;
  transport::raise_file_limit();
  http::HttpOptions http;
  http.limits = given.http;
  http.proxies = shared->proxies;
  http.refusal_headers = {{"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"}};
  if (given.tls) http.tls = CORDON_TRY(tls_context_of(*given.tls));
  for (std::size_t i = 0; i < given.threads; ++i) CORDON_TRY(shared->add_shard(http));

  std::unique_ptr<TunnelServer> server(new TunnelServer(std::move(shared)));
  Shared& made = *server->shared_;
  CORDON_TRY(server->reload(std::move(rules)));
  const auto addresses = CORDON_TRY(addresses_of(made.options.server));
  for (const transport::ListenAddress& address : addresses)
    made.addresses.push_back(CORDON_TRY(made.group.listen(address, made.adopters())));
  return server;
}

Result<> TunnelServer::reload(std::shared_ptr<const TunnelRules> rules,
                              const std::optional<TlsFiles>& tls) {
  std::shared_ptr<boost::asio::ssl::context> context;
  if (tls && shared_->options.server.tls) context = CORDON_TRY(tls_context_of(*tls));
  std::vector<std::shared_ptr<const Exposure>> exposures;
  for (TunnelService* const service : shared_->services)
    exposures.push_back(CORDON_TRY(Exposure::create(rules, service->context())));
  const std::lock_guard lock(shared_->mutex);
  for (std::size_t i = 0; i < exposures.size(); ++i) {
    shared_->services[i]->expose(std::move(exposures[i]));
    if (context) shared_->services[i]->replace_tls(context);
  }
  shared_->rules = std::move(rules);
  return {};
}

std::vector<std::string> TunnelServer::urls() const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<std::string> urls;
  for (const transport::ListenAddress& address : shared_->addresses) {
    if (address.kind == transport::ListenAddress::Kind::unix_socket) {
      urls.push_back("unix:" + address.path);
      continue;
    }
    urls.push_back(address.url(shared_->options.server.tls.has_value()) +
                   shared_->rules->base_path);
  }
  return urls;
}

void TunnelServer::run() { shared_->group.run(); }
void TunnelServer::stop() { shared_->group.stop(); }
bool TunnelServer::answers(std::chrono::milliseconds within) const {
  return shared_->group.answers(within);
}

Engine::Figures TunnelServer::load() const {
  Engine::Figures sum;
  for (const TunnelService* const service : shared_->services) {
    const Engine::Figures load = service->load();
    sum.running += load.running;
    sum.waiting += load.waiting;
    sum.queued += load.queued;
    sum.hibernated += load.hibernated;
  }
  return sum;
}

std::vector<const http::HttpFigures*> TunnelServer::figures() const {
  std::vector<const http::HttpFigures*> all;
  for (TunnelService* const service : shared_->services)
    all.push_back(&service->server().figures());
  return all;
}

std::shared_ptr<const PluginSet> TunnelServer::plugins() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->rules->plugins;
}

std::size_t TunnelServer::connections() const { return shared_->group.connections(); }

}  // namespace cordon::server
