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
using transport::http::RequestHead;
using transport::http::ResponseHead;
using tunnel::Refusal;
using tunnel::Route;

// What the check of an input may take of a processor: so long, and more where bodies may be large.
constexpr Duration check_time = std::chrono::seconds(1);
constexpr Duration check_time_a_mebibyte = std::chrono::milliseconds(250);
constexpr std::string_view too_late = "the server's deadline has passed";
constexpr std::string_view json_type = "application/json; charset=utf-8";
// Seconds after which a client may try again when all sandboxes are taken.
constexpr const char* retry_after = "1";

std::string_view view_of(const std::string* text) {
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// Of a header that is repeated, neither can be told to be the right one.
const std::string* only(const RequestHead& head, std::string_view name) {
  return head.count(name) == 1 ? head.find(name) : nullptr;
}

std::string new_request_id(std::mt19937_64& random) {
  std::array<std::uint8_t, 16> bytes;
  const std::array<std::uint64_t, 2> words = {random(), random()};
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return tunnel::uuid_text(bytes);
}

}  // namespace

TunnelRequest::TunnelRequest(TunnelHome& home, Exchange& exchange)
    : home_(home),
      exchange_(exchange),
      exposure_(home.exposure),
      head_(exchange.head()),
      began_(std::chrono::steady_clock::now()) {
  const std::string* const given = only(head_, "x-runner-request-id");
  request_id_ =
      given != nullptr && tunnel::is_request_id(*given) ? *given : new_request_id(home_.random);
  if (const std::string* const trace = only(head_, "traceparent")) {
    if (const auto parent = tunnel::parse_traceparent(*trace))
      traceparent_ = tunnel::child_traceparent(*parent, home_.random());
  }
}

TunnelRequest::~TunnelRequest() {
  on_abort_.reset();
  if (deadline_) deadline_->cancel();
  if (signals_) {
    signals_->is_over = true;
    // A result that nobody waited for.
    if (signals_->answer) {
      if (auto* const streamed = std::get_if<StreamedResult>(&*signals_->answer))
        streamed->bytes->close();
    }
  }
  if (stop_) stop_->request_stop();
  if (body_) body_->end();
  if (upload_) upload_->end();
  if (home_.on_request) {
    home_.on_request({head_, request_id_, traceparent_, task_, status_, code_,
                      std::chrono::steady_clock::now() - began_, failure_, stack_});
  }
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
  exposure_->cors().preflight(view_of(head_.find("origin")),
                              view_of(head_.find("access-control-request-headers")),
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
  switch (tunnel::mode_of(view_of(head_.find("content-type")))) {
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
      answer = TaskFailure{.message = "an event answered with a stream"};
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
  const auto work = std::make_shared<InputWork>(InputWork::Options{.reader = home_.reader});
  add_contexts(*work);
  work->begin();
  if (!work->is_fine()) {
    const bool is_fine = co_await complete(work);
    if (!is_fine) co_return;
  }
  body_ = std::make_shared<BodySource>(home_.executor, exchange_);
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
  std::optional<std::string> boundary = tunnel::boundary_of(view_of(head_.find("content-type")));
  if (!boundary) {
    co_await refuse(tunnel::invalid_multipart());
    co_return;
  }
  if (!stop_) stop_.emplace();
  watch();
  UploadHome upload_home{.executor = home_.executor,
                         .reader = home_.reader,
                         .pool = home_.pool,
                         .client = head_.peer,
                         .memory = memory_for(RequestMemory::large_bytes + 1)};
  const UploadLimits limits{.parts = exposure_->rules().limits.multipart};
  upload_ = std::make_shared<Upload>(std::move(upload_home), exchange_, limits,
                                     [signals = signals_] { signals->bell.ring(); });
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

// Bodies.

asio::awaitable<std::optional<TunnelRequest::Body>> TunnelRequest::read_whole() {
  const std::uint64_t limit = exposure_->rules().limits.json_bytes;
  if (!head_.has_body) co_return Body();
  // Refused before the client is asked to send it.
  if (head_.content_length && *head_.content_length > limit) {
    co_await refuse(tunnel::payload_too_large());
    co_return std::nullopt;
  }
  std::shared_ptr<Budget> memory = memory_for(head_.content_length.value_or(limit));
  Result<Body> body = Body();
  if (deadline_) {
    // A read cannot be given up, so another coroutine does it; at the request's end it is cut.
    watch();
    asio::co_spawn(home_.executor, collect_for(signals_, exchange_, limit, std::move(memory)),
                   asio::detached);
    co_await until([this] { return signals_->body.has_value(); });
    if (!signals_->body) {
      co_await give_up();
      co_return std::nullopt;
    }
    body = *std::move(signals_->body);
  } else {
    body = co_await collect(exchange_, limit, std::move(memory));
  }
  if (body) co_return *std::move(body);
  if (body.error().code == Errc::too_large) {
    co_await refuse(tunnel::payload_too_large());
  } else if (body.error().code == Errc::overloaded) {
    failure_ = body.error().detail;
    co_await refuse(tunnel::overloaded());
  } else if (body.error().code == Errc::closed) {
    signals().client_is_gone = true;
    co_await give_up();
  }
  // What else there is, a malformed or stalled body, the connection answers by itself.
  if (body.error().code == Errc::syntax) status_ = 400;
  if (body.error().code == Errc::timeout) status_ = 408;
  co_return std::nullopt;
}

asio::awaitable<Result<TunnelRequest::Body>> TunnelRequest::collect(
    Exchange& exchange, std::uint64_t limit, std::shared_ptr<Budget> memory) {
  Body body{.charge = Charge(std::move(memory))};
  for (;;) {
    const Result<BytesView> piece = co_await exchange.read();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return body;
    if (body.text.size() + piece->size() > limit) co_return fail(Errc::too_large, "body");
    if (!body.charge.add(piece->size()))
      co_return fail(Errc::overloaded, "requests under way take all memory that they may");
    body.text += as_text(*piece);
    // With its length known the end needs no other look.
    if (exchange.head().content_length == body.text.size()) co_return body;
  }
}

asio::awaitable<void> TunnelRequest::collect_for(std::shared_ptr<Signals> signals,
                                                 Exchange& exchange, std::uint64_t limit,
                                                 std::shared_ptr<Budget> memory) {
  Result<Body> body = co_await collect(exchange, limit, std::move(memory));
  signals->body = std::move(body);
  if (!signals->is_over) signals->bell.ring();
}

// Work.

std::shared_ptr<Budget> TunnelRequest::memory_for(std::size_t bytes) const {
  if (bytes <= RequestMemory::small_bytes) return nullptr;
  return home_.memory.for_request(head_.peer, bytes);
}

std::shared_ptr<InputWork> TunnelRequest::input_work(const Exposure::Entry& entry,
                                                     std::size_t bytes) const {
  const std::uint64_t limit = exposure_->rules().limits.json_bytes;
  InputWork::Options options{.reader = home_.reader};
  options.schema = entry.served->input;
  options.check.max_time = check_time + check_time_a_mebibyte * static_cast<int>(limit >> 20);
  if (std::shared_ptr<Budget> memory = memory_for(bytes)) {
    const std::size_t most =
        std::max<std::size_t>(Budget::max_bytes_per_byte * limit, Budget::min_message_bytes);
    options.budget = std::make_shared<Budget>(Budget::Limits{.bytes = most}, std::move(memory));
  }
  return std::make_shared<InputWork>(std::move(options));
}

std::shared_ptr<InputWork> TunnelRequest::begin_input(const Exposure::Entry& entry,
                                                      InputWork::Form form, Body body) const {
  std::shared_ptr<InputWork> work = input_work(entry, body.text.size());
  work->set_body(form, std::move(body.text), std::move(body.charge));
  if (form == InputWork::Form::event && entry.served->is_parallel) work->refuse_return_of(task_);
  // A function of the input alone has no use for them.
  if (entry.plain == nullptr) add_contexts(*work);
  work->begin();
  return work;
}

void TunnelRequest::add_contexts(InputWork& work) const {
  const std::vector<std::string>& ids = exposure_->rules().contexts;
  const std::string* const header = ids.empty() ? nullptr : only(head_, "x-runner-context");
  // The ids live as long as the configuration that they are of.
  if (header != nullptr) work.set_contexts(*header, {exposure_, &ids});
}

asio::awaitable<bool> TunnelRequest::complete(std::shared_ptr<RequestWork> work) {
  if (!work->is_done()) {
    signals().is_worked = false;
    const std::optional<WorkPool::Ticket> ticket = home_.pool.submit(
        head_.peer, [work] { work->finish(); }, home_.executor,
        [signals = signals_] {
          signals->is_worked = true;
          if (!signals->is_over) signals->bell.ring();
        });
    if (!ticket) {
      failure_ = "too much work of requests waits";
      co_await refuse(tunnel::overloaded());
      co_return false;
    }
    co_await until([this] { return signals_->is_worked; });
    if (!signals_->is_worked || is_lost()) {
      co_await give_up();
      co_return false;
    }
  }
  if (!work->refusal()) co_return true;
  failure_ = work->failure();
  co_await refuse(*work->refusal());
  co_return false;
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
      signals->bell.ring();
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

// Answers.

asio::awaitable<void> TunnelRequest::conclude(TaskAnswer answer) {
  if (auto* const result = std::get_if<Value>(&answer)) {
    const std::size_t quick = std::min<std::size_t>(exposure_->rules().limits.response_bytes,
                                                    tunnel::max_quick_answer_bytes);
    Result<std::string> text = tunnel::result_text(home_.reader.serializer, *result, quick);
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
    auto& failure = std::get<TaskFailure>(answer);
    failure_ = std::move(failure.message);
    stack_ = std::move(failure.stack);
    Refusal refusal;
    if (failure.kind == TaskFailure::Kind::overloaded) refusal = tunnel::overloaded();
    if (failure.kind == TaskFailure::Kind::invalid_input)
      refusal = tunnel::validation_error(failure_);
    if (failure.kind == TaskFailure::Kind::cancelled && exchange_.aborted().stop_requested())
      refusal = tunnel::request_aborted();
    co_await refuse(std::move(refusal));
  }
}

asio::awaitable<void> TunnelRequest::conclude_at_length(unsigned status,
                                                        std::variant<Value, TypedError> answer) {
  const bool was_tried = std::holds_alternative<Value>(answer);
  const auto work = std::make_shared<AnswerWork>(home_.reader.serializer, std::move(answer),
                                                 exposure_->rules().limits.response_bytes,
                                                 home_.memory, head_.peer);
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
      signals->bell.ring();
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

// Clients may go as they like: that is nobody's failure, and no line in the log of failures.
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
    const bool is_discovery =
        tunnel::route_of(head_.target, exposure_->rules().base_path).kind == Route::Kind::discovery;
    head.headers.push_back({"Allow", is_discovery ? "GET, HEAD, POST, OPTIONS" : "POST, OPTIONS"});
  }
  co_await exchange_.respond(head, std::move(body));
}

ResponseHead TunnelRequest::response_head(unsigned status, std::string_view content_type) const {
  ResponseHead head;
  head.status = status;
  head.headers.reserve(8);
  head.headers.push_back({"x-runner-request-id", request_id_});
  exposure_->cors().answer(view_of(head_.find("origin")),
                           [&](std::string_view name, std::string_view value) {
                             head.headers.push_back({std::string(name), std::string(value)});
                           });
  head.headers.push_back({"content-type", std::string(content_type)});
  head.headers.push_back({"X-Content-Type-Options", "nosniff"});
  head.headers.push_back({"X-Frame-Options", "DENY"});
  return head;
}

// Waiting.

TunnelRequest::Signals& TunnelRequest::signals() {
  if (!signals_) signals_ = std::make_shared<Signals>(home_.executor);
  return *signals_;
}

void TunnelRequest::watch() {
  signals();
  if (on_abort_) return;
  on_abort_.emplace(exchange_.aborted(), [this] {
    signals_->client_is_gone = true;
    if (stop_) stop_->request_stop();
    signals_->bell.ring();
  });
}

template <class Condition>
asio::awaitable<void> TunnelRequest::until(Condition is_there) {
  watch();
  while (!is_there() && !is_lost()) co_await signals_->bell.wait();
}

void TunnelRequest::begin_deadline() {
  stop_.emplace();
  watch();
  deadline_.emplace(home_.executor, *exposure_->rules().deadline);
  deadline_->async_wait([signals = signals_, stop = *stop_](const auto& error) mutable {
    if (error || signals->is_over) return;
    signals->is_late = true;
    stop.request_stop();
    signals->bell.ring();
  });
}

std::stop_token TunnelRequest::stop_token() {
  return stop_ ? stop_->get_token() : exchange_.aborted();
}

}  // namespace cordon::server
