#include "cordon/transport/http/client_connection.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include <boost/asio/post.hpp>

#include "cordon/base/bytes.h"
#include "cordon/transport/http/request_text.h"

namespace cordon::transport::http {
namespace {

// Pieces that are read or written before other connections get their turn.
constexpr int max_in_a_row = 16;
constexpr std::size_t input_bytes = std::size_t{64} << 10;

std::string chunk_head(std::size_t bytes) {
  std::array<char, 2 * sizeof(bytes)> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), bytes, 16);
  return std::string(digits.data(), written.ptr) + "\r\n";
}

}  // namespace

ClientConnection::ClientConnection(ConnectionOwner& owner, void* site, Wire wire,
                                   const Route& route, const HeadLimits& limits)
    : owner_(&owner),
      site_(site),
      wire_(std::move(wire)),
      origin_(route.origin),
      forwarder_(route.is_forwarded() ? route.proxy : std::nullopt),
      limits_(limits) {}

void ClientConnection::carry(std::shared_ptr<HttpTransfer::State> transfer) {
  using To = AnswerReader::To;
  transfer_ = std::move(transfer);
  transfer_->carried_by(this);
  const HttpRequest& request = transfer_->request();
  const std::optional<std::uint64_t> length = transfer_->body().length();
  prefix_ = request_text(request, origin_, length, forwarder_ ? &*forwarder_ : nullptr);
  prefix_sent_ = 0;
  sent_ = 0;
  is_chunked_ = !length;
  is_body_over_ = is_output_over_ = false;
  reader_.emplace(limits_, request.method == "HEAD" ? To::head : To::other);
  begin_ = end_ = 0;
  // Nobody is called from inside of start(), so only writing begins here.
  const std::shared_ptr<ClientConnection> self = shared_from_this();
  const bool was_pumping = std::exchange(is_pumping_, true);
  write_some();
  is_pumping_ = was_pumping;
  if (transfer_ != nullptr) wait();
}

bool ClientConnection::is_usable() {
  std::array<std::uint8_t, 1> room;
  return wire_.stream.read(room).status == Stream::Status::wants_read;
}

void ClientConnection::read_on() {
  // Whatever calls readers looks afterwards whether they want more.
  if (!is_pumping_) pump_later();
}

void ClientConnection::send_on() {
  if (is_pumping_) {
    has_more_to_send_ = true;
  } else {
    pump_later();
  }
}

void ClientConnection::pump_later() {
  if (std::exchange(is_posted_, true)) return;
  boost::asio::post(wire_.descriptor.get_executor(), [self = shared_from_this()] {
    self->is_posted_ = false;
    self->pump();
  });
}

void ClientConnection::abandon() {
  transfer_ = nullptr;
  release(Kept::no);
}

void ClientConnection::close() {
  owner_ = nullptr;
  transfer_ = nullptr;
  boost::system::error_code ignored;
  (void)wire_.descriptor.close(ignored);
}

void ClientConnection::release(Kept kept) {
  ConnectionOwner* const owner = owner_;
  if (owner == nullptr) return;
  const std::shared_ptr<ClientConnection> self = shared_from_this();
  if (kept == Kept::yes) {
    is_reused_ = true;
    idle_since_ = std::chrono::steady_clock::now();
    owner->on_idle(*this);
  } else {
    close();
    owner->on_closed(*this);
  }
}

void ClientConnection::fail(HttpError error) {
  error.was_sent = sent_ > 0;
  const std::shared_ptr<HttpTransfer::State> transfer = std::exchange(transfer_, nullptr);
  transfer->carried_by(nullptr);
  release(Kept::no);
  transfer->fail(std::move(error));
}

// A reader that is called in here may let go of its transfer, end the whole client, or begin
// another request, which this connection may carry if it is idle by then. So whatever calls one
// looks afterwards whether the transfer is still there.
void ClientConnection::pump() {
  if (is_pumping_ || transfer_ == nullptr) return;
  const std::shared_ptr<ClientConnection> self = shared_from_this();
  is_pumping_ = true;
  write_some();
  read_some();
  is_pumping_ = false;
  if (transfer_ != nullptr) wait();
}

// Output.

void ClientConnection::write_some() {
  for (int turn = 0; turn < max_in_a_row; ++turn) {
    if (transfer_ == nullptr || is_output_over_ || blocked_on_[1]) return;
    if (!fill_output()) return;
    const BytesView front = transfer_->body().front();
    const BytesView pieces[] = {as_bytes(std::string_view(prefix_).substr(prefix_sent_)),
                                front.first(std::min(front.size(), chunk_left_)),
                                as_bytes(suffix_)};
    const Stream::Outcome outcome = wire_.stream.write(pieces);
    switch (outcome.status) {
      case Stream::Status::moved:
        count_output(outcome.bytes);
        break;
      case Stream::Status::wants_read:
        blocked_on_[1] = Side::read;
        return;
      case Stream::Status::wants_write:
        blocked_on_[1] = Side::write;
        return;
      case Stream::Status::ended:
      case Stream::Status::broken:
        on_write_failed();
        return;
    }
  }
  pump_later();
}

// Whether there is something to send now.
bool ClientConnection::fill_output() {
  if (chunk_left_ == 0 && suffix_.empty() && !is_body_over_) {
    const std::shared_ptr<HttpTransfer::State> transfer = transfer_;
    BodyWriter& body = transfer->body();
    const BodyWriter::Status status = body.prepare();
    // A source may do anything.
    if (transfer_ != transfer) return false;
    switch (status) {
      case BodyWriter::Status::ready:
        chunk_left_ = body.front().size();
        if (is_chunked_) {
          prefix_ += chunk_head(chunk_left_);
          suffix_ = "\r\n";
        }
        break;
      case BodyWriter::Status::waiting:
        break;
      case BodyWriter::Status::done:
        is_body_over_ = true;
        if (is_chunked_) prefix_ += "0\r\n\r\n";
        break;
      case BodyWriter::Status::failed: {
        const HttpError error = body.error();
        fail(error);
        return false;
      }
    }
  }
  if (!prefix_.empty() || chunk_left_ > 0 || !suffix_.empty()) return true;
  if (is_body_over_) is_output_over_ = true;
  return false;
}

void ClientConnection::count_output(std::size_t bytes) {
  sent_ += bytes;
  const std::size_t of_prefix = std::min(bytes, prefix_.size() - prefix_sent_);
  prefix_sent_ += of_prefix;
  bytes -= of_prefix;
  if (prefix_sent_ == prefix_.size()) {
    prefix_.clear();
    prefix_sent_ = 0;
  }
  const std::size_t of_chunk = std::min(bytes, chunk_left_);
  chunk_left_ -= of_chunk;
  transfer_->body().consume(of_chunk);
  suffix_.remove_prefix(bytes - of_chunk);
}

void ClientConnection::on_write_failed() {
  // The kernel took no byte of this request, so that the server has seen none: it had closed the
  // connection while it was idle. With TLS some bytes of a record may have left.
  if (sent_ == 0 && is_reused_ && !wire_.stream.is_secure()) {
    std::shared_ptr<HttpTransfer::State> transfer = std::exchange(transfer_, nullptr);
    transfer->carried_by(nullptr);
    ConnectionOwner* const owner = owner_;
    release(Kept::no);
    owner->on_unsent(std::move(transfer));
    return;
  }
  // It takes no more. It may have said why.
  is_output_over_ = is_output_broken_ = true;
  transfer_->body().close();
  prefix_.clear();
  prefix_sent_ = chunk_left_ = 0;
  suffix_ = {};
}

// Input.

std::span<std::uint8_t> ClientConnection::input() {
  // A head must fit.
  const std::size_t size = std::max(input_bytes, limits_.bytes);
  if (room_ == nullptr) room_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  return {room_.get(), size};
}

void ClientConnection::read_some() {
  for (int turn = 0; turn < max_in_a_row; ++turn) {
    while (transfer_ != nullptr && understand()) {
    }
    if (transfer_ == nullptr || !transfer_->is_wanted() || blocked_on_[0]) return;
    if (begin_ > 0) {
      std::memmove(room_.get(), &room_[begin_], end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    const Stream::Outcome outcome = wire_.stream.read(input().subspan(end_));
    switch (outcome.status) {
      case Stream::Status::moved:
        end_ += outcome.bytes;
        break;
      case Stream::Status::wants_read:
        blocked_on_[0] = Side::read;
        return;
      case Stream::Status::wants_write:
        blocked_on_[0] = Side::write;
        return;
      case Stream::Status::ended:
        return on_input_end(AnswerReader::End::closed);
      case Stream::Status::broken:
        return on_input_end(AnswerReader::End::broken);
    }
  }
  pump_later();
}

// Gives the reader one thing of what has come. False where there is nothing for it.
bool ClientConnection::understand() {
  if (reader_->is_done()) {
    // It ends here for the connection, whether its reader wants to know it yet or not.
    const bool is_kept =
        reader_->keeps_alive() && is_output_over_ && !is_output_broken_ && begin_ == end_;
    keep_alive_seconds_ = reader_->keep_alive_seconds();
    const std::shared_ptr<HttpTransfer::State> transfer = std::exchange(transfer_, nullptr);
    transfer->carried_by(nullptr);
    release(is_kept ? Kept::yes : Kept::no);
    transfer->finish();
    return false;
  }
  if (!transfer_->is_wanted() || begin_ == end_) return false;
  HttpResult<AnswerReader::Step> step = reader_->read(input().subspan(begin_, end_ - begin_));
  if (!step) {
    fail(std::move(step).error());
    return false;
  }
  begin_ += step->used;
  const std::shared_ptr<HttpTransfer::State> transfer = transfer_;
  if (step->head) {
    transfer->give_head(*std::move(step->head));
  } else if (!step->piece.empty()) {
    transfer->give_piece(step->piece);
  }
  return transfer_ == transfer && (step->used > 0 || reader_->is_done());
}

void ClientConnection::on_input_end(AnswerReader::End end) {
  if (HttpResult<void> ended = reader_->on_end(end); !ended) return fail(std::move(ended).error());
  understand();
}

// Waiting.

void ClientConnection::wait() {
  if (std::exchange(has_more_to_send_, false)) pump_later();
  for (const std::optional<Side> side : blocked_on_) {
    if (side) wait(*side);
  }
  // After a request has been sent nothing is read before there is something.
  const bool reads_later = !blocked_on_[0] && transfer_->is_wanted() && begin_ == end_;
  if (reads_later && !is_posted_) {
    blocked_on_[0] = Side::read;
    wait(Side::read);
  }
}

void ClientConnection::wait(Side side) {
  if (std::exchange(is_waiting_[static_cast<std::size_t>(side)], true)) return;
  const auto type = side == Side::read ? Descriptor::wait_read : Descriptor::wait_write;
  wire_.descriptor.async_wait(type, [self = shared_from_this(), side](const auto& error) {
    self->is_waiting_[static_cast<std::size_t>(side)] = false;
    for (std::optional<Side>& blocked : self->blocked_on_) {
      if (blocked == side) blocked.reset();
    }
    if (!error) self->pump();
  });
}

}  // namespace cordon::transport::http
