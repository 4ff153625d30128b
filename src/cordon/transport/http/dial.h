#pragma once

// The way to a new connection: the name's lookup, a socket, a proxy's tunnel, the handshake of TLS.
//
// Addresses are tried in the system's order. One that does not answer soon is not waited for: the
// next one is tried beside it, and the first that answers is taken.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/transport/http/answer_reader.h"
#include "cordon/transport/http/http_request.h"
#include "cordon/transport/http/name_lookup.h"
#include "cordon/transport/http/origin.h"
#include "cordon/transport/http/proxy_settings.h"
#include "cordon/transport/stream.h"

namespace cordon::transport::http {

struct Route {
  Origin origin;
  std::optional<Proxy> proxy = {};

  // The proxy is told where to send each request, and sees it.
  bool is_forwarded() const { return proxy && !origin.is_tls; }
};

// An open connection.
struct Wire {
  boost::asio::posix::stream_descriptor descriptor;
  Stream stream;
};

// On the loop's thread.
class Dial : public std::enable_shared_from_this<Dial> {
 public:
  using Done = std::move_only_function<void(HttpResult<Wire>)>;
  // `tls` may be null where the origin is without. `done` is called once, later.
  Dial(boost::asio::io_context& io, NameLookup& names, boost::asio::ssl::context* tls, Route route,
       Done done);

  void start();
  // Nothing is called any more.
  void stop();

 private:
  struct Attempt;
  using Descriptor = boost::asio::posix::stream_descriptor;

  void connect(const FoundAddresses& found);
  void try_next();
  void on_connected(const std::shared_ptr<Attempt>& attempt);
  void on_refused(std::string why);
  void open(Descriptor descriptor);
  void ask_proxy();
  void read_proxy();
  bool understand_proxy();
  void begin_tls();
  void shake_hands();
  void wait(Descriptor::wait_type what, void (Dial::*then)());
  void succeed();
  void fail(HttpFailure why, std::string message);

  const Origin& target() const { return route_.proxy ? route_.proxy->origin : route_.origin; }

  boost::asio::io_context& io_;
  NameLookup& names_;
  boost::asio::ssl::context* const tls_;
  const Route route_;
  Done done_;
  NameLookup::Ticket ticket_ = {};
  std::vector<SocketAddress> addresses_ = {};
  std::size_t next_address_ = 0;
  std::vector<std::shared_ptr<Attempt>> attempts_ = {};
  boost::asio::steady_timer patience_;
  std::string last_refusal_ = {};
  std::optional<Wire> wire_ = {};
  std::string text_ = {};  // to the proxy, then from it
  // A tunnel has no body, as an answer to HEAD has none.
  AnswerReader proxy_reader_{HeadLimits{.bytes = 16'384, .count = 100}, AnswerReader::To::head};
};

}  // namespace cordon::transport::http
