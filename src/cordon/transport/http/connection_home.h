#pragma once

// What the connections of a thread have in common. They keep it alive.

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "cordon/base/instant.h"
#include "cordon/transport/http/answer_text.h"
#include "cordon/transport/http/block_pool.h"
#include "cordon/transport/http/exchange.h"
#include "cordon/transport/http/hangup_watch.h"
#include "cordon/transport/http/head_parser.h"
#include "cordon/transport/http/http_options.h"
#include "cordon/transport/http/http_server.h"

namespace cordon::transport::http {

class HttpConnection;

struct ConnectionContext {
  ConnectionContext(asio::io_context& context, HttpOptions given, Handler answers)
      : io(context),
        options(std::move(given)),
        tls(options.tls),
        handler(std::move(answers)),
        head_limits{.bytes = options.limits.header_bytes, .count = options.limits.header_count},
        blocks(options.limits.header_bytes),
        hangups(HangupWatch::create(context)) {}

  asio::io_context& io;
  const HttpOptions options;
  std::shared_ptr<boost::asio::ssl::context> tls;  // of connections to come; null: plain
  const Handler handler;
  const HeadLimits head_limits;
  BlockPool blocks;
  const std::shared_ptr<HangupWatch> hangups;
  DateText date;
  std::string head_text;  // of the answer that is being written, until it is handed to the kernel
  HttpFigures figures;
  std::atomic<std::size_t> load = 0;
  // As of the last sweep: deadlines are checked by the sweep, so they need no better clock.
  Instant now = std::chrono::steady_clock::now();
  bool is_draining = false;
  std::vector<HttpConnection*> connections;
};

// By the one thread that writes it: no locked instruction.
inline void add(std::atomic<std::uint64_t>& figure, std::uint64_t count) {
  figure.store(figure.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

}  // namespace cordon::transport::http
