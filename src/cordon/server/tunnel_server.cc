#include "cordon/server/tunnel_server.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "cordon/host/sandbox_regexps.h"
#include "cordon/server/idle_memory.h"
#include "cordon/server/tunnel_shard.h"
#include "cordon/transport/http/trusted_proxies.h"
#include "cordon/transport/listen_address.h"
#include "cordon/transport/listening_socket.h"
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
  explicit Shared(TunnelServerOptions given)
      : options(std::move(given)), memory(options.server.memory_bytes) {}

  TunnelServerOptions options;
  host::SandboxRegExps regexps;
  rich::Serializer serializer{serializer_options(), regexps};
  RequestMemory memory;
  std::vector<transport::ListeningSocket> listeners;
  std::vector<std::unique_ptr<TunnelShard>> shards;
  // Its threads tell the shards when they are done, and so go first.
  WorkPool pool;
  std::shared_ptr<transport::ConnectionGate> gate;
  mutable std::mutex mutex;  // of what follows
  std::shared_ptr<const TunnelRules> rules;
};

TunnelServer::TunnelServer(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
TunnelServer::~TunnelServer() = default;

Result<std::unique_ptr<TunnelServer>> TunnelServer::create(
    TunnelServerOptions options, std::shared_ptr<const TunnelRules> rules) {
  auto shared = std::make_unique<Shared>(std::move(options));
  const ServerOptions& given = shared->options.server;
  CORDON_TRY(check(given));
  transport::raise_file_limit();
  http::HttpOptions http;
  http.limits = given.http;
  http.proxies = CORDON_TRY(http::TrustedProxies::parse(given.trusted_proxies));
  http.refusal_headers = {{"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"}};
  shared->gate = http.gate = std::make_shared<transport::ConnectionGate>(
      given.connections,
      [proxies = http.proxies](const auto& address) { return proxies.trusts(address); });
  if (given.tls) http.tls = CORDON_TRY(tls_context_of(*given.tls));

  for (std::size_t i = 0; i < given.threads; ++i) {
    shared->shards.push_back(
        CORDON_TRY(TunnelShard::create(shared->options, http, {shared->serializer, shared->regexps},
                                       shared->pool, shared->memory)));
  }
  std::vector<http::HttpServer*> all;
  for (const auto& shard : shared->shards) all.push_back(&shard->http());

  std::unique_ptr<TunnelServer> server(new TunnelServer(std::move(shared)));
  CORDON_TRY(server->reload(std::move(rules)));
  const auto addresses = CORDON_TRY(addresses_of(server->shared_->options.server));
  for (const transport::ListenAddress& address : addresses) {
    auto& listeners = server->shared_->listeners;
    listeners.push_back(CORDON_TRY(transport::ListeningSocket::open(address)));
    for (const auto& shard : server->shared_->shards)
      shard->listen(CORDON_TRY(listeners.back().duplicate()), all);
  }
  return server;
}

Result<> TunnelServer::reload(std::shared_ptr<const TunnelRules> rules,
                              const std::optional<TlsFiles>& tls) {
  std::shared_ptr<boost::asio::ssl::context> context;
  if (tls && shared_->options.server.tls) context = CORDON_TRY(tls_context_of(*tls));
  std::vector<std::shared_ptr<const Exposure>> exposures;
  for (const auto& shard : shared_->shards)
    exposures.push_back(CORDON_TRY(Exposure::create(rules, shard->context())));
  const std::lock_guard lock(shared_->mutex);
  for (std::size_t i = 0; i < exposures.size(); ++i)
    shared_->shards[i]->expose(std::move(exposures[i]));
  for (const auto& shard : shared_->shards) {
    if (context) shard->replace_tls(context);
  }
  shared_->rules = std::move(rules);
  return {};
}

std::vector<std::string> TunnelServer::urls() const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<std::string> urls;
  for (const transport::ListeningSocket& listener : shared_->listeners) {
    const transport::ListenAddress& address = listener.address();
    if (address.kind == transport::ListenAddress::Kind::unix_socket) {
      urls.push_back("unix:" + address.path);
      continue;
    }
    urls.push_back(address.url(shared_->options.server.tls.has_value()) +
                   shared_->rules->base_path);
  }
  return urls;
}

void TunnelServer::run() {
  // Gives memory back after a burst, by a thread of its own.
  const IdleMemory idle_memory([this] { return connections(); },
                               [this] {
                                 for (const auto& shard : shared_->shards)
                                   shard->give_memory_back();
                               });
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < shared_->shards.size(); ++i)
    threads.emplace_back([shard = shared_->shards[i].get()] { shard->run(); });
  shared_->shards.front()->run();
}

void TunnelServer::stop() {
  {
    // Else clients would still connect, and wait for the end of the process.
    const std::lock_guard lock(shared_->mutex);
    for (transport::ListeningSocket& listener : shared_->listeners) listener.close();
  }
  for (const auto& shard : shared_->shards) shard->stop();
}

Engine::Figures TunnelServer::load() const {
  Engine::Figures sum;
  for (const auto& shard : shared_->shards) {
    const Engine::Figures load = shard->load();
    sum.running += load.running;
    sum.waiting += load.waiting;
    sum.queued += load.queued;
    sum.hibernated += load.hibernated;
  }
  return sum;
}

std::vector<const http::HttpFigures*> TunnelServer::figures() const {
  std::vector<const http::HttpFigures*> all;
  for (const auto& shard : shared_->shards) all.push_back(&shard->http().figures());
  return all;
}

std::shared_ptr<const PluginSet> TunnelServer::plugins() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->rules->plugins;
}

std::size_t TunnelServer::connections() const { return shared_->gate->count(); }

}  // namespace cordon::server
