#pragma once

// The Runner tunnel over HTTP: tasks and events of one configuration, on some threads.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/engine.h"
#include "cordon/result.h"
#include "cordon/server/tunnel_request.h"
#include "cordon/server/tunnel_rules.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/listen_address.h"
#include "cordon/transport/tls_context.h"

namespace cordon::server {

// What cannot be changed while it runs.
struct TunnelServerOptions {
  std::vector<transport::ListenAddress> listen = {};
  std::size_t threads = 0;    // 0: as many as processors
  bool has_engine = true;     // without it there are no scripts
  std::size_t sandboxes = 0;  // a thread's; 0: the default
  std::size_t queue = 1000;
  std::size_t asleep = 10'000;
  std::size_t memory_bytes = std::size_t{1} << 30;  // of all requests under way; see RequestMemory
  std::chrono::milliseconds drain_timeout{10'000};
  transport::http::HttpOptions http = {};  // without its gate and TLS
  transport::ConnectionGate::Limits connections = {};
  std::optional<transport::TlsFiles> tls = {};
  // By the threads that serve, after each request.
  std::function<void(const RequestRecord&)> on_request = {};
};

class TunnelServer {
 public:
  // Opens its sockets; connections wait until run().
  static Result<std::unique_ptr<TunnelServer>> create(TunnelServerOptions options,
                                                      std::shared_ptr<const TunnelRules> rules);
  ~TunnelServer();
  TunnelServer(const TunnelServer&) = delete;
  TunnelServer& operator=(const TunnelServer&) = delete;

  // Where it is reached, with the ports that were chosen and the base path: what clients are
  // given. A Unix socket is its path, as `unix:PATH`.
  std::vector<std::string> urls() const;

  // Serves on this thread and others until stop(), and until what was under way is done.
  void run();
  // Any thread, any number of times.
  void stop();
  // Any thread: requests that come from now on, and with `tls` the certificate of connections that
  // come from now on; a server without one stays so. Nothing changes where it fails.
  Result<> reload(std::shared_ptr<const TunnelRules> rules,
                  const std::optional<transport::TlsFiles>& tls = std::nullopt);

  // Any thread: sandboxes of all threads, and what each thread's connections did.
  Engine::Load load() const;
  std::vector<const transport::http::HttpFigures*> figures() const;
  std::size_t connections() const;
  // Any thread: those of the configuration that is served now; null: none.
  std::shared_ptr<const PluginSet> plugins() const;

 private:
  struct Shared;
  explicit TunnelServer(std::unique_ptr<Shared> shared);
  std::unique_ptr<Shared> shared_;
};

}  // namespace cordon::server
