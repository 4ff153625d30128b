#include "cordon/transport/http/http_connection.h"

#include <cstring>
#include <exception>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/http/http2_connection.h"

namespace cordon::transport::http {
namespace {

constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
// Requests of one connection that are answered, or pieces that are read or written, before others
// get their turn.
constexpr unsigned max_in_a_row = 16;
// Heads past this are not kept as room for the next one.
constexpr std::size_t max_kept_head = 2'048;
// How many times linger_timeout, for a client that never stops sending.
constexpr int max_lingers = 5;

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<ConnectionContext> context,
                               asio::posix::stream_descriptor descriptor, ConnectionGate::Pass pass,
                               TrustedProxies::Origin origin)
    : context_(std::move(context)),
      descriptor_(std::move(descriptor)),
      stream_(descriptor_.native_handle(),
              context_->tls ? context_->tls->native_handle() : nullptr),
      pass_(std::move(pass)),
      origin_(std::move(origin)),
      index_(context_->connections.size()),
      parser_(context_->head_limits) {
  context_->connections.push_back(this);
  context_->hangups->add(*this);
  add(context_->figures.connections, 1);
}

HttpConnection::~HttpConnection() {
  context_->hangups->remove(*this);
  release_block();
  context_->connections[index_] = context_->connections.back();
  context_->connections[index_]->index_ = index_;
  context_->connections.pop_back();
  context_->load.fetch_sub(1, std::memory_order_relaxed);
}

// Requests.

// One coroutine, run(), has the connection from its first byte to its last. Between requests it
// waits itself; during a request the handler has the connection, and run() waits for the handler.
//
//   idle --first byte--> head --head is whole--> running --handler is done--> concluded --> idle
//                                                                         `--> linger --> gone
//
// A handler may have two coroutines here at once, one that reads and one that writes. So all
// waiting has two sides (Side), each with its deadline and its flag. Asio can only cancel both
// sides of a descriptor. A coroutine that wakes up must therefore look why (waited()), and if
// nothing holds, it tries again and waits again.
//
// The flags that end a wait, from weak to strong: has_timed_out_ (one side), is_cut_ (the handler
// has returned, and what it left pending ends), is_gone_ (the connection is lost). No new request
// begins while a coroutine of the last handler still waits (conclude_request), because it would
// read from the new request's body.
//
// The object lives as long as run() does, whose caller holds it. Timers hold it weakly and check
// number_, since a later request may be under way when they fire.
asio::awaitable<void> HttpConnection::run() {
  if (stream_.is_secure()) {
    const bool is_secure = co_await shake_hands();
    if (!is_secure) co_return;
    if (stream_.protocol() == "h2") {
      co_await run_http2();
      co_return;
    }
  }
  expect_progress(Side::read, context_->options.limits.idle_timeout);
  bool try_first = true;
  unsigned in_a_row = 0;
  for (;;) {
    const HeadParser::Outcome outcome = parse_buffered();
    if (const Refusal* const refusal = std::get_if<Refusal>(&outcome)) {
      co_await refuse(*refusal);
      break;
    }
    if (const auto* const whole = std::get_if<HeadParser::Whole>(&outcome)) {
      if (hangup_ == Hangup::whole) co_return;  // the client is gone
      begin_request(*whole);
      const Persistence persistence = co_await answer_request();
      if (whole->size > max_kept_head) head_ = {};
      if (persistence == Persistence::close) break;
      // A client that waits for its answer has sent nothing more: do not ask.
      try_first = false;
      is_cut_ = false;
      is_idle_ = begin_ == end_;
      expect_progress(Side::read, is_idle_ ? context_->options.limits.idle_timeout
                                           : context_->options.limits.header_timeout);
      if (++in_a_row % max_in_a_row == 0) co_await asio::post(context_->io, asio::use_awaitable);
      continue;
    }
    if (try_first || stream_.has_pending()) {
      make_room();
      const Stream::Outcome got = stream_.read(block_.room().subspan(end_));
      if (got.status == Stream::Status::moved) {
        end_ += got.bytes;
        add(context_->figures.bytes_in, got.bytes);
        if (std::exchange(is_idle_, false))
          expect_progress(Side::read, context_->options.limits.header_timeout);
        continue;
      }
      if (got.status == Stream::Status::ended || got.status == Stream::Status::broken) co_return;
    }
    if (is_idle_) {
      release_block();
      if (context_->is_draining) break;
    }
    in_a_row = 0;
    is_waiting_[0] = true;
    const auto [ignored] =
        co_await descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, awaiting);
    (void)ignored;
    is_waiting_[0] = false;
    const Waited result = waited(Side::read);
    if (result == Waited::gone) co_return;
    if (result == Waited::timed_out) {
      if (!is_idle_) {
        const Refusal too_slow{408, "the head took too long"};
        co_await refuse(too_slow);
      }
      break;
    }
    try_first = true;
  }
  // No request came since the last answer was read, so there is no answer that a reset could
  // overtake.
  if (is_idle_) {
    (void)stream_.end_output();
    co_return;
  }
  co_await linger();
}

asio::awaitable<void> HttpConnection::run_http2() {
  expect_nothing(Side::read);
  is_idle_ = false;
  http2_ =
      std::make_unique<Http2Connection>(context_, weak_from_this(), descriptor_, stream_, origin_);
  const bool says_goodbye = co_await http2_->run();
  if (!says_goodbye) is_gone_ = true;
  co_await linger();
}

HeadParser::Outcome HttpConnection::parse_buffered() {
  if (begin_ == end_) return HeadParser::NeedsMore{};
  const char* const text = reinterpret_cast<const char*>(block_.bytes.get());
  return parser_.parse({text + begin_, end_ - begin_}, head_);
}

void HttpConnection::make_room() {
  if (!block_) {
    block_ = context_->blocks.take_small();
    begin_ = end_ = 0;
  }
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ < block_.size) return;
  if (begin_ > 0) {
    std::memmove(block_.bytes.get(), block_.bytes.get() + begin_, end_ - begin_);
  } else {
    // The largest head that is let in fits into a large one.
    Block large = context_->blocks.take_large();
    std::memcpy(large.bytes.get(), block_.bytes.get(), end_);
    context_->blocks.give(std::exchange(block_, std::move(large)));
  }
  end_ -= begin_;
  begin_ = 0;
}

void HttpConnection::release_block() {
  begin_ = end_ = piece_begin_ = piece_end_ = 0;
  if (block_) context_->blocks.give(std::exchange(block_, {}));
}

void HttpConnection::begin_request(const HeadParser::Whole& whole) {
  begin_ += whole.size;
  parser_.reset();
  framing_ = whole.framing;
  if (!context_->options.keeps_alive) framing_.keeps_alive = false;
  body_ = BodyDecoder(framing_, context_->head_limits);
  body_failure_.reset();
  piece_begin_ = piece_end_ = 0;
  answer_ = Answer::none;
  closes_ = false;
  is_cut_ = false;
  is_idle_ = false;
  stop_.reset();
  ++number_;
  expect_nothing(Side::read);
  TrustedProxies::Origin origin = context_->options.proxies.origin_of(origin_, head_.headers);
  head_.peer = std::move(origin.address);
  head_.is_secure = origin.is_secure;
  add(context_->figures.requests, 1);

  is_running_ = true;
  if (hangup_) on_hangup(*hangup_);
}

asio::awaitable<HttpConnection::Persistence> HttpConnection::answer_request() {
  bool has_thrown = false;
  try {
    co_await context_->handler(*this);
  } catch (const std::exception&) {
    has_thrown = true;
  }
  is_running_ = false;
  is_cut_ = true;
  const bool is_plain = answer_ == Answer::finished && !closes_ && !has_thrown && !is_gone_ &&
                        !body_failure_ && body_.is_done() && !is_waiting_[0] && !is_waiting_[1];
  if (is_plain) co_return Persistence::keep_alive;
  const Persistence persistence = co_await conclude_request();
  co_return persistence;
}

// Decides whether the connection can have another request. It cannot if the client could not tell
// where the answer ends, or we could not tell where the body ends.
asio::awaitable<HttpConnection::Persistence> HttpConnection::conclude_request() {
  // What another coroutine of the handler's still waits for ends as cancelled.
  while (is_waiting_[0] || is_waiting_[1]) {
    boost::system::error_code ignored;
    (void)descriptor_.cancel(ignored);
    co_await asio::post(context_->io, asio::use_awaitable);
  }
  if (is_gone_) co_return Persistence::close;
  if (body_failure_ && body_failure_->code == ErrorCode::cancelled) body_failure_.reset();
  if (answer_ == Answer::none) {
    Refusal refusal{500, "no answer"};
    if (body_failure_ && body_failure_->code == ErrorCode::malformed)
      refusal = {400, "malformed body"};
    if (body_failure_ && body_failure_->code == ErrorCode::timeout)
      refusal = {408, "body too slow"};
    co_await refuse(refusal);
    co_return Persistence::close;
  }
  if (answer_ != Answer::finished) {
    // A body that lasts until the connection's end would look whole after an orderly one.
    const struct linger reset{.l_onoff = 1, .l_linger = 0};
    if (answer_ == Answer::until_close)
      setsockopt(descriptor(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    is_gone_ = true;
    co_return Persistence::close;
  }
  if (closes_ || body_failure_) co_return Persistence::close;
  if (body_.is_done()) co_return Persistence::keep_alive;
  const Persistence persistence = co_await drain_body();
  co_return persistence;
}

asio::awaitable<HttpConnection::Persistence> HttpConnection::drain_body() {
  is_cut_ = false;
  std::size_t drained = 0;
  const Instant until = context_->now + context_->options.limits.stall_timeout;
  // A client that waits for `100 Continue` may send its body all the same, or its next request.
  // Only the end of the connection leaves no doubt.
  if (framing_.expects_continue) co_return Persistence::close;
  while (!body_.is_done() && drained <= context_->options.drain_bytes) {
    const Result<BytesView> piece = co_await read();
    if (!piece) co_return Persistence::close;
    drained += piece->size();
    if (context_->now >= until) co_return Persistence::close;
  }
  co_return body_.is_done() ? Persistence::keep_alive : Persistence::close;
}

asio::awaitable<void> HttpConnection::refuse(Refusal refusal) {
  add(context_->figures.refused, 1);
  if (refusal.status == 408) add(context_->figures.stalled, 1);
  const ResponseHead answer = refusal_head(refusal.status, context_->options.refusal_headers);
  answer_ = Answer::none;
  framing_.keeps_alive = false;
  is_cut_ = false;
  co_await respond(answer, refusal_text(refusal));
}

// Closing a socket while there is something unread in it resets the connection, and the reset may
// overtake the answer.
asio::awaitable<void> HttpConnection::linger() {
  if (is_gone_) co_return;
  is_cut_ = false;
  while (stream_.end_output() == Stream::Status::wants_write) {
    expect_room();
    const Waited result = co_await wait(Side::write);
    if (result != Waited::ready) co_return;
  }
  expect_nothing(Side::write);
  if (!block_) block_ = context_->blocks.take_small();
  const Instant until = context_->now + max_lingers * context_->options.linger_timeout;
  bool is_new = true;
  while (context_->now < until) {
    const Stream::Outcome got = stream_.read(block_.room());
    if (got.status == Stream::Status::moved) {
      // Others get their turn, and time passes, between any two reads.
      is_new = true;
      co_await asio::post(context_->io, asio::use_awaitable);
      continue;
    }
    if (got.status != Stream::Status::wants_read) co_return;
    if (std::exchange(is_new, false)) expect_progress(Side::read, context_->options.linger_timeout);
    const Waited result = co_await wait(Side::read);
    if (result != Waited::ready) co_return;
  }
}

asio::awaitable<bool> HttpConnection::shake_hands() {
  expect_progress(Side::read, context_->options.limits.header_timeout);
  for (;;) {
    const Stream::Status status = stream_.shake_hands();
    if (status == Stream::Status::moved) co_return true;
    if (status != Stream::Status::wants_read && status != Stream::Status::wants_write)
      co_return false;
    // The time is that of reading, whichever it is that we wait for.
    const bool reads = status == Stream::Status::wants_read;
    const auto [ignored] =
        co_await descriptor_.async_wait(reads ? asio::posix::stream_descriptor::wait_read
                                              : asio::posix::stream_descriptor::wait_write,
                                        awaiting);
    (void)ignored;
    if (waited(Side::read) != Waited::ready) co_return false;
  }
}

// Time, and the end.

asio::awaitable<HttpConnection::Waited> HttpConnection::wait(Side side) {
  const auto i = static_cast<std::size_t>(side);
  if (waited(side) != Waited::ready) co_return waited(side);
  is_waiting_[i] = true;
  const auto [ignored] = co_await descriptor_.async_wait(
      side == Side::read ? asio::posix::stream_descriptor::wait_read
                         : asio::posix::stream_descriptor::wait_write,
      awaiting);
  (void)ignored;
  is_waiting_[i] = false;
  in_a_row_[i] = 0;
  co_return waited(side);
}

asio::awaitable<void> HttpConnection::take_turns(Side side) {
  const auto i = static_cast<std::size_t>(side);
  if (++in_a_row_[i] < max_in_a_row) co_return;
  in_a_row_[i] = 0;
  is_waiting_[i] = true;
  co_await asio::post(context_->io, asio::use_awaitable);
  is_waiting_[i] = false;
}

// A wait that was cancelled because of the other side is reported as ready. The caller tries, and
// waits again.
HttpConnection::Waited HttpConnection::waited(Side side) const {
  if (is_gone_ || is_cut_) return Waited::gone;
  return has_timed_out_[static_cast<std::size_t>(side)] ? Waited::timed_out : Waited::ready;
}

void HttpConnection::expect_progress(Side side, std::chrono::milliseconds within) {
  const auto i = static_cast<std::size_t>(side);
  deadlines_[i] = context_->now + within;
  has_timed_out_[i] = false;
}

void HttpConnection::expect_nothing(Side side) {
  deadlines_[static_cast<std::size_t>(side)] = Instant::max();
}

// Half of the time until the first look at the queue, half until the next.
void HttpConnection::expect_room() {
  expect_progress(Side::write, context_->options.limits.stall_timeout / 2);
  queue_.forget();
}

void HttpConnection::check_deadlines(Instant now) {
  if (http2_) http2_->check_deadlines(now);
  for (std::size_t i = 0; i < 2; ++i) {
    if (now < deadlines_[i]) continue;
    if (i == static_cast<std::size_t>(Side::write) && queue_.has_shrunk(descriptor())) {
      deadlines_[i] = now + context_->options.limits.stall_timeout / 2;
      continue;
    }
    deadlines_[i] = Instant::max();
    has_timed_out_[i] = true;
    boost::system::error_code ignored;
    (void)descriptor_.cancel(ignored);
  }
}

void HttpConnection::on_hangup(Hangup kind) {
  if (hangup_ != Hangup::whole) hangup_ = kind;
  // It reads all the time, and so finds the end of what comes by itself.
  if (http2_ && kind == Hangup::whole) http2_->lose();
  if (!is_running_) return;
  if (kind == Hangup::whole) {
    abort();
  } else {
    begin_grace();
  }
}

void HttpConnection::begin_grace() {
  const auto timer =
      std::make_shared<asio::steady_timer>(context_->io, context_->options.half_close_grace);
  timer->async_wait([weak = weak_from_this(), timer, number = number_](const auto& error) {
    const std::shared_ptr<HttpConnection> self = weak.lock();
    if (!error && self && self->number_ == number) self->abort();
  });
}

void HttpConnection::abort() {
  if (!is_running_ || answer_ == Answer::finished) return;
  if (!stop_) stop_.emplace();
  if (stop_->request_stop()) add(context_->figures.aborted, 1);
}

std::stop_token HttpConnection::aborted() const {
  if (!stop_) stop_.emplace();
  return stop_->get_token();
}

void HttpConnection::end_if_idle() {
  if (http2_) return http2_->drain();
  boost::system::error_code ignored;
  if (is_idle_) (void)descriptor_.cancel(ignored);
}

void HttpConnection::kill() {
  if (std::exchange(is_gone_, true)) return;
  shutdown(descriptor(), SHUT_RDWR);
  boost::system::error_code ignored;
  (void)descriptor_.cancel(ignored);
  abort();
  if (http2_) http2_->lose();
}

}  // namespace cordon::transport::http
