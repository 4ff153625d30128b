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
#include "cordon/server_options.h"
#include "cordon/transport/http/http_server.h"

namespace cordon::server {

// What cannot be changed while it runs.
struct TunnelServerOptions {
  // But for those that TunnelRules takes of them.
  ServerOptions server = {};
  // The engine of each thread, which drives it itself, so it has no workers. Without a value there
  // are no scripts.
  std::optional<EngineOptions> engine = {};
  // By the threads that serve, after each request.
  std::function<void(const RequestRecord&)> on_request = {};
};

// Fails where the options leave nothing to serve with, or a text is not the address that it should
// be.
Result<> check(const ServerOptions& options);

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
  // Any thread but those that serve, while it runs: whether all of these get to their work.
  bool answers(std::chrono::milliseconds within) const;
  // Any thread, any number of times.
  void stop();
  // Any thread: requests that come from now on, and with `tls` the certificate of connections that
  // come from now on; a server without one stays so. Nothing changes where it fails.
  Result<> reload(std::shared_ptr<const TunnelRules> rules,
                  const std::optional<TlsFiles>& tls = std::nullopt);

  // Any thread: sandboxes of all threads, and what each thread's connections did.
  Engine::Figures load() const;
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
