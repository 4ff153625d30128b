#include "cordon/tunnels/remote_call.h"

#include <utility>

#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/discovery.h"
#include "cordon/tunnels/answer_stream.h"
#include "cordon/tunnels/tunnel_error.h"

namespace cordon::tunnels {
namespace {

namespace http = transport::http;

tunnel::ClientOptions session_options_of(const ClientCore& core, TunnelClient::Streams streams,
                                         const TunnelCallOptions& options) {
  using Streams = tunnel::ClientOptions::Streams;
  tunnel::ClientOptions own = core.session_options();
  own.streams =
      streams == TunnelClient::Streams::collected ? Streams::collected : Streams::passed_on;
  own.max_answer_bytes = options.max_answer_bytes.value_or(own.max_answer_bytes);
  return own;
}

TunnelError spent() {
  return {.failure = TunnelFailure::too_large,
          .code = std::string(name_of(TunnelFailure::too_large)),
          .message = "the call has more bytes than it may spend"};
}

}  // namespace

RemoteCall::RemoteCall(std::shared_ptr<ClientCore> core, TunnelClient::Streams streams,
                       const TunnelCallOptions& options, TunnelTarget target,
                       TunnelClient::Done done)
    : core_(std::move(core)),
      session_options_(session_options_of(*core_, streams, options)),
      regexps_(core_->payload_regexps()),
      session_(session_options_, core_->serializer(), &regexps_),
      target_(target),
      spend_(options.spend),
      stop_(options.stop),
      done_(std::move(done)) {}

void RemoteCall::refuse(const Error& error) {
  const TunnelError refused{.failure = TunnelFailure::refused,
                            .code = std::string(name_of(TunnelFailure::refused)),
                            .message = error.message,
                            .was_sent = false};
  const std::shared_ptr<RemoteCall> self = shared_from_this();
  if (!core_->run_later([self, refused] { self->fail(refused); })) fail(refused);
}

void RemoteCall::begin(http::HttpRequest request) {
  std::size_t bytes = 0;
  for (const http::HttpBodyPart& part : request.body) {
    if (const auto* const text = std::get_if<std::string>(&part)) bytes += text->size();
  }
  place_ = core_->enter(shared_from_this());
  if (stop_.stop_requested()) return cancel();
  if (bytes > 0 && !may_keep(bytes)) {
    TunnelError error = spent();
    error.was_sent = false;
    return fail(std::move(error));
  }
  if (stop_.stop_possible()) {
    on_stop_.emplace(stop_, [weak = weak_from_this(), core = core_] {
      core->run_later([weak] {
        if (const std::shared_ptr<RemoteCall> self = weak.lock()) self->cancel();
      });
    });
  }
  transfer_ = core_->http().start(core_->origin(), std::move(request),
                                  [this](auto head) { on_head(std::move(head)); });
}

void RemoteCall::cancel() {
  fail({.failure = TunnelFailure::cancelled,
        .code = std::string(name_of(TunnelFailure::cancelled)),
        .message = "the call was cancelled",
        .status = status_});
}

bool RemoteCall::may_keep(std::size_t bytes) const { return !spend_ || spend_(bytes); }

void RemoteCall::on_head(http::HttpResult<HttpResponseHead> head) {
  using Verdict = tunnel::ClientSession::Next;
  if (!head) return fail(head.error());
  status_ = head->status;
  switch (session_.on_head(*head)) {
    case Verdict::read_on:
      return read_on();
    case Verdict::pass_on:
      return give_stream(*head);
    case Verdict::stop:
      return conclude();
  }
}

void RemoteCall::read_on() {
  transfer_.read([this](auto piece) { on_piece(std::move(piece)); });
}

void RemoteCall::on_piece(http::HttpResult<BytesView> piece) {
  using Verdict = tunnel::ClientSession::Next;
  if (!piece) return fail(piece.error());
  if (piece->empty()) return conclude();
  if (!may_keep(piece->size())) return fail(spent());
  if (session_.on_piece(as_text(*piece)) == Verdict::stop) return conclude();
  read_on();
}

// The answer, whole or as far as it is worth reading.
void RemoteCall::conclude() {
  tunnel::ClientOutcome outcome = session_.on_end();
  if (auto* const result = std::get_if<tunnel::TaskResult>(&outcome))
    return finish(TunnelAnswer(std::move(result->value)));
  if (const auto* const streamed = std::get_if<tunnel::StreamedAnswer>(&outcome))
    return finish(TunnelAnswer(Value::typed_array(ElementType::uint8, as_bytes(streamed->bytes))));
  // What it serves may have changed.
  if (target_ != TunnelTarget::discovery && (status_ == 403 || status_ == 404))
    core_->remember(std::nullopt);
  fail(error_of(std::move(outcome)));
}

void RemoteCall::fail(const http::HttpError& error) {
  TunnelError told = error_of(error);
  told.status = status_;
  told.request_id = session_.request_id();
  fail(std::move(told));
}

void RemoteCall::fail(TunnelError error) {
  if (done_) return finish(std::unexpected(std::move(error)));
  if (std::exchange(is_stream_over_, true)) return;
  const std::shared_ptr<RemoteCall> self = shared_from_this();
  leave();
  if (Next next = std::exchange(next_, nullptr)) {
    next(cordon::fail(error.to_error()));
  } else {
    stream_error_ = error.to_error();
  }
}

void RemoteCall::finish(TunnelResult<TunnelAnswer> answer) {
  const std::shared_ptr<RemoteCall> self = shared_from_this();
  is_stream_over_ = true;
  leave();
  std::exchange(done_, nullptr)(std::move(answer));
}

void RemoteCall::leave() {
  on_stop_.reset();
  transfer_ = {};
  if (const std::optional<ClientCore::Place> place = std::exchange(place_, std::nullopt))
    core_->leave(*place);
}

// Streamed answers.

void RemoteCall::give_stream(const HttpResponseHead& head) {
  TunnelStream stream{.bytes = std::make_shared<AnswerStream>(shared_from_this()),
                      .request_id = session_.request_id()};
  for (const HttpHeader& header : head.headers) {
    if (header.name == "content-type") stream.content_type = header.value;
  }
  std::exchange(done_, nullptr)(TunnelAnswer(std::move(stream)));
}

void RemoteCall::read(Next next) {
  if (is_stream_over_) {
    const std::optional<Error> error = std::exchange(stream_error_, std::nullopt);
    return next(error ? Result<Bytes>(cordon::fail(*error)) : Result<Bytes>(Bytes()));
  }
  next_ = std::move(next);
  transfer_.read([this](http::HttpResult<BytesView> piece) {
    if (!piece) return fail(piece.error());
    if (!piece->empty() && !may_keep(piece->size())) return fail(spent());
    const std::shared_ptr<RemoteCall> self = shared_from_this();
    Bytes bytes(piece->begin(), piece->end());
    if (bytes.empty()) {
      is_stream_over_ = true;
      leave();
    }
    std::exchange(next_, nullptr)(std::move(bytes));
  });
}

void RemoteCall::close_stream() {
  const std::shared_ptr<RemoteCall> self = shared_from_this();
  if (!std::exchange(is_stream_over_, true)) {
    stream_error_ = Error{ErrorCode::cancelled, "the stream was closed"};
    leave();
  }
  if (Next next = std::exchange(next_, nullptr))
    next(cordon::fail(ErrorCode::cancelled, "the stream was closed"));
}

}  // namespace cordon::tunnels
