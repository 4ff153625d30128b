#include "cordon/protocol/tunnel/server_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cordon/base/bytes.h"
#include "cordon/protocol/tunnel/answer_head.h"
#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/failure_codes.h"
#include "cordon/protocol/tunnel/part_head.h"
#include "cordon/protocol/tunnel/request_id.h"

namespace cordon::tunnel {
namespace {

constexpr std::string_view too_late = "the server's deadline has passed";

std::string new_request_id(std::mt19937_64& random) {
  std::array<std::uint8_t, 16> bytes;
  const std::array<std::uint64_t, 2> words = {random(), random()};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return uuid_text(bytes);
}

}  // namespace

ServerSession::ServerSession(const Policy& policy, const rich::Serializer& serializer,
                             const HttpRequestHead& head, std::mt19937_64& random)
    : policy_(policy), serializer_(serializer), head_(head) {
  const std::string* const given = only_header_of(head, "x-runner-request-id");
  request_id_ = given != nullptr && is_request_id(*given) ? *given : new_request_id(random);
  if (const std::string* const trace = only_header_of(head, "traceparent")) {
    if (const auto parent = parse_traceparent(*trace))
      traceparent_ = child_traceparent(*parent, random());
  }
}

// Checks.

Order ServerSession::on_head(LaneTime now) {
  using enum Route::Kind;
  now_ = now;
  route_ = route_of(head_.target, policy_.options().base_path);
  if (route_.kind == discovery && !policy_.options().has_discovery) route_.kind = unknown;
  if (head_.method == "OPTIONS" && route_.kind != outside) {
    state_ = State::over;
    status_ = 204;
    return Respond{preflight_head(policy_, head_)};
  }
  if (route_.kind == outside || route_.kind == unknown) return refuse(not_found());
  const bool is_read = head_.method == "GET" || head_.method == "HEAD";
  if (head_.method != "POST" && !(is_read && route_.kind == discovery))
    return refuse(method_not_allowed());
  switch (policy_.judge(head_)) {
    case Policy::Verdict::let_in:
      return admit();
    case Policy::Verdict::refused:
      return refuse(unauthorized());
    case Policy::Verdict::not_configured:
      return refuse(auth_not_configured());
    case Policy::Verdict::ask_validators:
      return ask_next_validator();
  }
  std::unreachable();
}

Order ServerSession::ask_next_validator() {
  if (validators_asked_ == policy_.validators().size()) return refuse(unauthorized());
  const std::string path(path_of(head_.target));
  Value input = Value::object(
      {{"headers", headers()}, {"method", head_.method}, {"url", head_.target}, {"path", path}});
  return AskValidator{policy_.validators()[validators_asked_++], std::move(input), headers()};
}

Order ServerSession::on_verdict(const Value& answer) {
  return answer.find("ok").as_bool() ? admit() : ask_next_validator();
}

Order ServerSession::admit() {
  if (route_.kind == Route::Kind::discovery) return respond(200, policy_.discovery_text());
  const bool is_event = route_.kind == Route::Kind::event;
  id_ = std::move(route_.id);
  const auto found = policy_.find(is_event ? Policy::Kind::event : Policy::Kind::task, id_);
  if (!found) return refuse(found.error());
  endpoint_ = *found;
  return endpoint_->lane == nullptr ? admit_task() : admit_lane();
}

// The server's own token was right; calls of a lane carry another, which is about this one call.
Order ServerSession::admit_lane() {
  const bool is_event = route_.kind == Route::Kind::event;
  auto claimed =
      endpoint_->lane->check(head_, is_event ? LaneKind::event : LaneKind::task, id_, now_);
  const auto refused = [&](const std::string& why) {
    return on_refusal(unauthorized(), "lane " + endpoint_->lane->name() + ": " + why);
  };
  if (!claimed) return refused(claimed.error().message);
  // What is streamed is not there to be hashed when a client signs.
  if (is_event || mode_of(header_of(head_, "content-type")) == BodyMode::json) {
    if (!*claimed) return refused("the token has no hash of the body");
    claimed_hash_ = **std::move(claimed);
    body_hash_.emplace();
  }
  return admit_task();
}

Order ServerSession::admit_task() {
  if (route_.kind == Route::Kind::event) return read_whole();
  const std::string_view content_type = header_of(head_, "content-type");
  switch (mode_of(content_type)) {
    case BodyMode::json:
      return read_whole();
    case BodyMode::octet_stream:
      attachment_ = Attachment::body;
      return read_input(InputForm::none);
    case BodyMode::multipart: {
      std::optional<std::string> boundary = boundary_of(content_type);
      if (!boundary) return refuse(invalid_multipart());
      attachment_ = Attachment::files;
      return ReadParts{*std::move(boundary)};
    }
  }
  std::unreachable();
}

// Bodies and inputs.

Order ServerSession::read_whole() {
  if (!head_.has_body) return read_text();
  // Refused before the client is asked to send it.
  if (head_.content_length && *head_.content_length > policy_.options().limits.json_bytes)
    return refuse(payload_too_large());
  return ReadBody{};
}

Order ServerSession::on_body(BytesView piece) {
  if (text_.size() + piece.size() > policy_.options().limits.json_bytes)
    return refuse(payload_too_large());
  text_ += as_text(piece);
  if (body_hash_) body_hash_->add(piece);
  // With its length known the end needs no other look.
  if (head_.content_length == text_.size()) return on_body_end();
  return ReadBody{};
}

Order ServerSession::on_body_end() { return read_text(); }

// A body that is not the one that was signed is not looked into.
Order ServerSession::read_text() {
  if (body_hash_ && !body_hash_->is(*claimed_hash_)) {
    return on_refusal(unauthorized(),
                      "lane " + endpoint_->lane->name() + ": the token is of another body");
  }
  return read_input(route_.kind == Route::Kind::event ? InputForm::event : InputForm::task);
}

Order ServerSession::on_body_failure(ErrorCode code) {
  if (code == ErrorCode::closed) return on_client_gone();
  // The connection answers these by itself.
  if (code == ErrorCode::malformed) status_ = 400;
  if (code == ErrorCode::timeout) status_ = 408;
  return leave();
}

Order ServerSession::read_input(InputForm form) {
  ReadInput order{.endpoint = endpoint_, .form = form, .text = std::move(text_)};
  if (form == InputForm::event && endpoint_->is_parallel) order.parallel_event = id_;
  // A function of the input alone has no use for contexts; one that is given more is called as the
  // others are.
  const bool wants_contexts = !endpoint_->takes_input_alone || attachment_ != Attachment::none;
  const std::vector<std::string>& contexts = policy_.contexts_of(*endpoint_);
  if (wants_contexts && !contexts.empty()) {
    order.context_header = only_header_of(head_, "x-runner-context");
    order.contexts = &contexts;
  }
  return order;
}

Order ServerSession::on_input(Input input) {
  returns_payload_ = input.returns_payload;
  if (endpoint_->takes_input_alone && attachment_ == Attachment::none)
    return Invoke{endpoint_, std::move(input.input)};
  return Call{endpoint_, std::move(input.input), std::move(input.contexts), headers(), attachment_};
}

Value ServerSession::headers() {
  if (!headers_) headers_ = headers_value(head_, request_id_);
  return *headers_;
}

// Answers.

Order ServerSession::on_result(Value result) {
  // A result that is known waits for the rest of the body; one that is streamed cannot.
  if (attachment_ == Attachment::files) {
    result_ = std::move(result);
    return AwaitParts{};
  }
  return conclude(std::move(result));
}

Order ServerSession::conclude(Value result) {
  if (route_.kind == Route::Kind::event && !returns_payload_)
    return respond(200, std::string(event_text()));
  const std::size_t quick =
      std::min<std::size_t>(policy_.options().limits.response_bytes, max_quick_answer_bytes);
  Result<std::string> text = result_text(serializer_, result, quick);
  if (text) return respond(200, *std::move(text));
  return WriteAnswer{std::move(result)};
}

Order ServerSession::on_typed_error(TypedFailure error) {
  failure_ = error.message;
  code_ = internal_error().code;
  if (error.http_code && (*error.http_code < 400 || *error.http_code > 599)) {
    return on_refusal(internal_error(),
                      "the httpCode " + std::to_string(*error.http_code) +
                          " of an error is not from 400 to 599: " + error.message);
  }
  answer_status_ = error.http_code.value_or(internal_error().status);
  const std::size_t limit = policy_.options().limits.response_bytes;
  Result<std::string> text =
      typed_error_text(serializer_, error.id, error.message, error.data,
                       std::min(limit, max_quick_answer_bytes), error.http_code);
  if (text) return respond(answer_status_, *std::move(text));
  if (text.error().code == ErrorCode::too_large && limit > max_quick_answer_bytes)
    return WriteAnswer{std::move(error)};
  return on_refusal(internal_error(), "the answer cannot be written: " + to_string(text.error()));
}

Order ServerSession::on_failure(ErrorCode code, std::string message, std::string stack,
                                Client client) {
  failure_ = std::move(message);
  stack_ = std::move(stack);
  // Only a client that went away has cancelled it; else it was the task's own doing.
  const bool is_ours = code == ErrorCode::cancelled && client == Client::is_there;
  return refuse(refusal_of_failure(is_ours ? ErrorCode::runtime_error : code, failure_));
}

Order ServerSession::on_refusal(const Refusal& refusal, std::string failure) {
  failure_ = std::move(failure);
  return refuse(refusal);
}

Order ServerSession::refuse(const Refusal& refusal) {
  code_ = refusal.code;
  return respond(refusal.status, refusal_text(refusal));
}

Order ServerSession::respond(unsigned status, std::string body) {
  state_ = State::over;
  status_ = status;
  return Respond{envelope_head(policy_, head_, route_.kind, status, request_id_), std::move(body)};
}

// Streams. The first piece decides whether there is a stream at all or an error to tell.

Order ServerSession::on_stream(StreamHead head) {
  if (route_.kind == Route::Kind::event)
    return on_refusal(internal_error(), "an event answered with a stream");
  if (const auto why = complain_about(head))
    return on_refusal(internal_error(), "the task's stream cannot be sent: " + *why);
  stream_head_ = std::move(head);
  answer_status_ = stream_head_.status;
  return ReadPiece{};
}

Order ServerSession::on_piece(std::size_t bytes) {
  piece_is_last_ = bytes == 0;
  if (state_ == State::open) return StartStream{stream_answer_head()};
  if (!piece_is_last_) return WritePiece{};
  state_ = State::over;
  return FinishStream{};
}

HttpResponseHead ServerSession::stream_answer_head() {
  HttpResponseHead head =
      answer_head(policy_, head_, stream_head_.status, stream_head_.content_type, request_id_);
  for (auto& [name, value] : stream_head_.headers)
    head.headers.push_back({std::move(name), std::move(value)});
  return head;
}

Order ServerSession::on_sent(Client client) {
  const bool was_head = std::exchange(state_, State::streaming) == State::open;
  status_ = answer_status_;
  if (client == Client::is_gone) return on_client_gone();
  // The head was sent because of a piece, which is still to be sent itself.
  if (was_head) return on_piece(piece_is_last_ ? 0 : 1);
  return ReadPiece{};
}

Order ServerSession::on_piece_failure(const Error& error) {
  failure_ = to_string(error);
  return state_ == State::streaming ? leave() : refuse(internal_error());
}

// Ends.

Order ServerSession::on_client_gone() {
  if (is_over()) return Leave{};
  // A client may go away at any time. That is not a failure and is not logged as one.
  failure_.clear();
  stack_.clear();
  if (state_ == State::open) return refuse(request_aborted());
  code_ = request_aborted().code;
  return leave();
}

Order ServerSession::on_deadline() {
  if (is_over()) return Leave{};
  if (failure_.empty()) failure_ = too_late;
  return state_ == State::streaming ? leave() : refuse(internal_error());
}

Order ServerSession::leave() {
  state_ = State::over;
  return Leave{};
}

}  // namespace cordon::tunnel
