#include "cordon/server/tunnel_server.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "cordon/host/sandbox_regexps.h"
#include "cordon/server/tunnel_shard.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::server {
namespace {

namespace http = transport::http;

constexpr std::size_t default_sandboxes = 64;

rich::Options serializer_options() {
  rich::Options options;
  // How much is read is the operator's choice, and is counted before.
  options.max_input_bytes = rich::unlimited;
  return options;
}

Result<std::shared_ptr<boost::asio::ssl::context>> tls_context_of(
    const transport::TlsFiles& files) {
  return CORDON_TRY(transport::make_tls_context(files, "h2,http/1.1"));
}

}  // namespace

struct TunnelServer::Shared {
  explicit Shared(TunnelServerOptions given)
      : options(std::move(given)), memory(options.memory_bytes) {}

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
  TunnelServerOptions& given = shared->options;
  transport::raise_file_limit();
  if (given.threads == 0) given.threads = processors();
  given.connections.is_shared = [proxies = given.http.proxies](const auto& address) {
    return proxies.trusts(address);
  };
  shared->gate = given.http.gate = std::make_shared<transport::ConnectionGate>(given.connections);
  if (given.tls) given.http.tls = CORDON_TRY(tls_context_of(*given.tls));
  given.http.refusal_headers = {{"X-Content-Type-Options", "nosniff"}, {"X-Frame-Options", "DENY"}};

  const TunnelShardOptions of_shard{
      .has_engine = given.has_engine,
      .sandboxes = given.sandboxes == 0 ? default_sandboxes : given.sandboxes,
      .queue = given.queue,
      .asleep = given.asleep,
      .drain_timeout = given.drain_timeout,
      .on_request = given.on_request};
  for (std::size_t i = 0; i < given.threads; ++i) {
    shared->shards.push_back(
        CORDON_TRY(TunnelShard::create(of_shard, given.http, {shared->serializer, shared->regexps},
                                       shared->pool, shared->memory)));
  }
  std::vector<http::HttpServer*> all;
  for (const auto& shard : shared->shards) all.push_back(&shard->http());

  std::unique_ptr<TunnelServer> server(new TunnelServer(std::move(shared)));
  CORDON_TRY(server->reload(std::move(rules)));
  for (const transport::ListenAddress& address : server->shared_->options.listen) {
    auto& listeners = server->shared_->listeners;
    listeners.push_back(CORDON_TRY(transport::ListeningSocket::open(address)));
    for (const auto& shard : server->shared_->shards)
      shard->listen(CORDON_TRY(listeners.back().duplicate()), all);
  }
  return server;
}

Result<> TunnelServer::reload(std::shared_ptr<const TunnelRules> rules,
                              const std::optional<transport::TlsFiles>& tls) {
  std::shared_ptr<boost::asio::ssl::context> context;
  if (tls && shared_->options.tls) context = CORDON_TRY(tls_context_of(*tls));
  std::vector<std::shared_ptr<const Exposure>> exposures;
  for (const auto& shard : shared_->shards)
    exposures.push_back(CORDON_TRY(Exposure::create(rules, shard->tools())));
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
    urls.push_back(address.url(shared_->options.tls.has_value()) + shared_->rules->base_path);
  }
  return urls;
}

void TunnelServer::run() {
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

Engine::Load TunnelServer::load() const {
  Engine::Load sum;
  for (const auto& shard : shared_->shards) {
    const Engine::Load load = shard->load();
    sum.running += load.running;
    sum.waiting += load.waiting;
    sum.queued += load.queued;
    sum.asleep += load.asleep;
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
