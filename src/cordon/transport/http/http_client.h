#pragma once

// An HTTP client that never waits: HTTP/1.1 and HTTP/2, over TCP, TLS and Unix sockets, through
// proxies, with connections that are kept.
//
//   HttpClient client(io, {.proxies = ProxySettings::from_environment()});
//   HttpTransfer transfer = client.start(origin, {.target = "/"}, [&](auto head) {
//     if (head) transfer.read(take_piece);  // once more after each piece, until an empty one
//   });
//   io.run();
//
// A request is sent once. A kept connection is looked at before it is used, and if the server has
// closed it, another one is opened; once a byte may have left, nothing is sent again. Redirects are
// answers like others. A certificate must be that of the host, by the system's store or that of
// SSL_CERT_FILE and SSL_CERT_DIR.
//
// On the one thread that runs `io`; so are all callbacks, and none is called before start() or
// read() has returned.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <boost/asio/io_context.hpp>

#include "cordon/bytes.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/transport/http/origin.h"
#include "cordon/transport/http/proxy_settings.h"

namespace cordon::transport::http {

struct HttpClientOptions {
  std::size_t max_connections = 64;  // to one origin
  // Requests to one origin that wait for a connection. Further ones fail as overloaded.
  std::size_t max_waiting = 10'000;
  std::size_t max_idle = 64;  // connections that are kept, to all origins
  // Node closes connections after 5 s.
  std::chrono::milliseconds idle_timeout{4'000};
  HeadLimits head = {.bytes = std::size_t{64} << 10, .count = 256};
  ProxySettings proxies = {};  // none
  bool offers_http2 = true;    // in the handshake of TLS
  // A PEM file with the certificates to trust instead of the system's.
  std::string trusted_certificates = {};
};

class ConnectionPool;

// One request, and its answer as it comes. Destroying it ends the request: nothing more is called.
class HttpTransfer {
 public:
  class State;
  HttpTransfer() = default;
  explicit HttpTransfer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  HttpTransfer(HttpTransfer&&) noexcept = default;
  HttpTransfer& operator=(HttpTransfer&& other) noexcept;
  ~HttpTransfer();

  // The next piece of the answer's body; an empty one is its end. It is valid until `next` returns.
  // Call it after the head has come, and not while a piece is awaited. What is not asked for is not
  // read from the connection, so a slow reader slows the server down.
  using Next = std::move_only_function<void(HttpResult<BytesView> piece)>;
  void read(Next next);
  // Ends the request now. What is awaited, head or piece, is called with `cancelled` soon.
  void cancel();

 private:
  std::shared_ptr<State> state_;
};

class HttpClient {
 public:
  explicit HttpClient(boost::asio::io_context& io, HttpClientOptions options = {});
  // Ends all requests, as if their transfers were destroyed.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `on_head` is called once: with the head of the final answer, 1xx are skipped, or with a
  // failure. An answer may come while the request's body is still being sent.
  using OnHead = std::move_only_function<void(HttpResult<HttpResponseHead> head)>;
  [[nodiscard]] HttpTransfer start(const Origin& origin, HttpRequest request, OnHead on_head);

  // Connections that are kept are closed, so that io.run() can return.
  void close_idle();

  struct Figures {
    std::size_t connections = 0;  // open or being opened
    std::size_t idle = 0;
    std::size_t waiting = 0;  // requests without a connection
    std::size_t opened = 0;   // connections so far
  };
  Figures figures() const;

 private:
  std::unique_ptr<ConnectionPool> pool_;
};

}  // namespace cordon::transport::http
