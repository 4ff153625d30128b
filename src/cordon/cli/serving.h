#pragma once

// A server that runs as a configuration file says, and takes over a new one.

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/result.h"
#include "cordon/server/configured_tunnel.h"
#include "cordon/server/metrics.h"
#include "cordon/server/operations_server.h"
#include "cordon/server/service_log.h"
#include "cordon/server/tunnel_server.h"

namespace cordon::cli {

struct ServingOptions {
  std::string file;
  std::vector<std::string> listen;                     // instead of the file's
  std::optional<config::LogThreshold> log_level = {};  // instead of the file's
  bool is_dev = false;
};

// What is wrong with the files that a configuration names, a line each, as "FILE: what".
struct FileNews {
  std::vector<std::string> mistakes = {};
  std::vector<std::string> warnings = {};
};

class Serving {
 public:
  // Loads the scripts and opens the sockets. ErrorCode::invalid_argument where the configuration or
  // a script is at fault; its detail then has a line for each mistake.
  static Result<std::unique_ptr<Serving>> create(config::Configuration configuration,
                                                 ServingOptions options);
  // Only loads scripts and certificates.
  static FileNews check(const config::Configuration& configuration);
  // What the start found odd in files, and could do with.
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::vector<std::string> urls() const { return server_->urls(); }
  // Until stop(), and until what was under way is done.
  void run();
  // Any thread but those that serve.
  bool answers(std::chrono::milliseconds within) const { return server_->answers(within); }
  // Any thread: "serving 3 tasks and 1 event on http://…".
  std::string status() const;
  // Any thread.
  void stop();
  // Any thread: reads the file again. One that is wrong changes nothing, and is told on stderr.
  void reload();
  // Call it after the access log was moved away. Any thread may.
  void reopen_log() { log_->reopen(); }

  const config::Configuration& configuration() const { return configuration_; }

 private:
  explicit Serving(ServingOptions options) : options_(std::move(options)) {}
  server::StartRecord start_record() const;
  void tell_what_needs_a_restart(const config::Configuration& next) const;

  ServingOptions options_;
  std::unique_ptr<server::ServiceLog> log_;
  server::Metrics metrics_;
  std::unique_ptr<server::ScriptLoader> loader_;
  std::unique_ptr<server::TunnelServer> server_;
  std::unique_ptr<server::OperationsServer> operations_;  // null: none
  std::vector<std::string> warnings_;
  mutable std::mutex mutex_;  // of reloads, one after the other
  config::Configuration configuration_;
};

}  // namespace cordon::cli
