#include "cordon/server/tunnel_request.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "cordon/base/bytes.h"
#include "cordon/builder.h"
#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/part_head.h"
#include "cordon/protocol/tunnel/request_id.h"
#include "cordon/protocol/tunnel/text_encoding.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using transport::http::Exchange;
using transport::http::ResponseHead;
using tunnel::Refusal;
using tunnel::Route;

std::string new_request_id(std::mt19937_64& random) {
  std::array<std::uint8_t, 16> bytes;
  const std::array<std::uint64_t, 2> words = {random(), random()};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return tunnel::uuid_text(bytes);
}

}  // namespace

TunnelRequest::TunnelRequest(TunnelContext& context, Exchange& exchange)
    : context_(context),
      exchange_(exchange),
      exposure_(context.exposure),
      head_(exchange.head()),
      began_(std::chrono::steady_clock::now()) {
  const std::string* const given = only_header("x-runner-request-id");
  request_id_ =
      given != nullptr && tunnel::is_request_id(*given) ? *given : new_request_id(context_.random);
  if (const std::string* const trace = only_header("traceparent")) {
    if (const auto parent = tunnel::parse_traceparent(*trace))
      traceparent_ = tunnel::child_traceparent(*parent, context_.random());
  }
}

TunnelRequest::~TunnelRequest() {
  on_abort_.reset();
  if (deadline_) deadline_->cancel();
  if (signals_) {
    signals_->is_over = true;
    // A result that was not waited for.
    if (signals_->answer) {
      if (auto* const streamed = std::get_if<StreamedResult>(&*signals_->answer))
        streamed->bytes->close();
    }
  }
  if (stop_) stop_->request_stop();
  if (body_) body_->end();
  if (upload_) upload_->end();
  if (context_.on_request) {
    context_.on_request({head_, request_id_, traceparent_, task_, status_, code_,
                         std::chrono::steady_clock::now() - began_, failure_, stack_});
  }
}

std::string_view TunnelRequest::header(std::string_view name) const {
  const std::string* const text = head_.find(name);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

const std::string* TunnelRequest::only_header(std::string_view name) const {
  return head_.count(name) == 1 ? head_.find(name) : nullptr;
}

// Checks.

asio::awaitable<void> TunnelRequest::run() {
  Route route = tunnel::route_of(head_.target, exposure_->rules().base_path);
  if (head_.method == "OPTIONS" && route.kind != Route::Kind::outside) {
    co_await preflight();
    co_return;
  }
  if (route.kind == Route::Kind::outside || route.kind == Route::Kind::unknown) {
    co_await refuse(tunnel::not_found());
    co_return;
  }
  const bool is_allowed =
      head_.method == "POST" ||
      (route.kind == Route::Kind::discovery && (head_.method == "GET" || head_.method == "HEAD"));
  if (!is_allowed) {
    co_await refuse(tunnel::method_not_allowed());
    co_return;
  }
  if (exposure_->rules().deadline) begin_deadline();
  co_await check_then_serve(std::move(route));
}

asio::awaitable<void> TunnelRequest::preflight() {
  ResponseHead answer;
  answer.status = status_ = 204;
  exposure_->cors().preflight(header("origin"), header("access-control-request-headers"),
                              [&](std::string_view name, std::string_view value) {
                                answer.headers.push_back({std::string(name), std::string(value)});
                              });
  answer.headers.push_back({"X-Content-Type-Options", "nosniff"});
  answer.headers.push_back({"X-Frame-Options", "DENY"});
  co_await exchange_.respond(answer, std::string());
}

asio::awaitable<void> TunnelRequest::check_then_serve(Route route) {
  switch (exposure_->judge(head_)) {
    case Exposure::Verdict::let_in:
      break;
    case Exposure::Verdict::refused:
      co_await refuse(tunnel::unauthorized());
      co_return;
    case Exposure::Verdict::not_configured:
      co_await refuse(tunnel::auth_not_configured());
      co_return;
    case Exposure::Verdict::ask_validators: {
      const bool is_let_in = co_await ask_validators();
      if (is_lost()) {
        co_await give_up();
        co_return;
      }
      if (!is_let_in) {
        co_await refuse(tunnel::unauthorized());
        co_return;
      }
    }
  }
  if (route.kind == Route::Kind::discovery) {
    co_await discover();
    co_return;
  }
  const bool is_event = route.kind == Route::Kind::event;
  auto entry = is_event ? exposure_->event(route.id) : exposure_->task(route.id);
  task_ = std::move(route.id);
  if (!entry) {
    co_await refuse(std::move(entry).error());
    co_return;
  }
  if (is_event) {
    co_await serve_event(**entry);
    co_return;
  }
  switch (tunnel::mode_of(header("content-type"))) {
    case tunnel::BodyMode::json:
      co_await serve_json(**entry);
      co_return;
    case tunnel::BodyMode::octet_stream:
      co_await serve_octets(**entry);
      co_return;
    case tunnel::BodyMode::multipart:
      co_await serve_multipart(**entry);
      co_return;
  }
}

asio::awaitable<bool> TunnelRequest::ask_validators() {
  const std::string path(tunnel::path_of(head_.target));
  const Value input = Value::object({{"headers", headers_value()},
                                     {"method", head_.method},
                                     {"url", head_.target},
                                     {"path", path}});
  for (const Exposure::Entry* const validator : exposure_->validators()) {
    // Contexts are a client's to bring once it is let in.
    TaskCall question = call_of(input, Value::object({}));
    const std::optional<TaskAnswer> answer =
        co_await call(*validator->handler, std::move(question));
    if (!answer) co_return false;
    // Anything else, an error too, is a no.
    const Value* const verdict = std::get_if<Value>(&*answer);
    if (verdict != nullptr && verdict->find("ok").as_bool()) co_return true;
  }
  co_return false;
}

asio::awaitable<void> TunnelRequest::discover() {
  std::string text = exposure_->discovery_text();
  co_await respond(200, std::move(text));
}

// Modes.

asio::awaitable<void> TunnelRequest::serve_json(const Exposure::Entry& entry) {
  std::optional<Body> body = co_await read_whole();
  if (!body) co_return;
  const std::shared_ptr<InputWork> work =
      begin_input(entry, InputWork::Form::task, *std::move(body));
  if (!work->is_fine()) {
    const bool is_fine = co_await complete(work);
    if (!is_fine) co_return;
  }
  if (entry.plain != nullptr) {
    TaskAnswer answer = entry.plain->invoke(work->take_input());
    co_await conclude(std::move(answer));
    co_return;
  }
  TaskCall question = call_of(work->take_input(), work->take_contexts());
  std::optional<TaskAnswer> answer = co_await call(*entry.handler, std::move(question));
  if (!answer) {
    co_await give_up();
    co_return;
  }
  co_await conclude(*std::move(answer));
}

asio::awaitable<void> TunnelRequest::serve_event(const Exposure::Entry& entry) {
  std::optional<Body> body = co_await read_whole();
  if (!body) co_return;
  const std::shared_ptr<InputWork> work =
      begin_input(entry, InputWork::Form::event, *std::move(body));
  if (!work->is_fine()) {
    const bool is_fine = co_await complete(work);
    if (!is_fine) co_return;
  }
  TaskCall question = call_of(work->take_input(), work->take_contexts());
  std::optional<TaskAnswer> answer = co_await call(*entry.handler, std::move(question));
  if (!answer) {
    co_await give_up();
    co_return;
  }
  if (!std::holds_alternative<Value>(*answer)) {
    // An event has no stream to send.
    if (auto* const streamed = std::get_if<StreamedResult>(&*answer)) {
      streamed->bytes->close();
      answer = ExecutionError(Error{ErrorCode::tool_error, "an event answered with a stream"});
    }
    co_await conclude(*std::move(answer));
    co_return;
  }
  if (work->returns_payload()) {
    co_await conclude(*std::move(answer));
    co_return;
  }
  std::string done(tunnel::event_text());
  co_await respond(200, std::move(done));
}

asio::awaitable<void> TunnelRequest::serve_octets(const Exposure::Entry& entry) {
  const auto work = std::make_shared<InputWork>(InputWork::Options{.reader = context_.reader});
  add_contexts(*work);
  work->begin();
  if (!work->is_fine()) {
    const bool is_fine = co_await complete(work);
    if (!is_fine) co_return;
  }
  body_ = std::make_shared<BodySource>(context_.executor, exchange_);
  TaskCall question = call_of(Value(), work->take_contexts());
  question.body = body_;
  std::optional<TaskAnswer> answer = co_await call(*entry.handler, std::move(question));
  if (!answer) {
    co_await give_up();
    co_return;
  }
  co_await conclude(*std::move(answer));
}

asio::awaitable<void> TunnelRequest::serve_multipart(const Exposure::Entry& entry) {
  std::optional<std::string> boundary = tunnel::boundary_of(header("content-type"));
  if (!boundary) {
    co_await refuse(tunnel::invalid_multipart());
    co_return;
  }
  if (!stop_) stop_.emplace();
  watch();
  UploadContext upload_context{.executor = context_.executor,
                               .reader = context_.reader,
                               .pool = context_.pool,
                               .client = head_.peer,
                               .memory = memory_for(RequestMemory::large_bytes + 1)};
  const UploadLimits limits{.parts = exposure_->rules().limits.multipart};
  upload_ = std::make_shared<Upload>(std::move(upload_context), exchange_, limits,
                                     [signals = signals_] { signals->event.notify(); });
  upload_->start(*std::move(boundary));
  co_await until([this] { return upload_->is_ready() || upload_->refusal().has_value(); });
  if (upload_->refusal() && !upload_->client_is_gone()) {
    failure_ = upload_->failure();
    Refusal refusal = *upload_->refusal();
    co_await refuse(std::move(refusal));
    co_return;
  }
  if (!upload_->is_ready() || is_lost()) {
    co_await give_up();
    co_return;
  }
  const std::shared_ptr<InputWork> work = input_work(entry, RequestMemory::large_bytes + 1);
  work->set_input(upload_->take_input());
  add_contexts(*work);
  work->begin();
  if (!work->is_fine()) {
    const bool is_fine = co_await complete(work);
    if (!is_fine) co_return;
  }
  TaskCall question = call_of(work->take_input(), work->take_contexts());
  question.files = upload_->take_files();
  std::optional<TaskAnswer> answer = co_await call(*entry.handler, std::move(question));
  // A result that is known waits for the rest of the body, which may yet turn out to be wrong; one
  // that is streamed cannot.
  if (answer && std::holds_alternative<Value>(*answer)) {
    upload_->discard();
    co_await until([this] { return upload_->is_done(); });
  }
  if (upload_->refusal() && !upload_->client_is_gone()) {
    if (answer) conclude_unused(*answer);
    Refusal refusal = *upload_->refusal();
    co_await refuse(std::move(refusal));
    co_return;
  }
  if (!answer || !(upload_->is_done() || !std::holds_alternative<Value>(*answer))) {
    co_await give_up();
    co_return;
  }
  co_await conclude(*std::move(answer));
}

void TunnelRequest::conclude_unused(TaskAnswer& answer) {
  if (auto* const streamed = std::get_if<StreamedResult>(&answer)) streamed->bytes->close();
}

// Calls.

TaskCall TunnelRequest::call_of(Value input, Value contexts) {
  TaskCall call;
  call.request_id = request_id_;
  call.method = head_.method;
  call.url = head_.target;
  call.headers = headers_value();
  call.contexts = std::move(contexts);
  call.input = std::move(input);
  call.traceparent = traceparent_;
  call.aborted = stop_token();
  return call;
}

Value TunnelRequest::headers_value() {
  if (headers_) return *headers_;
  std::vector<std::pair<std::string, std::string>> texts;
  std::unordered_map<std::string_view, std::size_t> places;
  texts.reserve(head_.headers.size() + 1);
  for (const transport::http::Header& header : head_.headers) {
    if (header.name == "x-runner-request-id") continue;
    const auto [place, is_new] = places.try_emplace(header.name, texts.size());
    if (is_new) {
      texts.emplace_back(header.name, tunnel::header_text(header.value));
    } else {
      std::string& text = texts[place->second].second;
      text += header.name == "cookie" ? "; " : ", ";
      text += tunnel::header_text(header.value);
    }
  }
  texts.emplace_back("x-runner-request-id", request_id_);
  Builder builder;
  std::vector<Builder::Field> fields;
  fields.reserve(texts.size());
  for (const auto& [name, value] : texts) fields.push_back({name, builder.string(value)});
  headers_ = builder.finish(builder.object(fields));
  return *headers_;
}

asio::awaitable<std::optional<TaskAnswer>> TunnelRequest::call(TaskHandler& handler,
                                                               TaskCall call) {
  signals().answer.reset();
  handler.call(std::move(call), [signals = signals_](TaskAnswer answer) {
    if (!signals->is_over) {
      signals->answer = std::move(answer);
      signals->event.notify();
    } else if (auto* const streamed = std::get_if<StreamedResult>(&answer)) {
      streamed->bytes->close();
    }
  });
  if (!signals_->answer) {
    co_await until([this] {
      return signals_->answer.has_value() || (upload_ && upload_->refusal().has_value());
    });
  }
  co_return std::exchange(signals_->answer, std::nullopt);
}

// Waiting.

TunnelRequest::Signals& TunnelRequest::signals() {
  if (!signals_) signals_ = std::make_shared<Signals>(context_.executor);
  return *signals_;
}

void TunnelRequest::watch() {
  signals();
  if (on_abort_) return;
  on_abort_.emplace(exchange_.aborted(), [this] {
    signals_->client_is_gone = true;
    if (stop_) stop_->request_stop();
    signals_->event.notify();
  });
}

void TunnelRequest::begin_deadline() {
  stop_.emplace();
  watch();
  deadline_.emplace(context_.executor, *exposure_->rules().deadline);
  deadline_->async_wait([signals = signals_, stop = *stop_](const auto& error) mutable {
    if (error || signals->is_over) return;
    signals->is_late = true;
    stop.request_stop();
    signals->event.notify();
  });
}

std::stop_token TunnelRequest::stop_token() {
  return stop_ ? stop_->get_token() : exchange_.aborted();
}

}  // namespace cordon::server
