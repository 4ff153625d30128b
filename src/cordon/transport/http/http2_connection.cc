#include "cordon/transport/http/http2_connection.h"

#include <sys/socket.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cordon::transport::http {
namespace {

constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);
// Reads before other connections get their turn.
constexpr unsigned max_in_a_row = 16;

}  // namespace

Http2Connection::Http2Connection(const std::shared_ptr<ConnectionContext>& context,
                                 std::weak_ptr<void> whole,
                                 asio::posix::stream_descriptor& descriptor, Stream& stream,
                                 const TrustedProxies::Origin& origin)
    : context_(context),
      whole_(std::move(whole)),
      descriptor_(descriptor),
      stream_(stream),
      session_(context, origin, *this),
      unchoked_(context->io, Instant::max()) {}

Http2Connection::~Http2Connection() {
  if (out_) context_->blocks.give(std::move(out_));
}

asio::awaitable<bool> Http2Connection::run() {
  if (context_->is_draining) session_.drain();
  flush();
  unsigned in_a_row = 0;
  while (!is_lost_ && !(session_.is_over() && begin_ == end_)) {
    if (session_.is_choked()) {
      const auto [ignored] = co_await unchoked_.async_wait(awaiting);
      (void)ignored;
      continue;
    }
    switch (read_once()) {
      case Read::moved:
        if (++in_a_row % max_in_a_row == 0) co_await asio::post(context_->io, asio::use_awaitable);
        break;
      case Read::wants_read:
        in_a_row = 0;
        // What was read may have ended it.
        if (session_.is_over() && begin_ == end_) break;
        co_await wait(Stream::Status::wants_read);
        break;
      case Read::wants_write:
        co_await wait(Stream::Status::wants_write);
        break;
      case Read::ended:
        lose();
        break;
    }
  }
  const bool says_goodbye = !is_lost_;
  lose();
  co_return says_goodbye;
}

Http2Connection::Read Http2Connection::read_once() {
  // Lent for this moment: all that was read is used at once.
  Block block = context_->blocks.take_large();
  const Stream::Outcome got = stream_.read(block.room());
  if (got.status == Stream::Status::moved) {
    add(context_->figures.bytes_in, got.bytes);
    session_.receive(block.room().first(got.bytes));
  }
  context_->blocks.give(std::move(block));
  switch (got.status) {
    case Stream::Status::moved:
      flush();
      return Read::moved;
    case Stream::Status::wants_read:
      return Read::wants_read;
    case Stream::Status::wants_write:
      return Read::wants_write;
    case Stream::Status::ended:
    case Stream::Status::broken:
      break;
  }
  // Half of a connection is of no use to HTTP/2: its windows stay shut.
  return Read::ended;
}

void Http2Connection::flush() {
  // Handlers that begin or end in settle() may ask for it once more.
  must_flush_again_ = true;
  if (is_flushing_) return;
  is_flushing_ = true;
  while (std::exchange(must_flush_again_, false)) {
    if (!is_lost_ && !is_writing_) write_out();
    session_.settle();
  }
  is_flushing_ = false;
  if (!session_.is_choked()) unchoked_.cancel();
  // The reader sees that it is over.
  if (session_.is_over() && begin_ == end_) cancel_waits();
}

void Http2Connection::write_out() {
  for (;;) {
    if (begin_ == end_) {
      begin_ = end_ = 0;
      if (!out_) out_ = context_->blocks.take_large();
    }
    end_ += session_.fetch(out_.room().subspan(end_));
    if (begin_ == end_) {
      context_->blocks.give(std::exchange(out_, {}));
      write_deadline_ = Instant::max();
      return;
    }
    const BytesView bytes(out_.bytes.get() + begin_, end_ - begin_);
    const Stream::Outcome sent = stream_.write({&bytes, 1});
    blocked_by_ = sent.status;
    if (sent.status == Stream::Status::moved) {
      add(context_->figures.bytes_out, sent.bytes);
      begin_ += sent.bytes;
      if (write_deadline_ != Instant::max()) expect_room();
      continue;
    }
    if (sent.status != Stream::Status::wants_write && sent.status != Stream::Status::wants_read)
      return lose();
    break;
  }
  is_writing_ = true;
  expect_room();
  asio::co_spawn(context_->io, [this, held = hold()] { return write_later(); }, asio::detached);
}

asio::awaitable<void> Http2Connection::write_later() {
  co_await wait(blocked_by_);
  is_writing_ = false;
  flush();
}

asio::awaitable<void> Http2Connection::wait(Stream::Status status) {
  if (is_lost_) co_return;
  const auto [ignored] = co_await descriptor_.async_wait(
      status == Stream::Status::wants_read ? asio::posix::stream_descriptor::wait_read
                                           : asio::posix::stream_descriptor::wait_write,
      awaiting);
  (void)ignored;
}

// Time, and the end.

void Http2Connection::check_deadlines(Instant now) {
  if (is_lost_) return;
  session_.check_deadlines(now);
  if (now < write_deadline_) return;
  if (queue_.has_shrunk(descriptor_.native_handle())) {
    write_deadline_ = now + context_->options.limits.stall_timeout / 2;
    return;
  }
  add(context_->figures.stalled, 1);
  shutdown(descriptor_.native_handle(), SHUT_RDWR);
  lose();
}

// As HttpConnection has it: half of the time until the first look at the queue, half until the
// next.
void Http2Connection::expect_room() {
  write_deadline_ = context_->now + context_->options.limits.stall_timeout / 2;
  queue_.forget();
}

void Http2Connection::lose() {
  if (std::exchange(is_lost_, true)) return;
  session_.lose();
  unchoked_.cancel();
  cancel_waits();
  // Unless it is a part of a flush.
  if (!is_flushing_) flush();
}

void Http2Connection::cancel_waits() {
  boost::system::error_code ignored;
  (void)descriptor_.cancel(ignored);
}

}  // namespace cordon::transport::http
