#pragma once

// One thread of a TunnelServer: an event loop, the connections that it has, and an engine whose
// guests run on it in slices, between the requests.

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "cordon/engine.h"
#include "cordon/server/tunnel_request.h"
#include "cordon/server/tunnel_rules.h"
#include "cordon/server/tunnel_server.h"
#include "cordon/transport/http/http_listener.h"
#include "cordon/transport/http/http_server.h"

namespace cordon::server {

class TunnelShard {
 public:
  // Borrows what the threads share, the options too.
  static Result<std::unique_ptr<TunnelShard>> create(const TunnelServerOptions& options,
                                                     transport::http::HttpOptions http,
                                                     const PayloadReader& reader, WorkPool& pool,
                                                     RequestMemory& memory);
  ~TunnelShard();
  TunnelShard(const TunnelShard&) = delete;
  TunnelShard& operator=(const TunnelShard&) = delete;

  // Before run().
  void listen(int descriptor, std::vector<transport::http::HttpServer*> all);
  void run();

  // Any thread.
  void stop();
  void expose(std::shared_ptr<const Exposure> exposure);
  void replace_tls(std::shared_ptr<boost::asio::ssl::context> tls);
  ShardContext context();
  transport::http::HttpServer& http() { return *http_; }
  void give_memory_back() const {
    if (engine_) engine_->give_memory_back();
  }
  Engine::Figures load() const { return engine_ ? engine_->figures() : Engine::Figures(); }

 private:
  TunnelShard(const TunnelServerOptions& options, const PayloadReader& reader, WorkPool& pool,
              RequestMemory& memory);
  void begin_stop();
  void close_connections();
  void wake();

  const TunnelServerOptions& options_;
  // Shared with those who answer from other threads, perhaps late.
  const std::shared_ptr<boost::asio::io_context> io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer stop_timer_;
  std::optional<Engine> engine_;
  // Requests keep it, since the loop may destroy what is left of them after this is gone.
  const std::shared_ptr<TunnelContext> context_;
  std::unique_ptr<transport::http::HttpServer> http_;
  std::vector<std::unique_ptr<transport::http::HttpListener>> listeners_;
  std::atomic<std::thread::id> thread_ = {};
  std::atomic<bool> is_woken_ = false;
  bool is_stopping_ = false;
  bool is_stopped_ = false;  // whatever is left is given up
};

}  // namespace cordon::server
