// TunnelRequest, as far as it answers: results, streams, refusals, and the headers of all of them.

#include <utility>

#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/failure_codes.h"
#include "cordon/server/tunnel_request.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using transport::http::ResponseHead;
using tunnel::Refusal;

constexpr std::string_view too_late = "the server's deadline has passed";
constexpr std::string_view json_type = "application/json; charset=utf-8";
// Seconds after which a client may try again when all sandboxes are taken.
constexpr const char* retry_after = "1";

}  // namespace

asio::awaitable<void> TunnelRequest::conclude(TaskAnswer answer) {
  if (auto* const result = std::get_if<Value>(&answer)) {
    const std::size_t quick = std::min<std::size_t>(exposure_->rules().limits.response_bytes,
                                                    tunnel::max_quick_answer_bytes);
    Result<std::string> text = tunnel::result_text(context_.reader.serializer, *result, quick);
    if (text) {
      co_await respond(200, *std::move(text));
    } else {
      co_await conclude_at_length(200, std::move(*result));
    }
  } else if (auto* const streamed = std::get_if<StreamedResult>(&answer)) {
    co_await stream(std::move(*streamed));
  } else if (auto* const typed = std::get_if<TypedError>(&answer)) {
    failure_ = typed->message;
    code_ = "INTERNAL_ERROR";
    co_await conclude_at_length(500, std::move(*typed));
  } else {
    auto& failure = std::get<ExecutionError>(answer);
    failure_ = std::move(failure.message);
    stack_ = std::move(failure.stack);
    // Only a client that went away has cancelled it; else it was the task's own doing.
    const bool is_ours = failure.is(ErrorCode::cancelled) && !exchange_.aborted().stop_requested();
    const ErrorCode told = is_ours ? ErrorCode::runtime_error : failure.code;
    Refusal refusal = tunnel::refusal_of_failure(told, failure_);
    co_await refuse(std::move(refusal));
  }
}

asio::awaitable<void> TunnelRequest::conclude_at_length(unsigned status,
                                                        std::variant<Value, TypedError> answer) {
  const bool was_tried = std::holds_alternative<Value>(answer);
  const auto work = std::make_shared<AnswerWork>(context_.reader.serializer, std::move(answer),
                                                 exposure_->rules().limits.response_bytes,
                                                 context_.memory, head_.peer);
  if (!was_tried) work->begin();
  const bool is_fine = co_await complete(work);
  if (!is_fine) co_return;
  signals().answer_charge = work->take_charge();
  std::string text = work->take_text();
  co_await respond(status, std::move(text));
}

asio::awaitable<void> TunnelRequest::stream(StreamedResult result) {
  const std::shared_ptr<ByteSource> source = std::move(result.bytes);
  signals();
  // The first piece decides whether there is a stream at all or an error to tell.
  bool has_started = false;
  for (;;) {
    signals_->piece.reset();
    source->read([signals = signals_](Result<Bytes> piece) {
      if (signals->is_over) return;
      signals->piece = std::move(piece);
      signals->event.notify();
    });
    if (!signals_->piece) co_await until([this] { return signals_->piece.has_value(); });
    // A stream that never waits is ended by the deadline all the same.
    const bool is_there = signals_->piece.has_value() && !signals_->is_late;
    if (!is_there || !*signals_->piece) {
      if (is_there) failure_ = to_string(signals_->piece->error());
      if (signals_->is_late) failure_ = too_late;
      source->close();
      if (has_started) {  // unfinished: the client sees that there is something missing
        if (signals_->client_is_gone || exchange_.aborted().stop_requested()) note_client_went();
        co_return;
      }
      if (is_lost() || exchange_.aborted().stop_requested()) {
        co_await give_up();
      } else {
        co_await refuse(tunnel::internal_error());
      }
      co_return;
    }
    const Bytes piece = **std::move(signals_->piece);
    if (!std::exchange(has_started, true)) {
      status_ = 200;
      const ResponseHead head = response_head(200, result.content_type);
      const bool is_started = co_await exchange_.start(head);
      if (!is_started) {
        note_client_went();
        source->close();
        co_return;
      }
    }
    if (piece.empty()) {
      co_await exchange_.finish();
      co_return;
    }
    const bool is_written = co_await exchange_.write(piece);
    if (!is_written) {
      note_client_went();
      source->close();
      co_return;
    }
  }
}

// A client may go away at any time. That is not a failure and is not logged as one.
void TunnelRequest::note_client_went() {
  failure_.clear();
  code_ = tunnel::request_aborted().code;
}

asio::awaitable<void> TunnelRequest::give_up() {
  if (stop_) stop_->request_stop();
  if (signals_ && signals_->is_late && !signals_->client_is_gone) {
    if (failure_.empty()) failure_ = too_late;
    co_await refuse(tunnel::internal_error());
  } else {
    note_client_went();
    co_await refuse(tunnel::request_aborted());
  }
}

asio::awaitable<void> TunnelRequest::refuse(Refusal refusal) {
  code_ = refusal.code;
  std::string text = tunnel::refusal_text(refusal);
  co_await respond(refusal.status, std::move(text));
}

asio::awaitable<void> TunnelRequest::respond(unsigned status, std::string body) {
  status_ = status;
  ResponseHead head = response_head(status, json_type);
  if (status == 503) head.headers.push_back({"Retry-After", retry_after});
  if (status == 405) {
    const bool is_discovery = tunnel::route_of(head_.target, exposure_->rules().base_path).kind ==
                              tunnel::Route::Kind::discovery;
    head.headers.push_back({"Allow", is_discovery ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS"});
  }
  // The reader of the request's body learns that it is over, and the rest is dropped.
  if (body_) body_->end();
  if (upload_) upload_->end();
  co_await exchange_.respond(head, std::move(body));
}

ResponseHead TunnelRequest::response_head(unsigned status, std::string_view content_type) const {
  ResponseHead head;
  head.status = status;
  head.headers.reserve(8);
  head.headers.push_back({"x-runner-request-id", request_id_});
  exposure_->cors().answer(header("origin"), [&](std::string_view name, std::string_view value) {
    head.headers.push_back({std::string(name), std::string(value)});
  });
  head.headers.push_back({"content-type", std::string(content_type)});
  head.headers.push_back({"X-Content-Type-Options", "nosniff"});
  head.headers.push_back({"X-Frame-Options", "DENY"});
  return head;
}

}  // namespace cordon::server
