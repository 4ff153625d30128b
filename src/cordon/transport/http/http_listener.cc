#include "cordon/transport/http/http_listener.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/transport/http/http_server.h"

namespace cordon::transport::http {
namespace {

// Taken at once, so that connections that are there get their turn.
constexpr int max_accepted = 32;
// Where the process has no room for one more: it stays ready to be accepted, and would be reported
// over and over.
constexpr std::chrono::milliseconds pause{50};

}  // namespace

class HttpListener::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& io, int descriptor, HttpServer& own, std::vector<HttpServer*> all)
      : socket_(io, descriptor), timer_(io), own_(own), all_(std::move(all)) {}

  void wait() {
    socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [self = shared_from_this()](const boost::system::error_code& error) {
                         if (!error && self->socket_.is_open()) self->accept();
                       });
  }

  void close() {
    boost::system::error_code ignored;
    (void)socket_.close(ignored);
    timer_.cancel();
  }

 private:
  void accept() {
    for (int i = 0; i < max_accepted; ++i) {
      const int descriptor =
          accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (descriptor >= 0) {
        least_loaded().adopt(descriptor);
        continue;
      }
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        return wait_a_little();
      // Gone before it was accepted.
      if (errno == ECONNABORTED || errno == EINTR) continue;
      break;
    }
    wait();
  }

  void wait_a_little() {
    timer_.expires_after(pause);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->socket_.is_open()) self->accept();
    });
  }

  HttpServer& least_loaded() const {
    HttpServer* const least = *std::ranges::min_element(all_, {}, &HttpServer::load);
    return least->load() < own_.load() ? *least : own_;
  }

  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer timer_;
  HttpServer& own_;
  const std::vector<HttpServer*> all_;
};

HttpListener::HttpListener(boost::asio::io_context& io, int descriptor, HttpServer& own,
                           std::vector<HttpServer*> all)
    : impl_(std::make_shared<State>(io, descriptor, own, std::move(all))) {
  impl_->wait();
}

HttpListener::~HttpListener() { impl_->close(); }

}  // namespace cordon::transport::http
