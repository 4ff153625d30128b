#pragma once

// A server on a thread of its own, with a handler that does as the target says.

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::transport::http::testing {

class TestServer {
 public:
  explicit TestServer(HttpOptions options = {}, std::string address = "tcp:127.0.0.1:0",
                      const ConnectionLimits& limits = {})
      : gate_(limits),
        socket_(*ListeningSocket::open(*parse_listen_address(address))),
        server_(io_, std::move(options),
                [this](Exchange& exchange) -> asio::awaitable<void> { return handle(exchange); }) {
    acceptor_.emplace(io_, *socket_.duplicate(), gate_, Balance{.own = server_, .all = {&server_}});
    thread_ = std::thread([this] { io_.run(); });
  }

  ~TestServer() {
    if (!is_abandoned) end();
    io_.stop();
    thread_.join();
  }
  // Its destructor then leaves handlers as they are.
  bool is_abandoned = false;

  void end() {
    on_loop([this] {
      acceptor_.reset();
      server_.close_all();
    });
    while (!server_.is_empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::uint16_t port() const { return socket_.address().port; }
  HttpServer& server() { return server_; }
  const ConnectionGate& gate() const { return gate_; }
  template <class Function>
  void on_loop(Function function) {
    std::atomic<bool> is_done = false;
    asio::post(io_, [&] {
      function();
      is_done = true;
    });
    while (!is_done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 5'000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  std::atomic<int> entered = 0;
  std::atomic<int> aborted = 0;
  std::atomic<int> handled = 0;
  std::atomic<bool> may_go_on = false;
  std::atomic<ErrorCode> body_error = ErrorCode::internal_error;

 private:
  asio::awaitable<void> handle(Exchange& exchange) {
    ++entered;
    const std::string target = exchange.head().target;
    if (target == "/echo") {
      co_await echo(exchange);
    } else if (target == "/echo-into") {
      co_await echo_into(exchange);
    } else if (target == "/count") {
      co_await count(exchange);
    } else if (target == "/wait") {
      co_await wait(exchange);
    } else if (target == "/half") {
      const ResponseHead head;
      co_await exchange.start(head);
      const std::string text = "half of it";
      const BytesView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      co_await exchange.write(bytes);
    } else if (target == "/second-reader") {
      co_await leave_a_reader(exchange);
    } else if (target == "/throw") {
      throw std::runtime_error("as it was asked to");
    } else if (target == "/nothing") {
    } else if (target == "/empty") {
      ResponseHead head;
      head.status = 204;
      co_await exchange.respond(head, "");
    } else if (target == "/413") {
      ResponseHead head;
      head.status = 413;
      co_await exchange.respond(head, "too much");
    } else if (target == "/peer") {
      const ResponseHead head;
      std::string text = exchange.head().peer;
      text += exchange.head().is_secure ? " secure" : " plain";
      co_await exchange.respond(head, std::move(text));
    } else if (target == "/large") {
      const ResponseHead head;
      std::string text(std::size_t{8} << 20, 'x');
      co_await exchange.respond(head, std::move(text));
    } else {
      ResponseHead head;
      head.headers.push_back({"x-target", target});
      co_await exchange.respond(head, "hello");
    }
    ++handled;
  }

  static asio::awaitable<void> echo(Exchange& exchange) {
    const ResponseHead head;
    co_await exchange.start(head);
    for (;;) {
      const Result<BytesView> piece = co_await exchange.read();
      if (!piece) co_return;
      if (piece->empty()) break;
      const bool is_there = co_await exchange.write(*piece);
      if (!is_there) co_return;
    }
    co_await exchange.finish();
  }

  static asio::awaitable<void> echo_into(Exchange& exchange) {
    const ResponseHead head;
    co_await exchange.start(head);
    Bytes room(100'000);
    for (;;) {
      const Result<std::size_t> size = co_await exchange.read_into(room);
      if (!size) co_return;
      if (*size == 0) break;
      const BytesView bytes(room.data(), *size);
      const bool is_there = co_await exchange.write(bytes);
      if (!is_there) co_return;
    }
    co_await exchange.finish();
  }

  asio::awaitable<void> count(Exchange& exchange) {
    std::size_t size = 0;
    for (;;) {
      const Result<BytesView> piece = co_await exchange.read();
      if (!piece) {
        body_error = piece.error().code;
        co_return;
      }
      if (piece->empty()) break;
      size += piece->size();
    }
    const ResponseHead head;
    std::string text = std::to_string(size);
    co_await exchange.respond(head, std::move(text));
  }

  // Answers while another coroutine still reads.
  asio::awaitable<void> leave_a_reader(Exchange& exchange) {
    asio::co_spawn(
        io_,
        [this, &exchange]() -> asio::awaitable<void> {
          const Result<BytesView> piece = co_await exchange.read();
          if (!piece) body_error = piece.error().code;
        },
        asio::detached);
    asio::steady_timer timer(io_, std::chrono::milliseconds(5));
    co_await timer.async_wait(asio::use_awaitable);
    const ResponseHead head;
    co_await exchange.respond(head, "left one");
  }

  // Until it may go on, or its client has gone.
  asio::awaitable<void> wait(Exchange& exchange) {
    const std::stop_token gone = exchange.aborted();
    while (!gone.stop_requested() && !may_go_on) {
      asio::steady_timer timer(io_, std::chrono::milliseconds(1));
      co_await timer.async_wait(asio::use_awaitable);
    }
    if (gone.stop_requested()) ++aborted;
    const ResponseHead head;
    co_await exchange.respond(head, "waited");
  }

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  ConnectionGate gate_;
  ListeningSocket socket_;
  HttpServer server_;
  std::optional<Acceptor> acceptor_;
  std::thread thread_;
};

}  // namespace cordon::transport::http::testing
