// TunnelRequest, as far as it reads: bodies that are read whole, and the work of making inputs of
// them.

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "cordon/base/bytes.h"
#include "cordon/server/tunnel_request.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
using transport::http::Exchange;

// What the check of an input may take of a processor: so long, and more where bodies may be large.
constexpr Duration check_time = std::chrono::seconds(1);
constexpr Duration check_time_a_mebibyte = std::chrono::milliseconds(250);

}  // namespace

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
    asio::co_spawn(context_.executor, collect_for(signals_, exchange_, limit, std::move(memory)),
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
  if (body.error().code == ErrorCode::too_large) {
    co_await refuse(tunnel::payload_too_large());
  } else if (body.error().code == ErrorCode::overloaded) {
    failure_ = body.error().message;
    co_await refuse(tunnel::overloaded());
  } else if (body.error().code == ErrorCode::closed) {
    signals().client_is_gone = true;
    co_await give_up();
  }
  // What else there is, a malformed or stalled body, the connection answers by itself.
  if (body.error().code == ErrorCode::malformed) status_ = 400;
  if (body.error().code == ErrorCode::timeout) status_ = 408;
  co_return std::nullopt;
}

asio::awaitable<Result<TunnelRequest::Body>> TunnelRequest::collect(
    Exchange& exchange, std::uint64_t limit, std::shared_ptr<Budget> memory) {
  Body body{.charge = Charge(std::move(memory))};
  for (;;) {
    const Result<BytesView> piece = co_await exchange.read();
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) co_return body;
    if (body.text.size() + piece->size() > limit) co_return fail(ErrorCode::too_large, "body");
    if (!body.charge.add(piece->size()))
      co_return fail(ErrorCode::overloaded, "requests under way take all memory that they may");
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
  if (!signals->is_over) signals->event.notify();
}

// Work.

std::shared_ptr<Budget> TunnelRequest::memory_for(std::size_t bytes) const {
  if (bytes <= RequestMemory::small_bytes) return nullptr;
  return context_.memory.for_request(head_.peer, bytes);
}

std::shared_ptr<InputWork> TunnelRequest::input_work(const Exposure::Entry& entry,
                                                     std::size_t bytes) const {
  const std::uint64_t limit = exposure_->rules().limits.json_bytes;
  InputWork::Options options{.reader = context_.reader};
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
  const std::string* const header = ids.empty() ? nullptr : only_header("x-runner-context");
  // The ids live as long as the configuration that they are of.
  if (header != nullptr) work.set_contexts(*header, {exposure_, &ids});
}

asio::awaitable<bool> TunnelRequest::complete(std::shared_ptr<RequestWork> work) {
  if (!work->is_done()) {
    signals().is_worked = false;
    const std::optional<WorkPool::Ticket> ticket = context_.pool.submit(
        head_.peer, [work] { work->finish(); }, context_.executor,
        [signals = signals_] {
          signals->is_worked = true;
          if (!signals->is_over) signals->event.notify();
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

}  // namespace cordon::server
