#include "cordon/server/tunnel_request.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using transport::http::Exchange;
using Client = tunnel::ServerSession::Client;

constexpr std::string_view short_of_memory = "requests under way take all memory that they may";

// What the check of an input may take of a processor: so long, and more where bodies may be large.
constexpr Duration check_time = std::chrono::seconds(1);
constexpr Duration check_time_a_mebibyte = std::chrono::milliseconds(250);

}  // namespace

TunnelRequest::TunnelRequest(TunnelContext& context, Exchange& exchange)
    : context_(context),
      exchange_(exchange),
      exposure_(context.exposure),
      began_(std::chrono::steady_clock::now()),
      session_(exposure_->policy(), context.reader.serializer, exchange.head(), context.random),
      watch_(context.executor, exchange) {}

TunnelRequest::~TunnelRequest() {
  watch_.end();
  close_streams();
  if (context_.on_request) {
    context_.on_request({exchange_.head(), session_.request_id(), session_.traceparent(),
                         session_.id(), session_.status(), session_.code(),
                         std::chrono::steady_clock::now() - began_, session_.failure(),
                         session_.stack(), failure_ ? &*failure_ : nullptr});
  }
}

asio::awaitable<void> TunnelRequest::run() {
  order_ =
      session_.on_head(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  if (!session_.is_over() && exposure_->rules().deadline)
    watch_.begin_deadline(*exposure_->rules().deadline);
  for (bool is_last = false; !is_last;) {
    is_last = session_.is_over();
    Step step = std::visit([this](auto& order) { return follow(order); }, order_);
    co_await std::move(step);
  }
}

// Bodies.

asio::awaitable<void> TunnelRequest::follow(tunnel::ReadBody&) {
  if (!body_charge_) {
    const std::uint64_t limit = exposure_->rules().limits.json_bytes;
    body_charge_.emplace(memory_for(exchange_.head().content_length.value_or(limit)));
  }
  if (!watch_.has_deadline()) {
    const Result<BytesView> piece = co_await exchange_.read();
    take_body(piece);
    co_return;
  }
  co_await read_under_deadline();
  if (watch_.signals()->body) {
    take_body(*watch_.signals()->body);
  } else {
    order_ = lost();
  }
}

void TunnelRequest::take_body(const Result<BytesView>& piece) {
  if (!piece) {
    order_ = session_.on_body_failure(piece.error().code);
  } else if (piece->empty()) {
    order_ = session_.on_body_end();
  } else {
    order_ = session_.on_body(*piece);
    if (!session_.is_over() && !body_charge_->add(piece->size()))
      order_ = session_.on_overload(std::string(short_of_memory));
  }
}

// A read cannot be given up, so another coroutine does it; at the request's end it is cut.
asio::awaitable<void> TunnelRequest::read_under_deadline() {
  const std::shared_ptr<RequestSignals>& signals = watch_.signals();
  signals->body.reset();
  asio::co_spawn(context_.executor, read_for(signals, exchange_), asio::detached);
  co_await watch_.until([&] { return signals->body.has_value(); });
}

asio::awaitable<void> TunnelRequest::read_for(std::shared_ptr<RequestSignals> signals,
                                              Exchange& exchange) {
  const Result<BytesView> piece = co_await exchange.read();
  signals->body = piece;
  if (!signals->is_over) signals->event.notify();
}

asio::awaitable<void> TunnelRequest::follow(tunnel::ReadParts& read) {
  watch_.make_stop();
  UploadContext upload_context{.executor = context_.executor,
                               .reader = context_.reader,
                               .pool = context_.pool,
                               .client = exchange_.head().peer,
                               .memory = memory_for(RequestMemory::large_bytes + 1)};
  const UploadLimits limits{.parts = exposure_->rules().limits.multipart};
  upload_ = std::make_shared<Upload>(std::move(upload_context), exchange_, limits,
                                     [signals = watch_.signals()] { signals->event.notify(); });
  upload_->start(std::move(read.boundary));
  co_await watch_.until([this] { return upload_->is_ready() || upload_->is_done(); });
  if (upload_is_refused()) {
    order_ = session_.on_refusal(*upload_->refusal(), upload_->failure());
  } else if (!upload_->is_ready() || watch_.is_lost()) {
    order_ = lost();
  } else {
    order_ = session_.on_parts();
  }
}

asio::awaitable<void> TunnelRequest::follow(tunnel::AwaitParts&) {
  upload_->discard();
  co_await watch_.until([this] { return upload_->is_done(); });
  if (upload_is_refused()) {
    order_ = session_.on_refusal(*upload_->refusal(), upload_->failure());
  } else if (!upload_->is_done() || upload_->client_is_gone()) {
    order_ = lost();
  } else {
    order_ = session_.on_parts_end();
  }
}

// If the client went away in the middle of its body, it does not matter what was wrong with the
// body.
bool TunnelRequest::upload_is_refused() const {
  return upload_ && upload_->refusal() && !upload_->client_is_gone();
}

// Work.

asio::awaitable<void> TunnelRequest::follow(tunnel::ReadInput& read) {
  const std::shared_ptr<InputWork> work = input_work(read);
  if (read.form == tunnel::InputForm::parts) {
    work->set_input(upload_->take_input());
  } else if (read.form != tunnel::InputForm::none) {
    work->set_body(read.form, std::move(read.text),
                   body_charge_ ? *std::move(body_charge_) : Charge());
  }
  if (!read.parallel_event.empty()) work->refuse_return_of(std::string(read.parallel_event));
  if (read.context_header != nullptr) {
    // The ids live as long as the configuration that they are of.
    work->set_contexts(*read.context_header, {exposure_, read.contexts});
  }
  work->begin();
  if (!work->is_done()) {
    const bool is_fine = co_await finish_away(work);
    if (!is_fine) co_return;
  } else if (take_refusal(*work)) {
    co_return;
  }
  order_ = session_.on_input({work->take_input(), work->take_contexts(), work->returns_payload()});
}

std::shared_ptr<InputWork> TunnelRequest::input_work(const tunnel::ReadInput& read) const {
  InputWork::Options options{.reader = context_.reader};
  if (read.form == tunnel::InputForm::none) return std::make_shared<InputWork>(std::move(options));
  const std::uint64_t limit = exposure_->rules().limits.json_bytes;
  options.schema = exposure_->entry(*read.endpoint).served->input;
  options.check.max_time = check_time + check_time_a_mebibyte * static_cast<int>(limit >> 20);
  const std::size_t bytes =
      read.form == tunnel::InputForm::parts ? RequestMemory::large_bytes + 1 : read.text.size();
  if (std::shared_ptr<Budget> memory = memory_for(bytes)) {
    const std::size_t most =
        std::max<std::size_t>(Budget::max_bytes_per_byte * limit, Budget::min_message_bytes);
    options.budget = std::make_shared<Budget>(Budget::Limits{.bytes = most}, std::move(memory));
  }
  return std::make_shared<InputWork>(std::move(options));
}

asio::awaitable<void> TunnelRequest::follow(tunnel::WriteAnswer& write) {
  std::variant<Value, TypedError> answer;
  if (auto* const typed = std::get_if<tunnel::TypedFailure>(&write.answer)) {
    answer = TypedError{std::move(typed->id), std::move(typed->message), std::move(typed->data),
                        typed->http_code};
  } else {
    answer = std::move(std::get<Value>(write.answer));
  }
  const auto work = std::make_shared<AnswerWork>(context_.reader.serializer, std::move(answer),
                                                 exposure_->rules().limits.response_bytes,
                                                 context_.memory, exchange_.head().peer);
  const bool is_fine = co_await finish_away(work);
  if (!is_fine) co_return;
  watch_.signals()->answer_charge = work->take_charge();
  order_ = session_.on_text(work->take_text());
}

asio::awaitable<bool> TunnelRequest::finish_away(std::shared_ptr<RequestWork> work) {
  const std::shared_ptr<RequestSignals>& signals = watch_.signals();
  signals->is_worked = false;
  const std::optional<WorkPool::Ticket> ticket = context_.pool.submit(
      exchange_.head().peer, [work] { work->finish(); }, context_.executor,
      [signals] {
        signals->is_worked = true;
        if (!signals->is_over) signals->event.notify();
      });
  if (!ticket) {
    order_ = session_.on_overload("too much work of requests waits");
    co_return false;
  }
  co_await watch_.until([&] { return signals->is_worked; });
  if (!signals->is_worked || watch_.is_lost()) {
    order_ = lost();
    co_return false;
  }
  co_return !take_refusal(*work);
}

bool TunnelRequest::take_refusal(const RequestWork& work) {
  if (!work.refusal()) return false;
  order_ = session_.on_refusal(*work.refusal(), work.failure());
  return true;
}

std::shared_ptr<Budget> TunnelRequest::memory_for(std::size_t bytes) const {
  if (bytes <= RequestMemory::small_bytes) return nullptr;
  return context_.memory.for_request(exchange_.head().peer, bytes);
}

// Calls.

asio::awaitable<void> TunnelRequest::follow(tunnel::AskValidator& ask) {
  TaskHandler& validator = *exposure_->entry(*ask.validator).handler;
  // Contexts are a client's to bring once it is let in.
  TaskCall question = call_of(std::move(ask.input), Value::object({}), std::move(ask.headers));
  co_await call(validator, std::move(question));
  if (watch_.is_lost()) {
    order_ = lost();
    co_return;
  }
  TaskAnswer& answer = *watch_.signals()->answer;
  const Value* const verdict = std::get_if<Value>(&answer);
  close_unused(answer);
  order_ = session_.on_verdict(verdict == nullptr ? Value() : *verdict);
}

asio::awaitable<void> TunnelRequest::follow(tunnel::Invoke& invoke) {
  TaskAnswer answer = exposure_->entry(*invoke.endpoint).plain->invoke(std::move(invoke.input));
  order_ = answered(std::move(answer));
  co_return;
}

asio::awaitable<void> TunnelRequest::follow(tunnel::Call& order) {
  TaskHandler& handler = *exposure_->entry(*order.endpoint).handler;
  TaskCall question =
      call_of(std::move(order.input), std::move(order.contexts), std::move(order.headers));
  if (order.attachment == tunnel::Attachment::body) {
    body_ = std::make_shared<BodySource>(context_.executor, exchange_);
    question.body = body_;
  } else if (order.attachment == tunnel::Attachment::files) {
    question.files = upload_->take_files();
  }
  co_await call(handler, std::move(question));
  if (upload_is_refused()) {
    order_ = session_.on_refusal(*upload_->refusal(), upload_->failure());
  } else if (!watch_.signals()->answer) {
    order_ = lost();
  } else {
    TaskAnswer answer = *std::exchange(watch_.signals()->answer, std::nullopt);
    order_ = answered(std::move(answer));
  }
}

TaskCall TunnelRequest::call_of(Value input, Value contexts, Value headers) {
  TaskCall call;
  call.request_id = session_.request_id();
  call.method = exchange_.head().method;
  call.url = exchange_.head().target;
  call.headers = std::move(headers);
  call.contexts = std::move(contexts);
  call.input = std::move(input);
  call.traceparent = session_.traceparent();
  call.aborted = watch_.stop_token();
  return call;
}

// Waits until there is an answer, or until the client is gone.
asio::awaitable<void> TunnelRequest::call(TaskHandler& handler, TaskCall call) {
  const std::shared_ptr<RequestSignals>& signals = watch_.signals();
  signals->answer.reset();
  handler.call(std::move(call), [signals](TaskAnswer answer) {
    if (signals->is_over) return close_unused(answer);
    signals->answer = std::move(answer);
    signals->event.notify();
  });
  if (signals->answer) co_return;
  co_await watch_.until([&] { return signals->answer.has_value() || upload_is_refused(); });
}

tunnel::Order TunnelRequest::answered(TaskAnswer answer) {
  if (auto* const result = std::get_if<Value>(&answer))
    return session_.on_result(std::move(*result));
  if (auto* const streamed = std::get_if<StreamedResult>(&answer)) {
    result_ = std::move(streamed->bytes);
    return session_.on_stream(
        {std::move(streamed->content_type), streamed->status, std::move(streamed->headers)});
  }
  if (auto* const typed = std::get_if<TypedError>(&answer)) {
    return session_.on_typed_error({std::move(typed->id), std::move(typed->message),
                                    std::move(typed->data), typed->http_code});
  }
  ExecutionError& failure = failure_.emplace(std::move(std::get<ExecutionError>(answer)));
  return session_.on_failure(failure.code, std::move(failure.message), std::move(failure.stack),
                             watch_.client_is_gone() ? Client::is_gone : Client::is_there);
}

// Answers.

asio::awaitable<void> TunnelRequest::follow(tunnel::ReadPiece&) {
  const std::shared_ptr<RequestSignals>& signals = watch_.signals();
  signals->piece.reset();
  result_->read([signals](Result<Bytes> piece) {
    if (signals->is_over) return;
    signals->piece = std::move(piece);
    signals->event.notify();
  });
  if (!signals->piece) co_await watch_.until([&] { return signals->piece.has_value(); });
  // A stream that never waits is ended by the deadline all the same.
  const std::optional<Result<Bytes>>& piece = signals->piece;
  if (piece && *piece && !signals->is_late) {
    order_ = session_.on_piece((*piece)->size());
  } else if (watch_.is_lost() || watch_.client_is_gone()) {
    order_ = lost();
  } else {
    order_ = session_.on_piece_failure(piece->error());
  }
}

asio::awaitable<void> TunnelRequest::follow(tunnel::StartStream& start) {
  const bool is_there = co_await exchange_.start(start.head);
  order_ = session_.on_sent(is_there ? Client::is_there : Client::is_gone);
}

asio::awaitable<void> TunnelRequest::follow(tunnel::WritePiece&) {
  const bool is_there = co_await exchange_.write(**watch_.signals()->piece);
  order_ = session_.on_sent(is_there ? Client::is_there : Client::is_gone);
}

asio::awaitable<void> TunnelRequest::follow(tunnel::Respond& respond) {
  // The reader of the request's body learns that it is over, and the rest is dropped.
  close_streams();
  co_await exchange_.respond(respond.head, std::move(respond.body));
}

asio::awaitable<void> TunnelRequest::follow(tunnel::FinishStream&) {
  result_.reset();
  co_await exchange_.finish();
}

asio::awaitable<void> TunnelRequest::follow(tunnel::Leave&) {
  close_streams();
  co_return;
}

void TunnelRequest::close_streams() {
  if (body_) body_->end();
  if (upload_) upload_->end();
  if (result_) std::exchange(result_, nullptr)->close();
}

tunnel::Order TunnelRequest::lost() {
  watch_.request_stop();
  const bool is_late = watch_.is_late() && !watch_.client_is_gone();
  return is_late ? session_.on_deadline() : session_.on_client_gone();
}

}  // namespace cordon::server
