#include "cordon/tunnel_client.h"

#include <coroutine>
#include <utility>

#include "cordon/protocol/tunnel/discovery.h"
#include "cordon/tunnels/client_core.h"
#include "cordon/tunnels/client_request.h"
#include "cordon/tunnels/remote_call.h"

namespace cordon {
namespace {

namespace http = transport::http;
using tunnels::ClientCore;
using tunnels::RemoteCall;

void begin(const std::shared_ptr<ClientCore>& core, TunnelClient::Call call,
           TunnelClient::Done done) {
  const std::optional<std::chrono::milliseconds> timeout =
      call.options.timeout ? call.options.timeout : core->options().timeout;
  const Instant now = std::chrono::steady_clock::now();
  const auto remote =
      std::make_shared<RemoteCall>(core, call.streams, call.options, call.target, std::move(done));
  Result<http::HttpRequest> request = tunnels::request_of(*core, remote->session(), call);
  if (!request) return remote->refuse(request.error());
  if (timeout) request->deadline = now + *timeout;
  const bool is_run =
      core->run([remote, request = std::make_shared<http::HttpRequest>(*std::move(request))] {
        remote->begin(std::move(*request));
      });
  if (!is_run) remote->refuse({ErrorCode::closed, "the client has ended"});
}

// Starts a call and waits for its answer. Its caller resumes on the client's thread.
class Awaited {
 public:
  Awaited(std::shared_ptr<ClientCore> core, TunnelClient::Call call)
      : core_(std::move(core)), call_(std::move(call)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    // It may be resumed, and this destroyed, before begin() returns.
    const std::shared_ptr<ClientCore> core = core_;
    begin(core, std::move(call_), [this, waiter](TunnelResult<TunnelAnswer> answer) {
      answer_ = std::move(answer);
      waiter.resume();
    });
  }
  TunnelResult<TunnelAnswer> await_resume() { return *std::move(answer_); }

 private:
  const std::shared_ptr<ClientCore> core_;
  TunnelClient::Call call_;
  std::optional<TunnelResult<TunnelAnswer>> answer_ = {};
};

Coroutine<TunnelResult<TunnelAnswer>> run_call(std::shared_ptr<ClientCore> core,
                                               TunnelClient::Call call) {
  Awaited awaited(std::move(core), std::move(call));
  TunnelResult<TunnelAnswer> answer = co_await awaited;
  co_return answer;
}

Coroutine<TunnelResult<Value>> run_for_value(std::shared_ptr<ClientCore> core,
                                             TunnelClient::Call call) {
  call.streams = TunnelClient::Streams::collected;
  Awaited awaited(std::move(core), std::move(call));
  TunnelResult<TunnelAnswer> answer = co_await awaited;
  if (!answer) co_return std::unexpected(std::move(answer).error());
  co_return std::get<Value>(*std::move(answer));
}

Coroutine<TunnelResult<void>> run_emit(std::shared_ptr<ClientCore> core, TunnelClient::Call call) {
  Awaited awaited(std::move(core), std::move(call));
  const TunnelResult<TunnelAnswer> answer = co_await awaited;
  if (!answer) co_return std::unexpected(answer.error());
  co_return TunnelResult<void>();
}

// It changes nothing on the server, so an answer that never came whole may be asked for again.
bool may_be_repeated(const TunnelError& error) {
  return error.failure == TunnelFailure::truncated ||
         (error.failure == TunnelFailure::bad_response && !error.status);
}

TunnelResult<TunnelDiscovery> read_discovery(const Value& value) {
  Result<tunnel::Discovery> found = tunnel::discovery_of(value);
  if (!found) {
    return std::unexpected(TunnelError{.failure = TunnelFailure::bad_response,
                                       .code = std::string(name_of(TunnelFailure::bad_response)),
                                       .message = found.error().message});
  }
  return TunnelDiscovery{.enabled = found->enabled,
                         .tasks = std::move(found->tasks),
                         .events = std::move(found->events)};
}

Coroutine<TunnelResult<TunnelDiscovery>> run_discovery(std::shared_ptr<ClientCore> core,
                                                       TunnelCallOptions options,
                                                       TunnelClient::Known known) {
  if (known == TunnelClient::Known::accepted) {
    std::optional<TunnelDiscovery> found = core->known();
    if (found) co_return *std::move(found);
  }
  for (int attempt = 0;; ++attempt) {
    TunnelClient::Call call;
    call.target = TunnelTarget::discovery;
    call.options = options;
    Awaited awaited(core, std::move(call));
    TunnelResult<TunnelAnswer> answer = co_await awaited;
    if (!answer) {
      if (attempt == 0 && may_be_repeated(answer.error())) continue;
      co_return std::unexpected(std::move(answer).error());
    }
    TunnelResult<TunnelDiscovery> found = read_discovery(std::get<Value>(*answer));
    if (found) core->remember(*found);
    co_return found;
  }
}

}  // namespace

struct TunnelClient::State {
  explicit State(std::shared_ptr<ClientCore> made) : core(std::move(made)) {}
  ~State() { core->close(); }

  const std::shared_ptr<ClientCore> core;
};

Result<TunnelClient> TunnelClient::create(TunnelClientOptions options) {
  std::shared_ptr<ClientCore> core = CORDON_TRY(ClientCore::create(std::move(options)));
  return TunnelClient(std::make_unique<State>(std::move(core)));
}

TunnelClient::TunnelClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
TunnelClient::~TunnelClient() = default;
TunnelClient::TunnelClient(TunnelClient&&) noexcept = default;
TunnelClient& TunnelClient::operator=(TunnelClient&&) noexcept = default;

void TunnelClient::start(Call call, Done done) {
  begin(state_->core, std::move(call), std::move(done));
}

Coroutine<TunnelResult<TunnelAnswer>> TunnelClient::call(std::string id, TunnelInput input,
                                                         TunnelCallOptions options) {
  return run_call(state_->core,
                  {.id = std::move(id), .input = std::move(input), .options = std::move(options)});
}

Coroutine<TunnelResult<Value>> TunnelClient::task(std::string id, TunnelInput input,
                                                  TunnelCallOptions options) {
  return run_for_value(
      state_->core,
      {.id = std::move(id), .input = std::move(input), .options = std::move(options)});
}

Coroutine<TunnelResult<void>> TunnelClient::emit(std::string id, Value payload,
                                                 TunnelCallOptions options) {
  return run_emit(state_->core, {.target = TunnelTarget::event,
                                 .id = std::move(id),
                                 .input = std::move(payload),
                                 .options = std::move(options)});
}

Coroutine<TunnelResult<Value>> TunnelClient::emit_and_return(std::string id, Value payload,
                                                             TunnelCallOptions options) {
  return run_for_value(state_->core, {.target = TunnelTarget::event,
                                      .id = std::move(id),
                                      .input = std::move(payload),
                                      .returns_payload = true,
                                      .options = std::move(options)});
}

Coroutine<TunnelResult<TunnelDiscovery>> TunnelClient::discover(TunnelCallOptions options,
                                                                Known known) {
  return run_discovery(state_->core, std::move(options), known);
}

}  // namespace cordon
