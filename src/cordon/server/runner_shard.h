#pragma once

// One thread of a RunnerServer: an event loop, an engine, and the connections that it has.

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <unordered_set>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/base/instant.h"
#include "cordon/engine.h"
#include "cordon/server/runner_server.h"
#include "cordon/transport/connection_gate.h"
#include "cordon/transport/listening_socket.h"
#include "cordon/transport/wire.h"

namespace cordon::server {

class RunnerConnection;

// What all shards share, and outlives them.
struct ListenerRules {
  transport::ListenAddress::Kind kind;
  transport::WebSocketRules websocket;
};

class RunnerShard {
 public:
  // `gate` outlives all shards. `tls` may be null.
  static Result<std::unique_ptr<RunnerShard>> create(const RunnerServerOptions& options,
                                                     transport::ConnectionGate& gate,
                                                     boost::asio::ssl::context* tls);
  ~RunnerShard();

  // Before run().
  void listen(int descriptor, const ListenerRules& rules);
  void set_peers(std::vector<RunnerShard*> all) { all_ = std::move(all); }

  void run();
  // Any thread.
  void give_memory_back() const { engine_.give_memory_back(); }

  // Any thread.
  void stop();
  void adopt(int descriptor, transport::ConnectionGate::Pass pass, const ListenerRules& rules);
  std::size_t load() const { return load_.load(std::memory_order_relaxed); }

  // Its connections.
  Engine& engine() { return engine_; }
  const RunnerServerOptions& options() const { return options_; }
  boost::asio::io_context& io() { return io_; }
  bool is_stopping() const { return stopped_at_.has_value(); }
  void note(const std::shared_ptr<RunnerConnection>& connection);
  void forget(const std::shared_ptr<RunnerConnection>& connection);

 private:
  RunnerShard(Engine engine, const RunnerServerOptions& options, transport::ConnectionGate& gate,
              boost::asio::ssl::context* tls);

  // Both outlive the shard's loop.
  boost::asio::awaitable<void> accept(boost::asio::posix::stream_descriptor* listener,
                                      const ListenerRules* rules);
  boost::asio::awaitable<void> sweep();
  void dispatch(int descriptor, const ListenerRules& rules);
  std::unique_ptr<transport::Wire> wire_of(int descriptor, const ListenerRules& rules);
  void start(int descriptor, transport::ConnectionGate::Pass pass, const ListenerRules& rules);
  void attend_noted();
  void begin_stop();

  const RunnerServerOptions& options_;
  transport::ConnectionGate& gate_;
  boost::asio::ssl::context* tls_;
  Engine engine_;
  std::array<char, 65536> scratch_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  boost::asio::steady_timer sweep_timer_{io_};
  std::vector<std::unique_ptr<boost::asio::posix::stream_descriptor>> listeners_;
  std::vector<RunnerShard*> all_;
  std::unordered_set<std::shared_ptr<RunnerConnection>> connections_;
  std::vector<std::shared_ptr<RunnerConnection>> noted_;
  std::atomic<std::size_t> load_ = 0;
  std::optional<Instant> stopped_at_;
};

}  // namespace cordon::server
