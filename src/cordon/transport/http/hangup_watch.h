#pragma once

// Tells of clients that close their side, whether or not anything is read from them: an epoll
// instance of its own that each connection enters once. A request then costs nothing for it, and a
// client that goes away is noticed even behind unread bytes.

#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace cordon::transport::http {

class HttpConnection;

class HangupWatch : public std::enable_shared_from_this<HangupWatch> {
 public:
  static std::shared_ptr<HangupWatch> create(boost::asio::io_context& io);
  explicit HangupWatch(boost::asio::io_context& io, int descriptor) : epoll_(io, descriptor) {}

  // Where that cannot be had, the connection lives without.
  void add(HttpConnection& connection);
  // Before its descriptor is closed: closing alone is not enough where a process that is just being
  // started has a copy of it.
  void remove(HttpConnection& connection);
  void close();

 private:
  void wait();
  void report();

  boost::asio::posix::stream_descriptor epoll_;
};

}  // namespace cordon::transport::http
