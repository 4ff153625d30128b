#pragma once

// A Server on a port of its own, on threads of its own, for the length of a test.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "http_peer.h"

#include "cordon/server.h"

namespace cordon::tunnel_test {

class RunningServer {
 public:
  // Throws where it does not open.
  RunningServer(ServerOptions options, const std::function<void(Server&)>& set_up);
  ~RunningServer();

  std::uint16_t port() const { return port_; }
  Server& server() { return server_; }

  // One request on a connection of its own. `head` are lines after the request line, each with its
  // line end.
  Response ask(std::string_view method, std::string_view target, std::string_view head = "",
               std::string_view body = "") const;
  // With the token `secret`.
  Response post(std::string_view target, std::string_view body, std::string_view head = "") const;

 private:
  Server server_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

inline constexpr std::string_view token = "x-runner-token: secret\r\n";

}  // namespace cordon::tunnel_test
