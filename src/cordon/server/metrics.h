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

#include "cordon/execution.h"
#include "cordon/server/call_figures.h"
#include "cordon/server/tunnel_request.h"
#include "cordon/server/tunnel_rules.h"

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

  // Tasks, events and tools that are counted by their names from now on.
  void set_names(const TunnelRules& rules);

  void count(const RequestRecord& record);
  // How a script's execution ended: "ok", or the code of its error. An unknown one is "other". With
  // it go the calls of tools that it made.
  void count(const Report& report);

  // With the figures of the server.
  std::string text(const TunnelServer& server) const;

 private:
  struct Counters;
  Counters& mine();

  const std::uint64_t id_;  // of this object among all of the process
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Counters>> all_;
  CallFigures tasks_;  // and events
  CallFigures tools_;
};

}  // namespace cordon::server
