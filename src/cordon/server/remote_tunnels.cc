#include "cordon/server/remote_tunnels.h"

#include <chrono>
#include <latch>

#include "cordon/coroutine.h"
#include "cordon/server/redaction.h"
#include "cordon/tunnel_client.h"

namespace cordon::server {
namespace {

using providers::RemoteFailure;
using providers::RemoteFault;

constexpr std::size_t max_listing_bytes = std::size_t{4} << 20;
RemoteFault fault_of(const TunnelError& error) {
  switch (error.failure) {
    case TunnelFailure::answered:
      return error.status == 403U || error.status == 404U ? RemoteFault::not_exposed
                                                          : RemoteFault::answered;
    case TunnelFailure::unreachable:
      return RemoteFault::unreachable;
    case TunnelFailure::timeout:
      return RemoteFault::timeout;
    case TunnelFailure::tls:
      return RemoteFault::tls;
    case TunnelFailure::bad_response:
      return error.status ? RemoteFault::bad_response : RemoteFault::no_answer;
    case TunnelFailure::truncated:
      return RemoteFault::truncated;
    case TunnelFailure::too_large:
      return RemoteFault::too_large;
    case TunnelFailure::redirect:
      return RemoteFault::redirect;
    case TunnelFailure::cancelled:
      return RemoteFault::cancelled;
    case TunnelFailure::refused:
      return RemoteFault::refused;
  }
  std::unreachable();
}

RemoteFailure failure_of(TunnelError error, const Redaction& redaction) {
  RemoteFailure failure{.fault = fault_of(error),
                        .message = std::move(error.message),
                        .id = std::move(error.id),
                        .data = std::move(error.data)};
  redaction.hide_in(failure);
  return failure;
}

TunnelClientOptions client_options(const config::TunnelTarget& target) {
  TunnelClientOptions options{
      .url = target.url, .token = target.token.value_or(""), .token_header = target.header};
  for (const auto& [name, value] : target.headers) options.headers.push_back({name, value});
  for (const auto& [name, lane] : target.lanes) {
    options.lanes.push_back({.name = name,
                             .tasks = lane.tasks,
                             .secret = lane.secret.value_or(""),
                             .private_key = lane.private_key.value_or(""),
                             .key_id = lane.key_id.value_or(""),
                             .header = lane.header});
  }
  return options;
}

class ClientTunnel final : public providers::RemoteTunnel {
 public:
  ClientTunnel(TunnelClient client, const config::TunnelTarget& target)
      : client_(std::move(client)),
        redaction_(target),
        discovery_timeout_(target.discovery_timeout) {}

  void call(providers::RemoteCall call, Done done) override {
    TunnelClient::Call made;
    made.id = std::move(call.id);
    made.input = TunnelInput(std::move(call.input));
    made.streams = TunnelClient::Streams::collected;
    made.options.stop = std::move(call.stop);
    made.options.request_id = std::move(call.origin.request_id);
    made.options.traceparent = std::move(call.origin.traceparent);
    made.options.spend = std::move(call.spend);
    client_.start(
        std::move(made), [this, done = std::move(done)](TunnelResult<TunnelAnswer> answer) mutable {
          if (!answer)
            return done(std::unexpected(failure_of(std::move(answer).error(), redaction_)));
          done(std::get<Value>(*std::move(answer)));
        });
  }

  void discover(Listed listed) override {
    detail::run_detached(
        client_.discover({.timeout = discovery_timeout_, .max_answer_bytes = max_listing_bytes},
                         TunnelClient::Known::asked_again),
        Lister{*this, std::move(listed)});
  }

 private:
  struct Lister {
    const ClientTunnel& tunnel;
    Listed listed;
    void operator()(TunnelResult<TunnelDiscovery> found) {
      if (!found)
        return listed(std::unexpected(failure_of(std::move(found).error(), tunnel.redaction_)));
      listed(providers::RemoteListing{found->enabled, std::move(found->tasks)});
    }
    void operator()(const std::exception_ptr&) {
      listed(std::unexpected(RemoteFailure{.fault = RemoteFault::cancelled}));
    }
  };

  TunnelClient client_;
  const Redaction redaction_;
  const std::chrono::milliseconds discovery_timeout_;
};

}  // namespace

Result<RemoteTunnels> RemoteTunnels::create(const config::Configuration& configuration) {
  RemoteTunnels tunnels;
  const auto timer = configuration.tunnels.empty() ? nullptr : std::make_shared<tools::CallTimer>();
  for (const auto& [name, target] : configuration.tunnels) {
    Result<TunnelClient> client = TunnelClient::create(client_options(target));
    if (!client) {
      const bool names_key = client.error().message.starts_with("lanes.");
      return fail(client.error().code,
                  "tunnels." + name + (names_key ? "." : ": ") + client.error().message);
    }
    tunnels.all_.emplace_back(
        name, providers::RemoteTasks::create(
                  std::make_unique<ClientTunnel>(*std::move(client), target),
                  {.name = name,
                   .allow = target.allow,
                   .limits = {.max_calls = target.max_calls, .max_bytes = target.max_bytes},
                   .timeout = target.timeout,
                   .timer = timer}));
  }
  return tunnels;
}

void RemoteTunnels::discover() const {
  const auto left = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(all_.size()));
  for (const auto& [name, tasks] : all_) tasks->discover([left] { left->count_down(); });
  left->wait();
}

std::string silence_text(const providers::RemoteTasks& tasks) {
  const auto silence = tasks.silence();
  if (!silence || tasks.knows_all()) return {};
  const std::string why =
      silence->fault == RemoteFault::answered
          ? "the tunnel \"" + tasks.name() + "\" does not list its tasks (" + silence->message + ")"
          : providers::failure_of(*silence, tasks.name()).message;
  return why + ", so the names of its tasks are not known";
}

}  // namespace cordon::server
