#include "cordon/transport/http/transfer.h"

#include <utility>

#include <boost/asio/post.hpp>

namespace cordon::transport::http {

HttpTransfer& HttpTransfer::operator=(HttpTransfer&& other) noexcept {
  if (this == &other) return *this;
  if (state_ != nullptr) state_->drop();
  state_ = std::move(other.state_);
  return *this;
}

HttpTransfer::~HttpTransfer() {
  if (state_ != nullptr) state_->drop();
}

void HttpTransfer::read(Next next) { state_->read(std::move(next)); }

void HttpTransfer::cancel() { state_->cancel(); }

HttpTransfer::State::State(boost::asio::io_context& io, std::shared_ptr<LoopInbox> inbox,
                           HttpRequest request, HttpClient::OnHead on_head)
    : io_(io),
      request_{.method = std::move(request.method),
               .target = std::move(request.target),
               .headers = std::move(request.headers),
               .deadline = request.deadline},
      body_(std::move(request.body), std::move(inbox),
            [this] {
              if (carrier_ != nullptr) carrier_->send_on();
            }),
      on_head_(std::move(on_head)) {}

void HttpTransfer::State::belong_to(TransferOwner& owner, Deadlines& deadlines) {
  owner_ = &owner;
  if (!request_.deadline) return;
  deadline_ = deadlines.add(*request_.deadline, [this] {
    fail({.why = HttpFailure::timeout,
          .message = has_head_ ? "the answer did not end in time" : "there was no answer in time",
          .was_sent = may_be_sent()});
  });
}

void HttpTransfer::State::read(Next next) {
  next_ = std::move(next);
  if (carrier_ != nullptr) {
    carrier_->read_on();
  } else if (is_over_) {
    boost::asio::post(io_, [self = shared_from_this()] { self->tell_end(); });
  }
}

void HttpTransfer::State::cancel() {
  fail_later(
      {.why = HttpFailure::cancelled, .message = "it was cancelled", .was_sent = may_be_sent()});
}

void HttpTransfer::State::drop() {
  on_head_ = nullptr;
  next_ = nullptr;
  end();
}

void HttpTransfer::State::give_head(HttpResponseHead head) {
  has_head_ = true;
  std::exchange(on_head_, nullptr)(std::move(head));
}

void HttpTransfer::State::give_piece(BytesView piece) { std::exchange(next_, nullptr)(piece); }

void HttpTransfer::State::finish() {
  end();
  tell_end();
}

void HttpTransfer::State::fail(HttpError error) {
  if (is_over_) return;
  error_ = std::move(error);
  end();
  tell_end();
}

void HttpTransfer::State::fail_later(HttpError error) {
  if (is_over_) return;
  error_ = std::move(error);
  end();
  boost::asio::post(io_, [self = shared_from_this()] { self->tell_end(); });
}

void HttpTransfer::State::end() {
  if (std::exchange(is_over_, true)) return;
  const std::shared_ptr<State> self = shared_from_this();
  deadline_.remove();
  body_.close();
  if (Carrier* const carrier = std::exchange(carrier_, nullptr)) carrier->abandon();
  if (TransferOwner* const owner = std::exchange(owner_, nullptr)) owner->forget(*this);
}

void HttpTransfer::State::tell_end() {
  // The reader may let go of it.
  const std::shared_ptr<State> self = shared_from_this();
  if (on_head_) {
    std::exchange(on_head_, nullptr)(std::unexpected(*error_));
  } else if (next_) {
    Next next = std::exchange(next_, nullptr);
    if (error_) {
      next(std::unexpected(*error_));
    } else {
      next(BytesView());
    }
  }
}

}  // namespace cordon::transport::http
