#pragma once

// execbox sessions on a Shard, one on each connection: lines on a socket, or the messages of a
// WebSocket, which begins as a request to an HttpServer.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/server/runner_server.h"
#include "cordon/server/shard.h"
#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/websocket/handshake.h"
#include "cordon/transport/wire.h"

namespace cordon::server {

class RunnerConnection;

// What the services of all threads share, and outlives them.
struct ListenerRules {
  transport::ListenAddress::Kind kind;
  transport::websocket::Rules websocket;
};

// On the shard's thread, but for what says otherwise.
class RunnerService final : public Service {
 public:
  // `options` outlive it. Without `tls` all is plain.
  RunnerService(Shard& shard, const RunnerServerOptions& options,
                std::shared_ptr<boost::asio::ssl::context> tls);
  ~RunnerService() override;

  // Before the shard runs: who takes the connections of a listener.
  transport::Adopter& adopter(const ListenerRules& rules);

  // Any thread: connections, those on their way here included.
  std::size_t load() const;
  // Any thread: the certificate of connections that come from now on.
  void replace_tls(std::shared_ptr<boost::asio::ssl::context> tls);

  // Service.
  void attend() override;
  void drain() override;
  void close_all() override;
  bool is_empty() const override { return load() == 0; }

  // Its connections.
  Engine& engine() { return *shard_.engine(); }
  const RunnerServerOptions& options() const { return options_; }
  boost::asio::io_context& io() { return *shard_.io(); }
  bool is_stopping() const { return shard_.is_stopping(); }
  execbox::KnownManifests& known_manifests() { return known_manifests_; }
  void note(const std::shared_ptr<RunnerConnection>& connection);
  void forget(const std::shared_ptr<RunnerConnection>& connection);

 private:
  class LineListener;
  class WebSocketListener;

  void start_lines(transport::Arrival arrival, transport::SocketKind kind);
  void start(std::unique_ptr<transport::Wire> wire, transport::ConnectionGate::Pass pass);
  boost::asio::awaitable<void> upgrade(transport::http::Exchange& exchange,
                                       const transport::websocket::Rules& rules);
  std::vector<std::shared_ptr<RunnerConnection>> all() const;
  void sweep_later();
  void sweep();

  Shard& shard_;
  const RunnerServerOptions& options_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  execbox::KnownManifests known_manifests_;
  // As much as a peer's socket holds.
  std::array<std::uint8_t, std::size_t{256} << 10> scratch_;
  boost::asio::steady_timer sweep_timer_;
  bool is_sweeping_ = false;
  std::vector<std::unique_ptr<LineListener>> line_listeners_;
  std::vector<std::unique_ptr<WebSocketListener>> websocket_listeners_;
  std::unordered_set<std::shared_ptr<RunnerConnection>> connections_;
  std::vector<std::shared_ptr<RunnerConnection>> noted_;
  std::atomic<std::size_t> load_ = 0;  // but for requests that are no sessions yet
};

}  // namespace cordon::server
