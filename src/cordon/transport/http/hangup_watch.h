#pragma once

// Tells of clients that close their side, whether or not anything is read from them: an epoll
// instance of its own that each connection enters once. A request then costs nothing for it, and
// a client that goes is noticed behind bytes that nobody has read yet.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "cordon/transport/http/http_connection.h"

namespace cordon::transport::http {

class HangupWatch : public std::enable_shared_from_this<HangupWatch> {
 public:
  static std::shared_ptr<HangupWatch> create(boost::asio::io_context& io);
  explicit HangupWatch(boost::asio::io_context& io, int descriptor) : epoll_(io, descriptor) {}

  // Until its descriptor is closed. Where that cannot be had, the connection lives without.
  void add(HttpConnection& connection);
  void close();

 private:
  void wait();
  void report();

  boost::asio::posix::stream_descriptor epoll_;
};

}  // namespace cordon::transport::http
