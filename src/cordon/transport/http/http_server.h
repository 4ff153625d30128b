#pragma once

// The HTTP connections of one thread: HTTP/1.1, and HTTP/2 where TLS agreed upon it.
//
//   HttpServer server(io, options, [](Exchange& exchange) -> asio::awaitable<void> {
//     const ResponseHead head{.headers = {{"content-type", "text/plain"}}};
//     co_await exchange.respond(head, "hello\n");
//   });
//   Acceptor acceptor(io, *socket.duplicate(), gate, {.own = server, .all = {&server}});
//
// One thread, that of `io`, but for what says otherwise. docs/http.md has the rules for requests.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/http_options.h"

namespace cordon::transport::http {

// What has happened since the start. Written by the server's thread, read by any.
struct HttpFigures {
  std::atomic<std::uint64_t> connections = 0;
  std::atomic<std::uint64_t> requests = 0;  // that reached the handler
  std::atomic<std::uint64_t> refused = 0;   // that did not: malformed, too large, too slow
  std::atomic<std::uint64_t> aborted = 0;   // whose clients went before their answers
  std::atomic<std::uint64_t> stalled = 0;   // that were ended for making no progress
  std::atomic<std::uint64_t> bytes_in = 0;
  std::atomic<std::uint64_t> bytes_out = 0;
};

class HttpServer final : public Adopter {
 public:
  HttpServer(asio::io_context& io, HttpOptions options, Handler handler);
  // Ends what is left. Handlers that still wait are never resumed; `io` destroys their frames, so
  // what those refer to outlives `io`. To have none, close_all() and run `io` until is_empty().
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Adopter.
  std::size_t load() const override;
  void adopt(Arrival arrival) override;
  void turn_away(Descriptor descriptor) override;
  // Any thread.
  const HttpFigures& figures() const;

  // The certificate of connections that come from now on; only where there was one.
  void replace_tls(std::shared_ptr<boost::asio::ssl::context> tls);
  // No further requests: idle connections end now, the others with their answers, which say
  // `Connection: close`. Connections of HTTP/2 are told, and end with their last request. New
  // connections are refused.
  void drain();
  // Ends all connections. Handlers that run see aborted(), and their reads and writes fail.
  void close_all();
  bool is_empty() const;

 private:
  class State;
  std::shared_ptr<State> impl_;
};

}  // namespace cordon::transport::http
