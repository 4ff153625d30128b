// Lines on a Unix or TCP socket, plain or with TLS.

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/tcp_socket.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {
namespace {

using Status = Stream::Status;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);

// Written at once, so that a peer that reads as fast as we write does not have the thread alone.
constexpr std::size_t max_written_bytes = std::size_t{256} << 10;

// A Stream uses the number of its descriptor, and after close() that number may be another
// connection's. So after every wait the descriptor is asked whether it is still open, also where
// the wait has succeeded: close() may have come between.
class LineWire final : public Wire {
 public:
  LineWire(asio::posix::stream_descriptor descriptor, Stream stream, SocketKind kind,
           std::span<std::uint8_t> scratch)
      : descriptor_(std::move(descriptor)),
        stream_(std::move(stream)),
        kind_(kind),
        scratch_(scratch) {}

  asio::awaitable<bool> open() override {
    if (!stream_.is_secure()) co_return true;
    for (;;) {
      const Status status = stream_.shake_hands();
      if (status == Status::moved) co_return true;
      if (!is_to_wait(status)) co_return false;
      const auto [error] = co_await descriptor_.async_wait(event_of(status), awaiting);
      if (error || !descriptor_.is_open()) co_return false;
    }
  }

  asio::awaitable<Input> read() override {
    Status awaited = Status::wants_read;
    for (;;) {
      // It waits before it reads: a peer that waits for an answer has sent nothing more.
      if (!stream_.has_pending()) {
        const auto [error] = co_await descriptor_.async_wait(event_of(awaited), awaiting);
        if (error || !descriptor_.is_open()) co_return Input{.kind = Input::Kind::broken};
      }
      const Stream::Outcome got = stream_.read(scratch_);
      if (got.status == Status::moved) {
        if (kind_ == SocketKind::tcp) acknowledge_at_once(descriptor_.native_handle());
        const char* const text = reinterpret_cast<const char*>(scratch_.data());
        co_return Input{.kind = Input::Kind::bytes, .bytes = {text, got.bytes}};
      }
      if (got.status == Status::ended) co_return Input{.kind = Input::Kind::ended};
      if (got.status == Status::broken) co_return Input{.kind = Input::Kind::broken};
      awaited = got.status;
    }
  }

  asio::awaitable<void> until_gone() override {
    const auto [ignored] =
        co_await descriptor_.async_wait(asio::posix::stream_descriptor::wait_error, awaiting);
    (void)ignored;
  }

  std::optional<std::size_t> try_write(std::string_view lines) override {
    lines = lines.substr(0, max_written_bytes);
    std::size_t written = 0;
    blocked_by_ = Status::wants_write;
    while (written < lines.size()) {
      const std::string_view rest = lines.substr(written);
      const BytesView piece(reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size());
      const Stream::Outcome sent = stream_.write({&piece, 1});
      if (sent.status == Status::moved) {
        written += sent.bytes;
        // A plain socket takes all that it has room for: asking once more would be in vain.
        if (!stream_.is_secure()) break;
        continue;
      }
      if (!is_to_wait(sent.status)) return std::nullopt;
      blocked_by_ = sent.status;
      break;
    }
    return written;
  }

  asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) override {
    for (;;) {
      const auto [error] = co_await descriptor_.async_wait(event_of(blocked_by_), awaiting);
      if (error || !descriptor_.is_open()) co_return std::nullopt;
      const std::optional<std::size_t> written = try_write(lines);
      if (written != 0) co_return written;
    }
  }

  asio::awaitable<void> finish() override {
    while (descriptor_.is_open() && stream_.end_output() == Status::wants_write) {
      const auto [error] = co_await descriptor_.async_wait(event_of(Status::wants_write), awaiting);
      if (error || !descriptor_.is_open()) co_return;
    }
  }

  void close() override {
    boost::system::error_code ignored;
    (void)descriptor_.close(ignored);
  }

 private:
  static bool is_to_wait(Status status) {
    return status == Status::wants_read || status == Status::wants_write;
  }
  static asio::posix::stream_descriptor::wait_type event_of(Status status) {
    return status == Status::wants_write ? asio::posix::stream_descriptor::wait_write
                                         : asio::posix::stream_descriptor::wait_read;
  }

  asio::posix::stream_descriptor descriptor_;
  Stream stream_;
  const SocketKind kind_;
  const std::span<std::uint8_t> scratch_;
  Status blocked_by_ = Status::wants_write;  // what the last try_write() lacked to go on
};

}  // namespace

std::unique_ptr<Wire> make_line_wire(asio::posix::stream_descriptor descriptor, Stream stream,
                                     SocketKind kind, std::span<std::uint8_t> scratch) {
  return std::make_unique<LineWire>(std::move(descriptor), std::move(stream), kind, scratch);
}

}  // namespace cordon::transport
