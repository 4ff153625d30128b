#include "cordon/transport/http/http2_stream.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/http/answer_text.h"
#include "cordon/transport/http/http2_session.h"

namespace cordon::transport::http {
namespace {

constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
// Pieces that are read or written before others get their turn.
constexpr unsigned max_in_a_row = 16;

BytesView bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Http2Stream::Http2Stream(Http2Session& session, std::int32_t id)
    : session_(session),
      id_(id),
      fields_(session.context().head_limits),
      wakers_{asio::steady_timer(session.context().io, Instant::max()),
              asio::steady_timer(session.context().io, Instant::max())} {}

Http2Stream::~Http2Stream() {
  if (body_.has_room()) session_.context().blocks.give(body_.release());
  if (outgrown_) session_.context().blocks.give(std::move(outgrown_));
}

// The request.

void Http2Stream::on_head(const Http2Head::Outcome& outcome, bool ends_body) {
  has_head_ = true;
  refusal_ = outcome.refusal;
  expects_continue_ = outcome.expects_continue;
  if (ends_body) is_body_over_ = true;
}

// The life of a stream: on_head() and start() in the session, then run() in a coroutine of its own,
// until conclude() and leave(). The client may end it at any time (on_closed); run() still runs
// until the handler has returned, and only then is the stream over.
//
//   the body      on_body --> body_ (a ring of what came and was not read) --> read(), read_into()
//                 The client's window opens as the handler reads (give_back), so the ring
//                 never holds more than a window.
//   the answer    write() --> pending_ (borrowed until it is sent) --> take_part()
//                 A write returns when all of it was taken, so nothing is copied or queued.
//
// Waiting is done with two timers that never fire (wakers_): to cancel one wakes the coroutine that
// waits at it. A wake-up says nothing more, so the coroutine looks at the state again.
asio::awaitable<void> Http2Stream::run() {
  ConnectionContext& context = session_.context();
  if (refusal_) {
    co_await refuse(*refusal_);
  } else {
    add(context.figures.requests, 1);
    try {
      co_await context.handler(*this);
    } catch (const std::exception&) {
      // As one that gave no answer, or not all of it.
      wants_end_ = false;
    }
  }
  // What another coroutine of the handler's still waits for ends as cancelled.
  is_cut_ = true;
  while (is_waiting_[0] || is_waiting_[1]) {
    wake(Side::read);
    wake(Side::write);
    co_await asio::post(context.io, asio::use_awaitable);
  }
  is_cut_ = false;
  co_await conclude();
  is_running_ = false;
  handed_out_ = body_.size();
  give_back();
  session_.leave(*this);
}

asio::awaitable<void> Http2Stream::conclude() {
  if (is_closed_) co_return;
  if (answer_ == Answer::none) {
    Refusal refusal{500, "no answer"};
    if (body_failure_ && body_failure_->code == ErrorCode::timeout)
      refusal = {408, "body too slow"};
    co_await refuse(refusal);
  }
  if (is_closed_) co_return;
  if (!has_ended_) {
    session_.reset(*this, Http2Session::Reset::internal_error);
  } else if (!is_body_over_) {
    // The rest is not wanted (RFC 9113, 8.1).
    session_.reset(*this, Http2Session::Reset::no_error);
  }
}

asio::awaitable<void> Http2Stream::refuse(Refusal refusal) {
  ConnectionContext& context = session_.context();
  add(context.figures.refused, 1);
  const ResponseHead answer = refusal_head(refusal.status, context.options.refusal_headers);
  co_await respond(answer, refusal_text(refusal));
}

// The body.

bool Http2Stream::on_body(BytesView bytes) {
  if (!is_running_ || is_closed_) return false;
  BlockPool& blocks = session_.context().blocks;
  if (!body_.has_room()) body_.use(blocks.take_small());
  // As much as has come, not as much as may: a hundred streams with a byte each take little.
  if (bytes.size() > body_.free() && body_.capacity() == BlockPool::small_bytes)
    outgrown_ = body_.grow(blocks.take_large());
  // Its window is smaller, and so is a length that was promised; nghttp2 sees to both.
  if (bytes.size() > body_.free()) return false;
  body_.push(bytes);
  wake(Side::read);
  return true;
}

void Http2Stream::on_body_end() {
  is_body_over_ = true;
  wake(Side::read);
}

asio::awaitable<Result<BytesView>> Http2Stream::read() {
  const bool is_there = co_await fill();
  if (!is_there && body_failure_) co_return fail(*body_failure_);
  if (!is_there) co_return BytesView();
  const BytesView piece = body_.front();
  handed_out_ = piece.size();
  co_return piece;
}

asio::awaitable<Result<std::size_t>> Http2Stream::read_into(std::span<std::uint8_t> room) {
  if (room.empty()) co_return 0;
  const bool is_there = co_await fill();
  if (!is_there && body_failure_) co_return fail(*body_failure_);
  std::size_t filled = 0;
  while (is_there && filled < room.size() && body_.size() > 0) {
    const BytesView piece = body_.front();
    const std::size_t size = std::min(piece.size(), room.size() - filled);
    std::memcpy(room.data() + filled, piece.data(), size);
    filled += size;
    handed_out_ = size;
    give_back();
  }
  session_.flush();
  co_return filled;
}

asio::awaitable<bool> Http2Stream::fill() {
  give_back();
  co_await take_turns(Side::read);
  expect_progress(Side::read);
  while (!body_failure_ && body_.size() == 0 && !is_body_over_) {
    if (is_closed_) {
      fail_body(ErrorCode::closed, "the client went away");
    } else if (is_cut_) {
      fail_body(ErrorCode::cancelled, "the request is over");
    } else if (has_timed_out_[0]) {
      fail_body(ErrorCode::timeout, "the body makes no progress");
      add(session_.context().figures.stalled, 1);
    } else {
      // Not beside an answer, which tells the client enough.
      if (std::exchange(expects_continue_, false) && answer_ == Answer::none)
        session_.submit_continue(*this);
      session_.flush();
      // flush() may have changed these.
      if (body_.size() == 0 && !is_closed_) co_await wait(Side::read);
    }
  }
  expect_nothing(Side::read);
  co_return body_.size() > 0 && !body_failure_;
}

// What was handed out is not looked at any more: the client may send as much again.
void Http2Stream::give_back() {
  if (outgrown_) session_.context().blocks.give(std::exchange(outgrown_, {}));
  const std::size_t size = std::exchange(handed_out_, 0);
  if (size == 0) return;
  body_.pop(size);
  if (body_.size() == 0) session_.context().blocks.give(body_.release());
  session_.consume(*this, size);
}

void Http2Stream::fail_body(ErrorCode code, const char* why) { body_failure_ = Error{code, why}; }

// The answer.

asio::awaitable<void> Http2Stream::respond(const ResponseHead& head, std::string body) {
  if (answer_ != Answer::none || is_closed_) co_return;
  const bool is_bodiless = this->head().method == "HEAD" || !has_body(head.status);
  std::optional<std::uint64_t> length;
  if (has_body(head.status)) length = body.size();
  answer_ = is_bodiless || body.empty() ? Answer::headless : Answer::whole;
  if (answer_ == Answer::whole) pending_ = bytes_of(body);
  wants_end_ = true;
  if (!session_.submit_head(*this, head, length)) {
    pending_ = {};
    wants_end_ = false;
    co_return;
  }
  session_.flush();
  const bool is_sent = co_await sent();
  (void)is_sent;  // the end of the request finds out
}

asio::awaitable<bool> Http2Stream::start(const ResponseHead& head) {
  if (answer_ != Answer::none || is_closed_) co_return false;
  const bool is_bodiless = this->head().method == "HEAD" || !has_body(head.status);
  answer_ = is_bodiless ? Answer::headless : Answer::streamed;
  wants_end_ = is_bodiless;
  const bool is_submitted = session_.submit_head(*this, head, std::nullopt);
  if (!is_submitted) co_return false;
  session_.flush();
  co_return !is_closed_ || has_ended_;
}

asio::awaitable<bool> Http2Stream::write(BytesView bytes) {
  if (answer_ == Answer::headless) co_return !is_closed_ || has_ended_;
  if (answer_ != Answer::streamed || wants_end_ || is_closed_) co_return false;
  if (bytes.empty()) co_return true;
  co_await take_turns(Side::write);
  if (is_closed_ || is_cut_) co_return false;
  pending_ = bytes;
  session_.resume(*this);
  session_.flush();
  const bool is_sent = co_await sent();
  co_return is_sent;
}

asio::awaitable<void> Http2Stream::finish() {
  if (answer_ == Answer::none || answer_ == Answer::whole || is_closed_) co_return;
  if (!std::exchange(wants_end_, true)) session_.resume(*this);
  session_.flush();
  const bool is_sent = co_await sent();
  (void)is_sent;
}

Http2Stream::Part Http2Stream::take_part(std::span<std::uint8_t> room) {
  const std::size_t size = std::min(room.size(), pending_.size());
  if (size > 0) std::memcpy(room.data(), pending_.data(), size);
  pending_ = pending_.subspan(size);
  if (deadlines_[1] != Instant::max()) expect_progress(Side::write);
  if (pending_.empty()) wake(Side::write);
  return {.size = size, .is_last = pending_.empty() && wants_end_};
}

void Http2Stream::on_ended() {
  has_ended_ = true;
  wake(Side::write);
}

asio::awaitable<bool> Http2Stream::sent() {
  expect_progress(Side::write);
  bool is_fine = true;
  while (is_fine && (!pending_.empty() || (wants_end_ && !has_ended_))) {
    if (has_timed_out_[1]) {
      add(session_.context().figures.stalled, 1);
      session_.reset(*this, Http2Session::Reset::cancel);
      abort();
      is_fine = false;
    } else if (is_closed_ || is_cut_ || is_reset_) {
      is_fine = false;
    } else {
      co_await wait(Side::write);
    }
  }
  // What is missing must not look whole.
  if (!is_fine) wants_end_ = false;
  pending_ = {};
  expect_nothing(Side::write);
  co_return is_fine;
}

// Time, and the end.

asio::awaitable<void> Http2Stream::wait(Side side) {
  const auto i = static_cast<std::size_t>(side);
  is_waiting_[i] = true;
  const auto [ignored] = co_await wakers_[i].async_wait(awaiting);
  (void)ignored;
  is_waiting_[i] = false;
  in_a_row_[i] = 0;
}

void Http2Stream::wake(Side side) { wakers_[static_cast<std::size_t>(side)].cancel(); }

asio::awaitable<void> Http2Stream::take_turns(Side side) {
  const auto i = static_cast<std::size_t>(side);
  if (++in_a_row_[i] < max_in_a_row) co_return;
  in_a_row_[i] = 0;
  is_waiting_[i] = true;
  co_await asio::post(session_.context().io, asio::use_awaitable);
  is_waiting_[i] = false;
}

void Http2Stream::expect_progress(Side side) {
  const auto i = static_cast<std::size_t>(side);
  deadlines_[i] = session_.context().now + session_.context().options.limits.stall_timeout;
  has_timed_out_[i] = false;
}

void Http2Stream::expect_nothing(Side side) {
  deadlines_[static_cast<std::size_t>(side)] = Instant::max();
}

void Http2Stream::check_deadlines(Instant now) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (now < deadlines_[i]) continue;
    // While the client's windows are open it is the connection that is slow, or others on it have
    // their turn; how long it may be is judged there.
    if (i == static_cast<std::size_t>(Side::write) && !session_.is_window_closed(*this)) {
      deadlines_[i] = now + session_.context().options.limits.stall_timeout;
      continue;
    }
    deadlines_[i] = Instant::max();
    has_timed_out_[i] = true;
    wakers_[i].cancel();
  }
}

void Http2Stream::on_closed() {
  is_closed_ = true;
  wake(Side::read);
  wake(Side::write);
}

void Http2Stream::abort() {
  if (!is_running_ || has_ended_) return;
  if (!stop_) stop_.emplace();
  if (stop_->request_stop()) add(session_.context().figures.aborted, 1);
}

std::stop_token Http2Stream::aborted() const {
  if (!stop_) stop_.emplace();
  return stop_->get_token();
}

}  // namespace cordon::transport::http
