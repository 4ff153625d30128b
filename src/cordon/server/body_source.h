#pragma once

// The body of an octet-stream request, as the task reads it: nothing is read from the client before
// the task asks.

#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "cordon/byte_source.h"
#include "cordon/server/async_event.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::server {

// One thread. The task may keep it for longer than the request lasts.
class BodySource final : public ByteSource, public std::enable_shared_from_this<BodySource> {
 public:
  // Borrows the exchange until end().
  BodySource(boost::asio::any_io_executor executor, transport::http::Exchange& exchange);

  void read(Next next) override;
  void close() override;

  // The request is over. Every read, now or later, gets an error.
  void end();

 private:
  boost::asio::awaitable<void> pump();
  void answer(Result<Bytes> piece);

  boost::asio::any_io_executor executor_;
  transport::http::Exchange* exchange_;
  AsyncEvent demand_;
  Next pending_ = {};
  bool is_pumping_ = false;
  bool is_closed_ = false;
  bool has_ended_ = false;  // all was read
};

}  // namespace cordon::server
