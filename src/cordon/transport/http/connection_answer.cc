// How a connection writes the answer to its request.

#include <algorithm>
#include <charconv>
#include <utility>

#include "cordon/transport/http/http_connection.h"

namespace cordon::transport::http {
namespace {

template <class Pieces>
bool are_empty(const Pieces& pieces) {
  return std::ranges::all_of(pieces, [](BytesView piece) { return piece.empty(); });
}

}  // namespace

BytesView HttpConnection::bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

asio::awaitable<void> HttpConnection::respond(const ResponseHead& head, std::string body) {
  if (answer_ != Answer::none) co_return;
  answer_ = Answer::whole;
  decide_persistence(head.status);
  AnswerFraming framing;
  if (has_body(head.status)) framing.length = body.size();
  write_head(head, framing);

  Pieces pieces{bytes_of(context_->head_text)};
  if (head_.method != "HEAD" && has_body(head.status)) pieces[1] = bytes_of(body);
  if (!try_send(pieces)) co_return;
  // Most are written at once. Only otherwise the head needs room of its own.
  if (!are_empty(pieces)) {
    const std::string rest(pieces[0].begin(), pieces[0].end());
    pieces[0] = bytes_of(rest);
    const bool is_sent = co_await send(pieces);
    if (!is_sent) co_return;
  }
  answer_ = Answer::finished;
}

// The answer has to say whether the connection ends with it: a client that is not told sends its
// next request on a connection that is closed under it. So this is decided before the head is
// written, and what a handler left of the body may not change it afterwards.
void HttpConnection::decide_persistence(unsigned status) {
  // The client has sent, or is about to send, more than anybody wants to read.
  if (status == 413) closes_ = true;
  if (closes_ || body_.is_done()) return;
  if (!framing_.keeps_alive || framing_.expects_continue) {
    closes_ = true;
  } else if (!body_.is_chunked()) {
    closes_ = body_.left() > context_->options.drain_bytes;
  } else {
    // It is unknown how much of it is still to come: it has ended by now, or the connection ends. A
    // coroutine that waits to read has read what has come already.
    if (!is_waiting_[0] && !is_waiting_[1]) skip_what_has_come();
    closes_ = !body_.is_done();
  }
}

asio::awaitable<bool> HttpConnection::start(const ResponseHead& head) {
  if (answer_ != Answer::none) co_return false;
  AnswerFraming framing;
  if (head_.method == "HEAD" || !has_body(head.status)) {
    answer_ = Answer::headless;
  } else if (head_.minor_version == 0) {
    answer_ = Answer::until_close;
    closes_ = true;
  } else {
    answer_ = Answer::chunked;
    framing.is_chunked = true;
  }
  write_head(head, framing);
  Pieces pieces{bytes_of(context_->head_text)};
  if (!try_send(pieces)) co_return false;
  if (pieces[0].empty()) co_return true;
  const std::string rest(pieces[0].begin(), pieces[0].end());
  pieces[0] = bytes_of(rest);
  const bool is_sent = co_await send(pieces);
  co_return is_sent;
}

asio::awaitable<bool> HttpConnection::write(BytesView bytes) {
  if (is_gone_) co_return false;
  if (bytes.empty() || answer_ == Answer::headless) co_return true;
  co_await take_turns(Side::write);
  if (waited(Side::write) == Waited::gone) co_return false;
  Pieces pieces;
  char size[20];
  if (answer_ == Answer::chunked) {
    char* end = std::to_chars(size, size + 16, bytes.size(), 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    pieces = {bytes_of({size, static_cast<std::size_t>(end - size)}), bytes, bytes_of("\r\n")};
  } else if (answer_ == Answer::until_close) {
    pieces[0] = bytes;
  } else {
    co_return false;
  }
  if (!try_send(pieces)) co_return false;
  if (are_empty(pieces)) co_return true;
  const bool is_sent = co_await send(pieces);
  co_return is_sent;
}

asio::awaitable<void> HttpConnection::finish() {
  if (answer_ == Answer::chunked) {
    const Pieces pieces{bytes_of("0\r\n\r\n")};
    const bool is_sent = co_await send(pieces);
    if (!is_sent) co_return;
  }
  if (answer_ != Answer::none && !is_gone_) answer_ = Answer::finished;
}

void HttpConnection::write_head(const ResponseHead& head, AnswerFraming framing) {
  if (!framing_.keeps_alive || context_->is_draining || body_failure_) closes_ = true;
  if (closes_) {
    framing.connection = "close";
  } else if (head_.minor_version == 0) {
    framing.connection = "keep-alive";
  }
  context_->head_text.clear();
  append_head(head, framing, context_->date.now(), context_->head_text);
}

bool HttpConnection::try_send(Pieces& pieces) {
  for (;;) {
    if (is_gone_) return false;
    if (are_empty(pieces)) return true;
    const Stream::Outcome sent = stream_.write(pieces);
    if (sent.status == Stream::Status::wants_write || sent.status == Stream::Status::wants_read)
      return true;
    if (sent.status != Stream::Status::moved) {
      // The client is gone and does not read the rest.
      abort();
      is_gone_ = true;
      boost::system::error_code ignored;
      (void)descriptor_.cancel(ignored);
      return false;
    }
    add(context_->figures.bytes_out, sent.bytes);
    if (deadlines_[1] != Instant::max()) expect_room();
    std::size_t left = sent.bytes;
    for (BytesView& piece : pieces) {
      const std::size_t size = std::min(left, piece.size());
      piece = piece.subspan(size);
      left -= size;
    }
    // A plain socket takes all that it has room for: asking once more would be in vain.
    if (!stream_.is_secure()) return true;
  }
}

asio::awaitable<bool> HttpConnection::send(Pieces pieces) {
  expect_room();
  for (;;) {
    if (!try_send(pieces)) break;
    if (are_empty(pieces)) {
      expect_nothing(Side::write);
      co_return true;
    }
    const Waited result = co_await wait(Side::write);
    if (result == Waited::ready) continue;
    if (result == Waited::timed_out) {
      add(context_->figures.stalled, 1);
      kill();
    }
    break;
  }
  expect_nothing(Side::write);
  co_return false;
}

}  // namespace cordon::transport::http
