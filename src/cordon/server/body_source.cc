#include "cordon/server/body_source.h"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace cordon::server {
namespace {

namespace asio = boost::asio;

constexpr std::uint64_t piece_bytes = 131'072;

}  // namespace

BodySource::BodySource(asio::any_io_executor executor, transport::http::Exchange& exchange)
    : executor_(std::move(executor)), exchange_(&exchange), demand_(executor_) {}

void BodySource::read(Next next) {
  if (is_closed_) return next(fail(ErrorCode::cancelled, "the body was closed"));
  if (has_ended_) return next(Bytes());
  if (exchange_ == nullptr) return next(fail(ErrorCode::closed, "the request is over"));
  pending_ = std::move(next);
  if (!std::exchange(is_pumping_, true)) {
    asio::co_spawn(executor_, [self = shared_from_this()] { return self->pump(); }, asio::detached);
  } else {
    demand_.notify();
  }
}

void BodySource::close() {
  is_closed_ = true;
  if (pending_) answer(fail(ErrorCode::cancelled, "the body was closed"));
  demand_.notify();
}

void BodySource::end() {
  exchange_ = nullptr;
  if (pending_) answer(fail(ErrorCode::closed, "the request is over"));
  demand_.notify();
}

void BodySource::answer(Result<Bytes> piece) {
  const Next next = std::exchange(pending_, {});
  next(std::move(piece));
}

asio::awaitable<void> BodySource::pump() {
  // Keeps this alive, since the closure that started it is gone by then.
  const std::shared_ptr<BodySource> self = shared_from_this();
  while (exchange_ != nullptr && !is_closed_ && !has_ended_) {
    if (!pending_) {
      co_await demand_.wait();
      continue;
    }
    const std::uint64_t length = exchange_->head().content_length.value_or(piece_bytes);
    Bytes piece(static_cast<std::size_t>(std::clamp<std::uint64_t>(length, 1, piece_bytes)));
    const Result<std::size_t> size = co_await exchange_->read_into(piece);
    // The one who asked may be gone meanwhile.
    if (!size) {
      if (pending_) answer(fail(size.error()));
      break;
    }
    piece.resize(*size);
    has_ended_ = piece.empty();
    if (pending_) answer(std::move(piece));
  }
  is_pumping_ = false;
}

}  // namespace cordon::server
