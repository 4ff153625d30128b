#pragma once

// What a server grants to connections, whatever is asked on them. A part of ServerOptions.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace cordon {

struct ConnectionLimits {
  std::size_t max = 20'000;
  // Of one client's address; a number from `max` on is no limit. Nothing: a quarter of all, so that
  // it takes several clients to shut the others out; 64 at least, since many may be behind one
  // address. Loopback is then not counted: whoever is on this machine has other ways to use it up,
  // or is a proxy.
  std::optional<std::size_t> max_per_address = {};

  friend bool operator==(const ConnectionLimits&, const ConnectionLimits&) = default;
};

struct HttpLimits {
  std::size_t header_bytes = 16'384;  // of a request's line and its headers; past it: 431
  std::size_t header_count = 100;     // past it: 431
  // From the first byte of a request to its head's end, a TLS handshake included: 408.
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
