#pragma once

// Many execbox sessions, one per connection, on Unix sockets, TCP and WebSockets.
//
// Each thread is a Shard with a RunnerService.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/connection_options.h"
#include "cordon/result.h"
#include "cordon/server/runner_execution.h"
#include "cordon/transport/listen_address.h"

namespace cordon::server {

struct RunnerServerOptions {
  RunnerSettings settings = {};
  std::vector<transport::ListenAddress> listen = {};
  std::size_t threads = 1;
  ConnectionLimits connections{.max = 10'000};  // one more is closed at once
  std::size_t executions = 6'000;  // under way at once; those beyond wait for a sandbox
  // For the handshakes of TLS and of a WebSocket.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds idle_timeout{60'000};   // without an `execute`
  std::chrono::milliseconds stall_timeout{30'000};  // of a reader that takes nothing
  std::size_t pending_output_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds grace{10'000};  // for what runs when the server is stopped
  // Where it is not empty, a peer says it first: {"type":"auth","token":"…"}, or a WebSocket's
  // `Authorization: Bearer …`.
  std::string token = {};
  std::optional<TlsFiles> tls = {};       // TCP and WebSockets then speak TLS
  std::vector<std::string> origins = {};  // of pages whose WebSockets are let in
};

class RunnerServer {
 public:
  static Result<std::unique_ptr<RunnerServer>> create(RunnerServerOptions options);
  ~RunnerServer();
  RunnerServer(const RunnerServer&) = delete;
  RunnerServer& operator=(const RunnerServer&) = delete;

  // With the ports that were chosen, as clients write them.
  const std::vector<std::string>& addresses() const;
  // Serves on this thread and others until stop().
  void run();
  // Any thread but those that serve, while it runs: whether all of these get to their work.
  bool answers(std::chrono::milliseconds within) const;
  // Any thread, any number of times: no new sessions, and those that run get their grace.
  void stop();
  // Any thread: reads the files of the certificate again, for connections that come from now on.
  // Without TLS there is nothing to do. Nothing changes where it fails.
  Result<> reload_tls();

 private:
  struct Shared;
  explicit RunnerServer(std::unique_ptr<Shared> shared);
  std::unique_ptr<Shared> shared_;
};

}  // namespace cordon::server
