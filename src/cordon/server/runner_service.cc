#include "cordon/server/runner_service.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "cordon/server/runner_connection.h"
#include "cordon/transport/tcp_socket.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;
namespace http = transport::http;
using namespace std::chrono_literals;

Instant now() { return std::chrono::steady_clock::now(); }

std::chrono::milliseconds sweep_period(const RunnerServerOptions& options) {
  return std::clamp<std::chrono::milliseconds>(
      std::min({options.idle_timeout, options.stall_timeout, options.header_timeout}) / 4, 10ms,
      1000ms);
}

// A connection has one request, which makes it a session or is refused.
http::HttpOptions http_options_of(const RunnerServerOptions& options,
                                  std::shared_ptr<asio::ssl::context> tls) {
  http::HttpOptions http;
  http.limits.header_timeout = options.header_timeout;
  http.limits.idle_timeout = options.idle_timeout;
  http.limits.stall_timeout = options.stall_timeout;
  http.keeps_alive = false;
  http.tls = std::move(tls);
  return http;
}

// While the server stops, so that it does not wait for those who are done.
constexpr auto period_of_stop = 20ms;

}  // namespace

class RunnerService::LineListener final : public transport::Adopter {
 public:
  LineListener(RunnerService& service, transport::SocketKind kind)
      : service_(service), kind_(kind) {}

  std::size_t load() const override { return service_.load(); }
  void adopt(transport::Arrival arrival) override {
    service_.load_.fetch_add(1, std::memory_order_relaxed);
    asio::dispatch(service_.io(), [this, arrival = std::move(arrival)]() mutable {
      service_.start_lines(std::move(arrival), kind_);
    });
  }
  // There is no word for it in the protocol: the connection ends.
  void turn_away(Descriptor) override {}

 private:
  RunnerService& service_;
  const transport::SocketKind kind_;
};

class RunnerService::WebSocketListener final : public transport::Adopter {
 public:
  WebSocketListener(RunnerService& service, const transport::websocket::Rules& rules)
      : service_(service),
        server_(service.io(), http_options_of(service.options_, service.tls_),
                [&service, &rules](http::Exchange& exchange) {
                  return service.upgrade(exchange, rules);
                }) {}

  http::HttpServer& server() { return server_; }

  // Those that have become sessions are not the server's any more.
  std::size_t load() const override { return service_.load(); }
  void adopt(transport::Arrival arrival) override { server_.adopt(std::move(arrival)); }
  void turn_away(Descriptor descriptor) override { server_.turn_away(std::move(descriptor)); }

 private:
  RunnerService& service_;
  http::HttpServer server_;
};

RunnerService::RunnerService(Shard& shard, const RunnerServerOptions& options,
                             std::shared_ptr<asio::ssl::context> tls)
    : shard_(shard), options_(options), tls_(std::move(tls)), sweep_timer_(*shard.io()) {}

RunnerService::~RunnerService() {
  noted_.clear();
  while (!connections_.empty()) (*connections_.begin())->close();
}

transport::Adopter& RunnerService::adopter(const ListenerRules& rules) {
  using Kind = transport::ListenAddress::Kind;
  if (rules.kind == Kind::websocket) {
    return *websocket_listeners_.emplace_back(
        std::make_unique<WebSocketListener>(*this, rules.websocket));
  }
  const auto kind =
      rules.kind == Kind::unix_socket ? transport::SocketKind::local : transport::SocketKind::tcp;
  return *line_listeners_.emplace_back(std::make_unique<LineListener>(*this, kind));
}

std::size_t RunnerService::load() const {
  std::size_t sum = load_.load(std::memory_order_relaxed);
  for (const auto& listener : websocket_listeners_) sum += listener->server().load();
  return sum;
}

void RunnerService::replace_tls(std::shared_ptr<asio::ssl::context> tls) {
  asio::post(io(), [this, tls = std::move(tls)]() mutable {
    for (const auto& listener : websocket_listeners_) listener->server().replace_tls(tls);
    tls_ = std::move(tls);
  });
}

// News.

void RunnerService::note(const std::shared_ptr<RunnerConnection>& connection) {
  if (std::exchange(connection->is_noted, true)) return;
  noted_.push_back(connection);
}

void RunnerService::attend() {
  if (noted_.empty()) return;
  for (const auto& connection : std::exchange(noted_, {})) {
    connection->is_noted = false;
    connection->attend();
  }
}

void RunnerService::forget(const std::shared_ptr<RunnerConnection>& connection) {
  if (connections_.erase(connection) > 0) load_.fetch_sub(1, std::memory_order_relaxed);
}

// Connections.

void RunnerService::start_lines(transport::Arrival arrival, transport::SocketKind kind) {
  // Where there is no memory for it, or no more that the kernel would watch, it is just closed.
  try {
    const bool is_secure = tls_ != nullptr && kind == transport::SocketKind::tcp;
    transport::Stream stream(arrival.descriptor.number(),
                             is_secure ? tls_->native_handle() : nullptr);
    asio::posix::stream_descriptor descriptor(io(), arrival.descriptor.number());
    const int number = arrival.descriptor.release();
    if (kind == transport::SocketKind::tcp) transport::keep_little_unsent(number);
    start(transport::make_line_wire(std::move(descriptor), std::move(stream), kind, scratch_),
          std::move(arrival.pass));
  } catch (const std::exception&) {
  }
  // A session counts by itself.
  load_.fetch_sub(1, std::memory_order_relaxed);
}

void RunnerService::start(std::unique_ptr<transport::Wire> wire,
                          transport::ConnectionGate::Pass pass) {
  if (is_stopping()) return;
  auto connection = std::make_shared<RunnerConnection>(*this, std::move(pass), std::move(wire));
  load_.fetch_add(1, std::memory_order_relaxed);
  connections_.insert(connection);
  connection->begin();
  if (!std::exchange(is_sweeping_, true)) sweep_later();
}

asio::awaitable<void> RunnerService::upgrade(http::Exchange& exchange,
                                             const transport::websocket::Rules& rules) {
  const http::ResponseHead answer = transport::websocket::answer_to(exchange.head(), rules);
  if (answer.status != 101) {
    co_await exchange.respond(answer, {});
    co_return;
  }
  const std::unique_ptr<http::Upgraded> upgraded = co_await exchange.upgrade(answer);
  if (!upgraded) {
    // The server is being stopped.
    const http::ResponseHead busy{.status = 503, .headers = {}};
    co_await exchange.respond(busy, {});
    co_return;
  }
  transport::keep_little_unsent(upgraded->descriptor.native_handle());
  transport::ConnectionGate::Pass pass = std::move(upgraded->pass);
  const auto peer = rules.token.empty() ? transport::Peer::unknown : transport::Peer::authorized;
  start(transport::make_websocket_wire(std::move(*upgraded), peer, scratch_), std::move(pass));
}

// A copy, since a connection that is closed leaves the set.
std::vector<std::shared_ptr<RunnerConnection>> RunnerService::all() const {
  return {connections_.begin(), connections_.end()};
}

// Time, and the end.

void RunnerService::sweep_later() {
  sweep_timer_.expires_after(is_stopping() ? period_of_stop : sweep_period(options_));
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

void RunnerService::sweep() {
  const Instant at = now();
  for (const auto& connection : all()) connection->check(at);
  is_sweeping_ = !connections_.empty();
  if (is_sweeping_) sweep_later();
}

void RunnerService::drain() {
  for (const auto& listener : websocket_listeners_) listener->server().drain();
  for (const auto& connection : all()) connection->end_if_idle();
  if (is_sweeping_) sweep_later();
}

void RunnerService::close_all() {
  for (const auto& listener : websocket_listeners_) listener->server().close_all();
  for (const auto& connection : all()) connection->end_now();
}

}  // namespace cordon::server
