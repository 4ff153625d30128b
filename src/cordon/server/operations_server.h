#pragma once

// /healthz, /readyz and /metrics, on a listener and a thread of their own: they answer while the
// tunnel is busy or drains.

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "cordon/result.h"

namespace cordon::server {

class OperationsServer {
 public:
  // HOST:PORT, [IPv6]:PORT or unix:PATH. `metrics` gives the text, by this server's thread.
  static Result<std::unique_ptr<OperationsServer>> create(const std::string& address,
                                                          std::function<std::string()> metrics);
  ~OperationsServer();
  OperationsServer(const OperationsServer&) = delete;
  OperationsServer& operator=(const OperationsServer&) = delete;

  // With the port that was chosen.
  const std::string& url() const;
  // Any thread: what /readyz says from now on.
  void set_ready(bool is_ready);

 private:
  struct State;
  explicit OperationsServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cordon::server
