#pragma once

// What a server has done, in the text format of Prometheus.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/server/tunnel_request.h"

namespace cordon::server {

class TunnelServer;

// Any thread. Each thread that counts has counters of its own, so that none waits for another. The
// reader adds them up.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void count(const RequestRecord& record);
  // How a script's execution ended: "ok", or the code of its error. An unknown one is "other".
  void count_end(ErrorCode code);

  // With the figures of the server.
  std::string text(const TunnelServer& server) const;

 private:
  struct Counters;
  Counters& mine();

  const std::uint64_t id_;  // of this object among all of the process
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Counters>> all_;
};

}  // namespace cordon::server
