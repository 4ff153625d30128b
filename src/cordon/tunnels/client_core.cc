#include "cordon/tunnels/client_core.h"

#include "cordon/host/serializer_parts.h"
#include "cordon/transport/http/proxy_settings.h"
#include "cordon/transport/http/request_text.h"
#include "cordon/transport/tls_context.h"
#include "cordon/tunnels/remote_call.h"

namespace cordon::tunnels {

namespace http = transport::http;

ClientCore::ClientCore(TunnelClientOptions options, http::Origin origin, LaneSigners lanes)
    : options_(std::move(options)),
      origin_(std::move(origin)),
      lanes_(std::move(lanes)),
      session_options_{.base_path = origin_.path,
                       .token = options_.token,
                       .token_header = options_.token_header,
                       .max_answer_bytes = options_.max_answer_bytes},
      regexp_allowance_{options_.serializer.max_regexps, options_.serializer.max_regexp_time},
      serializer_(host::serializer_options(options_.serializer), regexps_),
      work_(io_.get_executor()),
      inbox_(std::make_shared<http::LoopInbox>(io_)) {
  http_.emplace(io_, http::HttpClientOptions{
                         .max_connections = options_.max_connections,
                         .max_waiting = options_.max_waiting,
                         .max_idle = options_.max_connections,
                         .proxies = options_.uses_proxies ? http::ProxySettings::from_environment()
                                                          : http::ProxySettings(),
                         .offers_http2 = options_.offers_http2,
                         .trusted_certificates = options_.trusted_certificates});
}

Result<std::shared_ptr<ClientCore>> ClientCore::create(TunnelClientOptions options) {
  Result<http::Origin> origin = http::Origin::parse(options.url);
  if (!origin)
    return fail(ErrorCode::invalid_argument, "the URL of the tunnel: " + origin.error().message);
  if (options.max_connections == 0)
    return fail(ErrorCode::invalid_argument, "max_connections: there must be one at least");
  http::HttpRequest request{.target = "/"};
  for (const TunnelHeader& header : options.headers)
    request.headers.push_back({header.name, header.value});
  if (!options.token.empty()) request.headers.push_back({options.token_header, options.token});
  CORDON_TRY(http::check_request(request));
  if (!options.trusted_certificates.empty())
    CORDON_TRY(transport::make_client_tls_context(options.trusted_certificates, {}));

  LaneSigners lanes = CORDON_TRY(LaneSigners::create(options.lanes));
  const std::shared_ptr<ClientCore> core(
      new ClientCore(std::move(options), *std::move(origin), std::move(lanes)));
  for (const SerializerType& type : core->options_.types)
    CORDON_TRY(core->serializer_.add_type(host::type_definition(type)));
  core->thread_ = std::thread([core] { core->io_.run(); });
  return core;
}

ClientCore::Place ClientCore::enter(std::shared_ptr<RemoteCall> call) {
  return calls_.insert(calls_.end(), std::move(call));
}

std::optional<TunnelDiscovery> ClientCore::known() {
  const MutexLock lock(mutex_);
  return known_;
}

void ClientCore::remember(std::optional<TunnelDiscovery> discovery) {
  const MutexLock lock(mutex_);
  known_ = std::move(discovery);
}

void ClientCore::close() {
  // From inside of an answer nobody can wait for the thread that gives it.
  if (inbox_->is_here()) {
    thread_.detach();
    end_all();
    return;
  }
  inbox_->post([this] { end_all(); });
  thread_.join();
}

// Whatever was posted before has run by now, and nothing is posted any more.
void ClientCore::end_all() {
  inbox_->close();
  while (!calls_.empty()) {
    const std::shared_ptr<RemoteCall> call = calls_.front();
    call->cancel();
  }
  http_.reset();
  work_.reset();
}

}  // namespace cordon::tunnels
