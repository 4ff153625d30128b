#pragma once

// Limits of a server's connections, whatever is sent on them. A part of ServerOptions.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace cordon {

struct ConnectionLimits {
  std::size_t max = 20'000;
  // The limit for one client's address. A number from `max` on means no limit. Without a value it
  // is a quarter of `max`, so that it takes several clients to shut the others out, but at least
  // 64, since many users may share one address. Loopback is not counted then: a client on this
  // machine is a proxy, or has other ways to use the machine up.
  std::optional<std::size_t> max_per_address = {};

  friend bool operator==(const ConnectionLimits&, const ConnectionLimits&) = default;
};

struct HttpLimits {
  std::size_t header_bytes = 16'384;  // a request's line and its headers; past it: 431
  std::size_t header_count = 100;     // past it: 431
  // From the first byte of a request to the end of its head, with the TLS handshake: 408.
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds idle_timeout{75'000};   // between requests
  std::chrono::milliseconds stall_timeout{30'000};  // a body or an answer that makes no progress

  friend bool operator==(const HttpLimits&, const HttpLimits&) = default;
};

struct TlsFiles {
  std::string certificate = {};  // PEM files
  std::string key = {};

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

}  // namespace cordon
