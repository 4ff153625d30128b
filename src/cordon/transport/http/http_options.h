#pragma once

// What an HttpServer keeps to, and what several of them share.

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "cordon/connection_options.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/trusted_proxies.h"

namespace cordon::transport::http {

struct HttpOptions {
  HttpLimits limits = {};
  // False: a connection ends with the answer to its first request.
  bool keeps_alive = true;
  // A client that has sent its request and closes its side may have gone, or may wait for the
  // answer (`nc -N`): nothing tells them apart. It has this long to get one before aborted() stops.
  std::chrono::milliseconds half_close_grace{250};
  // How much of an unread body is drained after the answer, so that the connection can be kept.
  // With more than that it is ended.
  std::size_t drain_bytes = 262'144;
  // A connection that is ended before its client sent all reads on for so long, so that the client
  // sees the answer instead of a reset.
  std::chrono::milliseconds linger_timeout{2'000};
  // Headers of answers that no handler gave.
  std::vector<Header> refusal_headers = {};
  TrustedProxies proxies = {};
  // Null: plain. One for all servers; see tls_context.h. It may be replaced.
  std::shared_ptr<boost::asio::ssl::context> tls = {};
};

}  // namespace cordon::transport::http
