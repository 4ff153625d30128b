#include "cordon/server/runner_server.h"

#include <utility>

#include "cordon/config/configuration.h"
#include "cordon/server/runner_service.h"
#include "cordon/server/shard_group.h"
#include "cordon/transport/tls_context.h"

namespace cordon::server {
namespace {

namespace ssl = boost::asio::ssl;

// A thread keeps what it accepts unless another one has this many fewer: sessions are short.
constexpr std::size_t even_enough = 8;

Result<std::shared_ptr<ssl::context>> tls_of(const RunnerServerOptions& options) {
  if (!options.tls) return nullptr;
  return CORDON_TRY(transport::make_tls_context(*options.tls));
}

ShardOptions shard_options_of(const RunnerServerOptions& options) {
  const std::size_t share = (options.executions + options.threads - 1) / options.threads;
  const std::size_t slack = options.threads > 1 ? 2 * even_enough : 0;
  return {
      .engine = EngineOptions{.slots = share + slack,
                              .queue = options.connections.max + slack,
                              // A guest that waits for its host this long is kept as what differs
                              // from a fresh one.
                              .hibernate_after = config::Server().engine.hibernate_after},
      .drain_timeout = options.grace,
      // While no guest computes, messages are taken one at a time: its guest continues at once, and
      // the kernel is asked less often.
      .max_events_at_rest = 1,
      // Guests get their turn, whatever peers send.
      .max_events_in_work = 256,
  };
}

}  // namespace

struct RunnerServer::Shared {
  explicit Shared(RunnerServerOptions given)
      : options(std::move(given)), group(options.connections, {}, even_enough) {}

  const RunnerServerOptions options;
  std::vector<std::unique_ptr<ListenerRules>> rules;  // of each listener
  std::vector<std::string> addresses;
  ShardGroup group;
  std::vector<RunnerService*> services;  // of the group's shards
};

RunnerServer::RunnerServer(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
RunnerServer::~RunnerServer() = default;

Result<std::unique_ptr<RunnerServer>> RunnerServer::create(RunnerServerOptions options) {
  if (options.threads == 0)
    return fail(ErrorCode::invalid_argument, "threads: at least 1 is needed");
  transport::raise_file_limit();
  auto shared = std::make_unique<Shared>(std::move(options));
  const RunnerServerOptions& given = shared->options;
  const std::shared_ptr<ssl::context> tls = CORDON_TRY(tls_of(given));
  for (std::size_t i = 0; i < given.threads; ++i) {
    Shard& shard = shared->group.add(CORDON_TRY(Shard::create(shard_options_of(given))));
    shared->services.push_back(&shard.serve(std::make_unique<RunnerService>(shard, given, tls)));
  }

  for (const transport::ListenAddress& address : given.listen) {
    const ListenerRules& rules = *shared->rules.emplace_back(std::make_unique<ListenerRules>(
        ListenerRules{address.kind, {address.path, given.token, given.origins}}));
    std::vector<transport::Adopter*> adopters;
    for (RunnerService* const service : shared->services)
      adopters.push_back(&service->adopter(rules));
    const auto actual = CORDON_TRY(shared->group.listen(address, adopters));
    shared->addresses.push_back(actual.text(tls != nullptr));
  }
  return std::unique_ptr<RunnerServer>(new RunnerServer(std::move(shared)));
}

const std::vector<std::string>& RunnerServer::addresses() const { return shared_->addresses; }
void RunnerServer::run() { shared_->group.run(); }
void RunnerServer::stop() { shared_->group.stop(); }
bool RunnerServer::answers(std::chrono::milliseconds within) const {
  return shared_->group.answers(within);
}

Result<> RunnerServer::reload_tls() {
  const std::shared_ptr<ssl::context> tls = CORDON_TRY(tls_of(shared_->options));
  if (!tls) return {};
  for (RunnerService* const service : shared_->services) service->replace_tls(tls);
  return {};
}

}  // namespace cordon::server
