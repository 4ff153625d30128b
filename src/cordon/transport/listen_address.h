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
  // Of an HTTP server: "http://127.0.0.1:7070"; of a Unix socket "unix:PATH". Of the addresses that
  // mean all interfaces, the one that reaches this machine.
  std::string url(bool tls) const;

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

Result<ListenAddress> parse_listen_address(std::string_view text);
// Of an HTTP server, where TCP goes without saying: HOST:PORT, [IPV6]:PORT, PORT or unix:PATH.
Result<ListenAddress> parse_http_address(std::string_view text);

}  // namespace cordon::transport
