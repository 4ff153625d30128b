#include "cordon/server/runner_server.h"

#include <thread>

#include "cordon/server/idle_memory.h"
#include "cordon/server/runner_shard.h"
#include "cordon/transport/tls_context.h"

namespace cordon::server {
namespace {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<ssl::context>> tls_of(const RunnerServerOptions& options) {
  if (!options.tls) return nullptr;
  return transport::make_tls_context(*options.tls);
}

}  // namespace

struct RunnerServer::Shared {
  RunnerServerOptions options;
  std::unique_ptr<ssl::context> tls;
  std::unique_ptr<transport::ConnectionGate> gate;
  std::vector<transport::ListeningSocket> listeners;
  std::vector<std::unique_ptr<ListenerRules>> rules;  // of each listener
  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<RunnerShard>> shards;
};

RunnerServer::RunnerServer(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
RunnerServer::~RunnerServer() = default;

Result<std::unique_ptr<RunnerServer>> RunnerServer::create(RunnerServerOptions options) {
  auto shared = std::make_unique<Shared>();
  shared->options = std::move(options);
  const RunnerServerOptions& given = shared->options;
  if (given.threads == 0) return fail(ErrorCode::invalid_argument, "threads: at least 1 is needed");
  transport::raise_file_limit();
  shared->tls = CORDON_TRY(tls_of(given));
  shared->gate = std::make_unique<transport::ConnectionGate>(given.connections);

  for (std::size_t i = 0; i < given.threads; ++i) {
    shared->shards.push_back(
        CORDON_TRY(RunnerShard::create(given, *shared->gate, shared->tls.get())));
  }
  std::vector<RunnerShard*> all;
  for (const auto& shard : shared->shards) all.push_back(shard.get());
  for (const auto& shard : shared->shards) shard->set_peers(all);

  for (const transport::ListenAddress& address : given.listen) {
    shared->listeners.push_back(CORDON_TRY(transport::ListeningSocket::open(address)));
    const transport::ListenAddress& actual = shared->listeners.back().address();
    shared->addresses.push_back(actual.text(shared->tls != nullptr));
    shared->rules.push_back(std::make_unique<ListenerRules>(
        ListenerRules{actual.kind, {actual.path, given.token, given.origins}}));
    for (const auto& shard : shared->shards) {
      const int descriptor = CORDON_TRY(shared->listeners.back().duplicate());
      shard->listen(descriptor, *shared->rules.back());
    }
  }
  return std::unique_ptr<RunnerServer>(new RunnerServer(std::move(shared)));
}

const std::vector<std::string>& RunnerServer::addresses() const { return shared_->addresses; }

void RunnerServer::run() {
  // Gives memory back after a burst, by a thread of its own.
  const IdleMemory idle_memory([this] { return shared_->gate->count(); },
                               [this] {
                                 for (const auto& shard : shared_->shards)
                                   shard->give_memory_back();
                               });
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < shared_->shards.size(); ++i)
    threads.emplace_back([shard = shared_->shards[i].get()] { shard->run(); });
  shared_->shards.front()->run();
}

void RunnerServer::stop() {
  for (transport::ListeningSocket& listener : shared_->listeners) listener.close();
  for (const auto& shard : shared_->shards) shard->stop();
}

}  // namespace cordon::server
