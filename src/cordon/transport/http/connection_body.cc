// How a connection reads the body of its request.

#include <algorithm>
#include <cstring>
#include <utility>

#include "cordon/transport/http/http_connection.h"

namespace cordon::transport::http {
namespace {

// So much of a chunk or a body, at least, is worth a read of its own into the reader's room.
constexpr std::uint64_t least_direct = 4'096;
// What may come with the end of a chunk: its line end, and the next one's size.
constexpr std::size_t max_ahead = 256;

constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

asio::awaitable<Result<BytesView>> HttpConnection::read() {
  for (;;) {
    decode_buffered();
    if (body_failure_) co_return fail(*body_failure_);
    if (piece_begin_ < piece_end_) {
      const std::size_t begin = std::exchange(piece_begin_, piece_end_);
      co_return BytesView(block_.bytes.get() + begin, piece_end_ - begin);
    }
    if (body_.is_done()) co_return BytesView();
    co_await fill();
  }
}

asio::awaitable<Result<std::size_t>> HttpConnection::read_into(std::span<std::uint8_t> room) {
  std::size_t filled = 0;
  while (filled == 0 && !room.empty()) {
    decode_buffered();
    if (body_failure_) co_return fail(*body_failure_);
    if (piece_begin_ < piece_end_) {
      filled = std::min(piece_end_ - piece_begin_, room.size());
      std::memcpy(room.data(), block_.bytes.get() + piece_begin_, filled);
      piece_begin_ += filled;
      // What came with the end of the last chunk may be a few bytes alone: take what is there of
      // the rest with them.
      const std::size_t direct = direct_bytes(room.size() - filled);
      if (direct == 0) continue;
      const std::span<std::uint8_t> ahead = room_ahead(direct);
      const Stream::Outcome got = stream_.read(room.subspan(filled, direct), ahead);
      if (got.status == Stream::Status::moved) filled += take_direct(direct, got.bytes);
      continue;
    }
    if (body_.is_done()) co_return 0;
    const std::size_t direct = direct_bytes(room.size());
    if (direct == 0) {
      co_await fill();
      continue;
    }
    const std::span<std::uint8_t> ahead = room_ahead(direct);
    const std::size_t got = co_await receive(room.first(direct), ahead);
    filled = take_direct(direct, got);
  }
  co_return filled;
}

// Where everything that was read has been used: how much of the next read is the reader's.
std::size_t HttpConnection::direct_bytes(std::size_t room) const {
  if (begin_ < end_ || piece_begin_ < piece_end_) return 0;
  const std::uint64_t plain = body_.plain_left();
  if (plain < least_direct || room < least_direct) return 0;
  return static_cast<std::size_t>(std::min<std::uint64_t>(plain, room));
}

// With the end of a chunk, its framing is read too.
std::span<std::uint8_t> HttpConnection::room_ahead(std::size_t direct) {
  if (!body_.is_chunked() || direct < body_.plain_left()) return {};
  if (!block_) block_ = context_->blocks.take_small();
  return block_.room().first(max_ahead);
}

std::size_t HttpConnection::take_direct(std::size_t direct, std::size_t got) {
  const std::size_t taken = std::min(direct, got);
  if (taken > 0) body_.skip_plain(taken);
  begin_ = 0;
  end_ = got - taken;
  return taken;
}

void HttpConnection::decode_buffered() {
  if (begin_ == end_ || piece_begin_ < piece_end_ || body_failure_ || body_.is_done()) return;
  const Result<BodyDecoder::Step> step = body_.decode(block_.room().subspan(begin_, end_ - begin_));
  if (!step) {
    body_failure_ = step.error();
    return;
  }
  piece_begin_ = begin_ + step->offset;
  piece_end_ = piece_begin_ + step->size;
  begin_ += step->used;
}

void HttpConnection::skip_what_has_come() {
  std::size_t skipped = 0;
  for (;;) {
    piece_begin_ = piece_end_;
    decode_buffered();
    if (body_failure_ || body_.is_done() || skipped > context_->options.drain_bytes) break;
    begin_ = end_ = piece_begin_ = piece_end_ = 0;
    const Stream::Outcome got = stream_.read(room_of_block());
    if (got.status != Stream::Status::moved) break;
    add(context_->figures.bytes_in, got.bytes);
    skipped += got.bytes;
    end_ = got.bytes;
  }
  piece_begin_ = piece_end_;
}

asio::awaitable<void> HttpConnection::fill() {
  begin_ = end_ = piece_begin_ = piece_end_ = 0;
  end_ = co_await receive({}, {});
}

std::span<std::uint8_t> HttpConnection::room_of_block() {
  const bool wants_large = body_.is_chunked() || body_.left() > BlockPool::small_bytes;
  if (block_ && wants_large && block_.size == BlockPool::small_bytes) release_block();
  if (!block_) block_ = wants_large ? context_->blocks.take_large() : context_->blocks.take_small();
  return block_.room();
}

asio::awaitable<std::size_t> HttpConnection::receive(std::span<std::uint8_t> room,
                                                     std::span<std::uint8_t> ahead) {
  const bool uses_block = room.empty();
  // Not in the middle of an answer, where it would be taken for a part of it.
  if (framing_.expects_continue && answer_ == Answer::none) {
    framing_.expects_continue = false;
    const Pieces pieces{bytes_of(go_on)};
    const bool is_sent = co_await send(pieces);
    (void)is_sent;  // the read finds out
  }
  co_await take_turns(Side::read);
  expect_progress(Side::read, context_->options.limits.stall_timeout);
  for (;;) {
    if (waited(Side::read) == Waited::gone) {
      fail_body(is_gone_ ? ErrorCode::closed : ErrorCode::cancelled, "the request is over");
      co_return 0;
    }
    if (uses_block) room = room_of_block();
    const Stream::Outcome got = stream_.read(room, ahead);
    if (got.status == Stream::Status::moved) {
      expect_nothing(Side::read);
      add(context_->figures.bytes_in, got.bytes);
      co_return got.bytes;
    }
    if (got.status == Stream::Status::ended || got.status == Stream::Status::broken) {
      fail_body(ErrorCode::closed, "the client went away");
      abort();
      co_return 0;
    }
    // It waits without a buffer: a client that sends nothing of its body keeps none.
    if (uses_block) release_block();
    const Side side = got.status == Stream::Status::wants_read ? Side::read : Side::write;
    const Waited result = co_await wait(side);
    if (result != Waited::timed_out) continue;
    fail_body(ErrorCode::timeout, "the body makes no progress");
    add(context_->figures.stalled, 1);
    co_return 0;
  }
}

void HttpConnection::fail_body(ErrorCode code, const char* why) {
  expect_nothing(Side::read);
  body_failure_ = Error{code, why};
}

}  // namespace cordon::transport::http
