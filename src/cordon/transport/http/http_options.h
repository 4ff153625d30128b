#pragma once

// What an HttpServer keeps to, and what several of them share.

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "cordon/transport/connection_gate.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/trusted_proxies.h"

namespace cordon::transport::http {

struct HttpOptions {
  std::size_t header_bytes = 16'384;  // of a request's line and its headers; past it: 431
  std::size_t header_count = 100;     // past it: 431
  // From the first byte of a request to its head's end, a TLS handshake included: 408.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds idle_timeout{75'000};   // between requests
  std::chrono::milliseconds stall_timeout{30'000};  // a body or an answer that makes no progress
  // A client that has sent its request and closes its side may have gone, or may wait for the
  // answer (`nc -N`): nothing tells them apart. It has this long to get one before aborted() stops.
  std::chrono::milliseconds half_close_grace{250};
  // Of a body that nobody read: drained after the answer, so that the connection can go on. A
  // connection with more is ended.
  std::size_t drain_bytes = 262'144;
  // A connection that is ended before its client sent all reads on for so long, so that the client
  // sees the answer instead of a reset.
  std::chrono::milliseconds linger_timeout{2'000};
  // Of answers that no handler gave.
  std::vector<Header> refusal_headers = {};
  TrustedProxies proxies = {};
  // Of all servers together; null: no limits.
  std::shared_ptr<ConnectionGate> gate = {};
  // Null: plain. One for all servers; see tls_context.h. It may be replaced.
  std::shared_ptr<boost::asio::ssl::context> tls = {};
};

}  // namespace cordon::transport::http
