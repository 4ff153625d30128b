#pragma once

// Where a client's requests go.

#include <string>
#include <string_view>

#include "cordon/result.h"

namespace cordon::transport::http {

// http://HOST[:PORT][/PATH] or https://…, without a user, a query or a fragment; or
// unix:SOCKET[:/PATH], such as unix:/run/app.sock:/__runner, for HTTP over a Unix socket. The path
// of a socket has no colon.
struct Origin {
  bool is_tls = false;
  std::string host;         // an IPv6 address without its brackets; of a socket: localhost
  std::string port;         // of a socket: empty
  std::string socket_path;  // empty: TCP
  std::string path;         // without a slash at its end; empty or "/…"

  bool is_socket() const { return !socket_path.empty(); }
  // As the header Host has it.
  std::string authority() const;
  // For messages: without the path, and so without anything that may be secret.
  std::string name() const;

  static Result<Origin> parse(std::string_view url);
};

}  // namespace cordon::transport::http
