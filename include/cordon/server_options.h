#pragma once

// The options of a Server.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/connection_options.h"
#include "cordon/limits.h"
#include "cordon/tunnel_options.h"

namespace cordon {

// No number has a hidden meaning. One that leaves nothing to serve with, such as 0 threads, is an
// error of Server::open().
struct ServerOptions {
  std::vector<std::string> listen = {"127.0.0.1:7070"};  // HOST:PORT, [IPv6]:PORT or unix:PATH
  std::string base_path = "/__runner";
  AuthRules auth = {};
  std::vector<std::pair<std::string, LaneRules>> lanes = {};  // by name
  CorsRules cors = {};
  std::vector<std::string> contexts = {};  // ids of asynchronous contexts that are restored
  bool discovery = true;                   // whether clients may ask what there is to call
  BodyLimits limits = {};
  std::optional<std::chrono::milliseconds> deadline = {};  // for a whole request
  std::size_t threads = processors();
  // For the bodies, inputs and answers of all running requests. One client may use half of it.
  std::size_t memory_bytes = std::size_t{1} << 30;
  ConnectionLimits connections = {};
  HttpLimits http = {};
  std::optional<TlsFiles> tls = {};
  // Addresses or CIDR ranges of proxies, or "unix". Their Forwarded and X-Forwarded-* headers are
  // believed, and they have no limit of connections per address.
  std::vector<std::string> trusted_proxies = {};
  std::chrono::milliseconds drain_timeout{10'000};  // after stop(), for running requests
};

}  // namespace cordon
