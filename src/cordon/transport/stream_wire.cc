// Unix and TCP sockets, and TLS on the latter.

#include <concepts>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "cordon/transport/tcp_socket.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {
namespace {

using boost::system::error_code;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);

bool would_block(const error_code& error) {
  return error == asio::error::would_block || error == asio::error::try_again ||
         error == asio::error::interrupted;
}

template <class Socket>
class StreamWire final : public Wire {
 public:
  StreamWire(Socket socket, std::span<char> scratch)
      : socket_(std::move(socket)), scratch_(scratch) {
    error_code ignored;
    (void)socket_.non_blocking(true, ignored);
  }

  asio::awaitable<bool> open() override { co_return true; }

  asio::awaitable<Input> read() override {
    for (;;) {
      // It waits without a buffer: thousands of idle connections share one.
      const auto [waited] = co_await socket_.async_wait(Socket::wait_read, awaiting);
      if (waited) co_return Input{.bytes = {}, .ended = true, .broken = true};
      error_code error;
      const std::size_t size =
          socket_.read_some(asio::buffer(scratch_.data(), scratch_.size()), error);
      if (would_block(error)) continue;
      if (error == asio::error::eof) co_return Input{.bytes = {}, .ended = true, .broken = false};
      if (error) co_return Input{.bytes = {}, .ended = true, .broken = true};
      if constexpr (std::same_as<Socket, asio::ip::tcp::socket>) acknowledge_at_once(socket_);
      co_return Input{.bytes = {scratch_.data(), size}, .ended = false, .broken = false};
    }
  }

  asio::awaitable<void> until_gone() override {
    const auto [ignored] = co_await socket_.async_wait(Socket::wait_error, awaiting);
    (void)ignored;
  }

  std::optional<std::size_t> try_write(std::string_view text) override {
    error_code error;
    const std::size_t size = socket_.write_some(asio::buffer(text), error);
    if (would_block(error)) return 0;
    if (error) return std::nullopt;
    return size;
  }

  asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) override {
    const auto [error, size] = co_await socket_.async_write_some(asio::buffer(lines), awaiting);
    if (error) co_return std::nullopt;
    co_return size;
  }

  asio::awaitable<void> finish() override {
    error_code ignored;
    (void)socket_.shutdown(Socket::shutdown_send, ignored);
    co_return;
  }

  void close() override {
    error_code ignored;
    (void)socket_.close(ignored);
  }

 private:
  Socket socket_;
  std::span<char> scratch_;
};

class TlsWire final : public Wire {
 public:
  TlsWire(asio::ip::tcp::socket socket, asio::ssl::context& tls)
      : stream_(std::move(socket), tls) {}

  asio::awaitable<bool> open() override {
    const auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, awaiting);
    co_return !error;
  }

  asio::awaitable<Input> read() override {
    const auto [error, size] = co_await stream_.async_read_some(asio::buffer(buffer_), awaiting);
    if (error == asio::error::eof) co_return Input{.bytes = {}, .ended = true, .broken = false};
    if (error) co_return Input{.bytes = {}, .ended = true, .broken = true};
    acknowledge_at_once(stream_.next_layer());
    co_return Input{.bytes = {buffer_, size}, .ended = false, .broken = false};
  }

  asio::awaitable<void> until_gone() override {
    const auto [ignored] =
        co_await stream_.lowest_layer().async_wait(asio::ip::tcp::socket::wait_error, awaiting);
    (void)ignored;
  }

  asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) override {
    const auto [error, size] = co_await stream_.async_write_some(asio::buffer(lines), awaiting);
    if (error) co_return std::nullopt;
    co_return size;
  }

  asio::awaitable<void> finish() override {
    // Sends close_notify, and waits for the peer's in the read that is under way anyway.
    const auto [ignored] = co_await stream_.async_shutdown(awaiting);
    (void)ignored;
  }

  void close() override {
    error_code ignored;
    (void)stream_.lowest_layer().close(ignored);
  }

 private:
  asio::ssl::stream<asio::ip::tcp::socket> stream_;
  char buffer_[4096];
};

}  // namespace

std::unique_ptr<Wire> make_unix_wire(asio::io_context& io, int descriptor,
                                     std::span<char> scratch) {
  using Socket = asio::local::stream_protocol::socket;
  return std::make_unique<StreamWire<Socket>>(
      Socket(io, asio::local::stream_protocol(), descriptor), scratch);
}

std::unique_ptr<Wire> make_tcp_wire(asio::io_context& io, int descriptor, std::span<char> scratch) {
  return std::make_unique<StreamWire<asio::ip::tcp::socket>>(tcp_socket(io, descriptor), scratch);
}

std::unique_ptr<Wire> make_tls_wire(asio::io_context& io, int descriptor, asio::ssl::context& tls) {
  return std::make_unique<TlsWire>(tcp_socket(io, descriptor), tls);
}

}  // namespace cordon::transport
