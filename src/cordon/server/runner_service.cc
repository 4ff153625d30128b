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
using namespace std::chrono_literals;

Instant now() { return std::chrono::steady_clock::now(); }

std::chrono::milliseconds sweep_period(const RunnerServerOptions& options) {
  return std::clamp<std::chrono::milliseconds>(
      std::min({options.idle_timeout, options.stall_timeout, options.header_timeout}) / 4, 10ms,
      1000ms);
}

// While the server stops, so that it does not wait for those who are done.
constexpr auto period_of_stop = 20ms;

}  // namespace

class RunnerService::Listener final : public transport::Adopter {
 public:
  Listener(RunnerService& service, const ListenerRules& rules) : service_(service), rules_(rules) {}

  std::size_t load() const override { return service_.load(); }

  void adopt(transport::Arrival arrival) override {
    service_.load_.fetch_add(1, std::memory_order_relaxed);
    asio::dispatch(service_.io(), [this, arrival = std::move(arrival)]() mutable {
      service_.start(std::move(arrival), rules_);
    });
  }

  // There is no word for it in the protocol: the connection ends.
  void turn_away(Descriptor) override {}

 private:
  RunnerService& service_;
  const ListenerRules& rules_;
};

RunnerService::RunnerService(Shard& shard, const RunnerServerOptions& options,
                             std::shared_ptr<asio::ssl::context> tls)
    : shard_(shard), options_(options), tls_(std::move(tls)), sweep_timer_(*shard.io()) {}

RunnerService::~RunnerService() {
  noted_.clear();
  while (!connections_.empty()) (*connections_.begin())->close();
}

transport::Adopter& RunnerService::adopter(const ListenerRules& rules) {
  return *listeners_.emplace_back(std::make_unique<Listener>(*this, rules));
}

void RunnerService::replace_tls(std::shared_ptr<asio::ssl::context> tls) {
  asio::post(io(), [this, tls = std::move(tls)]() mutable { tls_ = std::move(tls); });
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

std::unique_ptr<transport::Wire> RunnerService::wire_of(Descriptor descriptor,
                                                        const ListenerRules& rules) {
  using Kind = transport::ListenAddress::Kind;
  const bool is_local = rules.kind == Kind::unix_socket;
  if (!is_local) transport::keep_little_unsent(descriptor.number());
  if (rules.kind == Kind::websocket) {
    return transport::make_websocket_wire(io(), descriptor.release(), tls_.get(), rules.websocket);
  }
  const bool is_secure = tls_ != nullptr && !is_local;
  transport::Stream stream(descriptor.number(), is_secure ? tls_->native_handle() : nullptr);
  asio::posix::stream_descriptor assigned(io(), descriptor.number());
  descriptor.release();
  return transport::make_line_wire(
      std::move(assigned), std::move(stream),
      is_local ? transport::SocketKind::local : transport::SocketKind::tcp, scratch_);
}

// Where there is no memory for it, or no more that the kernel would watch, it is just closed.
void RunnerService::start(transport::Arrival arrival, const ListenerRules& rules) {
  std::shared_ptr<RunnerConnection> connection;
  try {
    if (!is_stopping()) {
      connection = std::make_shared<RunnerConnection>(
          *this, std::move(arrival.pass), wire_of(std::move(arrival.descriptor), rules));
    }
  } catch (const std::exception&) {
  }
  if (!connection) {
    load_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  connections_.insert(connection);
  connection->begin();
  if (!std::exchange(is_sweeping_, true)) sweep_later();
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
  for (const auto& connection : all()) connection->end_if_idle();
  if (is_sweeping_) sweep_later();
}

void RunnerService::close_all() {
  for (const auto& connection : all()) connection->end_now();
}

}  // namespace cordon::server
