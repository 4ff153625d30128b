#pragma once

// Where a server listens, as an operator writes it: unix:PATH, tcp:HOST:PORT or
// ws://HOST:PORT/PATH.

#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/result.h"

namespace cordon::transport {

struct ListenAddress {
  enum class Kind : std::uint8_t { unix_socket, tcp, websocket };
  Kind kind = Kind::unix_socket;
  std::string path;  // of a Unix socket, or of the WebSocket's URL
  std::string host;
  std::uint16_t port = 0;  // 0: one that is free

  // Reachable from this machine alone, by its name.
  bool is_local() const;
  // As it was written; with `tls`, a WebSocket is wss.
  std::string text(bool tls) const;
  // The URL of an HTTP server, "http://127.0.0.1:7070", or "unix:PATH" for a Unix socket. For an
  // address that means all interfaces, the one that reaches this machine.
  std::string url(bool tls) const;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

Result<ListenAddress> parse_listen_address(std::string_view text);
// The address of an HTTP server, where TCP is the default: HOST:PORT, [IPV6]:PORT, PORT or
// unix:PATH.
Result<ListenAddress> parse_http_address(std::string_view text);

}  // namespace cordon::transport
