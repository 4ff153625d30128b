#include "cordon/transport/http/http_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <exception>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/transport/http/connection_home.h"
#include "cordon/transport/http/http_connection.h"

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;

// What a connection is told that is not let in.
std::string busy_text(const HttpOptions& options) {
  std::string text = "HTTP/1.1 503 Service Unavailable\r\n";
  for (const Header& header : options.refusal_headers)
    text += header.name + ": " + header.value + "\r\n";
  return text +
         "content-type: text/plain; charset=utf-8\r\ncontent-length: 24\r\nretry-after: 1\r\n"
         "connection: close\r\n\r\n503 Service Unavailable\n";
}

std::chrono::milliseconds sweep_period(const HttpOptions& options) {
  const auto shortest = std::min({options.limits.header_timeout, options.limits.idle_timeout,
                                  options.limits.stall_timeout, options.linger_timeout});
  return std::clamp<std::chrono::milliseconds>(shortest / 4, 10ms, 250ms);
}

std::string text_of(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN] = {};
  if (peer.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, text, sizeof text);
  } else if (peer.ss_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&v6)) {
      inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &v6, text, sizeof text);
    }
  }
  return text;
}

}  // namespace

// Kept by what is posted to the loop.
class HttpServer::State : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& io, HttpOptions options, Handler handler)
      : context_(std::make_shared<ConnectionContext>(io, std::move(options), std::move(handler))),
        busy_(busy_text(context_->options)),
        sweep_timer_(io),
        period_(sweep_period(context_->options)) {}

  // Any thread.
  void adopt(Arrival arrival) {
    context_->load.fetch_add(1, std::memory_order_relaxed);
    asio::dispatch(context_->io,
                   [self = shared_from_this(), arrival = std::move(arrival)]() mutable {
                     self->welcome(std::move(arrival));
                   });
  }

  // Any thread. Connections that are let in hold a pass; so those that are not are told before
  // anything is made.
  void turn_away(Descriptor descriptor) const {
    if (context_->options.tls == nullptr)
      (void)!send(descriptor.number(), busy_.data(), busy_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(descriptor.number(), SHUT_WR);
  }

  void welcome(Arrival arrival) {
    if (context_->is_draining) {
      context_->load.fetch_sub(1, std::memory_order_relaxed);
      return turn_away(std::move(arrival.descriptor));
    }
    if (context_->connections.empty()) sweep_later();
    // Where there is no memory, or no more that the kernel would watch, it is just closed.
    asio::posix::stream_descriptor descriptor(context_->io);
    boost::system::error_code error;
    if (descriptor.assign(arrival.descriptor.number(), error)) {
      context_->load.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    arrival.descriptor.release();
    TrustedProxies::Origin origin{.address = text_of(arrival.peer),
                                  .is_secure = context_->tls != nullptr};
    std::shared_ptr<HttpConnection> connection;
    try {
      connection = std::make_shared<HttpConnection>(context_, std::move(descriptor),
                                                    std::move(arrival.pass), std::move(origin));
    } catch (const std::exception&) {
      context_->load.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    asio::co_spawn(context_->io, [connection] { return connection->run(); }, asio::detached);
  }

  // Connections that are there keep what they have of the old one.
  void replace_tls(std::shared_ptr<asio::ssl::context> tls) {
    if (context_->tls && tls) context_->tls = std::move(tls);
  }

  void drain() {
    if (std::exchange(context_->is_draining, true)) return;
    for (HttpConnection* const connection : context_->connections) connection->end_if_idle();
  }

  void close_all() {
    // Handlers that are told may end others.
    std::vector<std::weak_ptr<HttpConnection>> all;
    for (HttpConnection* const connection : context_->connections)
      all.push_back(connection->weak_from_this());
    for (const auto& weak : all) {
      if (const auto connection = weak.lock()) connection->kill();
    }
  }

  void stop() {
    context_->is_draining = true;
    sweep_timer_.cancel();
    context_->hangups->close();
    close_all();
  }

  const ConnectionContext& context() const { return *context_; }

 private:
  // While there are connections. One timer for all of them: most deadlines are moved on before they
  // are met.
  void sweep_later() {
    context_->now = std::chrono::steady_clock::now();
    if (std::exchange(is_sweeping_, true)) return;
    wait();
  }
  void wait() {
    sweep_timer_.expires_after(period_);
    sweep_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const std::shared_ptr<State> self = weak.lock();
      if (error || !self) return;
      self->sweep();
    });
  }
  void sweep() {
    context_->now = std::chrono::steady_clock::now();
    if (context_->connections.empty()) {
      is_sweeping_ = false;
      return;
    }
    for (HttpConnection* const connection : context_->connections)
      connection->check_deadlines(context_->now);
    wait();
  }

  const std::shared_ptr<ConnectionContext> context_;
  const std::string busy_;
  asio::steady_timer sweep_timer_;
  const std::chrono::milliseconds period_;
  bool is_sweeping_ = false;
};

HttpServer::HttpServer(asio::io_context& io, HttpOptions options, Handler handler)
    : impl_(std::make_shared<State>(io, std::move(options), std::move(handler))) {}

HttpServer::~HttpServer() { impl_->stop(); }

void HttpServer::adopt(Arrival arrival) { impl_->adopt(std::move(arrival)); }
void HttpServer::turn_away(Descriptor descriptor) { impl_->turn_away(std::move(descriptor)); }
std::size_t HttpServer::load() const {
  return impl_->context().load.load(std::memory_order_relaxed);
}
const HttpFigures& HttpServer::figures() const { return impl_->context().figures; }
void HttpServer::replace_tls(std::shared_ptr<asio::ssl::context> tls) {
  impl_->replace_tls(std::move(tls));
}
void HttpServer::drain() { impl_->drain(); }
void HttpServer::close_all() { impl_->close_all(); }
bool HttpServer::is_empty() const { return load() == 0; }

}  // namespace cordon::transport::http
