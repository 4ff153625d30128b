#pragma once

// Whom to believe about where a request came from: proxies in front of this server, by address.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"
#include "cordon/transport/http/exchange.h"

namespace cordon::transport::http {

// An address as 16 bytes, IPv4 mapped into IPv6.
using AddressBytes = std::array<std::uint8_t, 16>;
std::optional<AddressBytes> parse_address(std::string_view text);

class TrustedProxies {
 public:
  TrustedProxies() = default;
  // Addresses and CIDR ranges ("10.0.0.0/8", "fd00::/8"), and "unix" for all peers of a Unix
  // socket.
  static Result<TrustedProxies> parse(std::span<const std::string> entries);

  bool trusts(std::string_view peer) const;  // as in Origin::address; "" is a Unix socket
  bool trusts(const AddressBytes& address) const;

  struct Origin {
    std::string address;
    bool is_secure = false;
  };
  // `socket` is what the connection itself says. Where that is trusted, `Forwarded` or else
  // `X-Forwarded-For` is read from its end: each address was written by the one after it, so the
  // first that is not trusted is the client's. `X-Forwarded-Proto` or `proto=` says whether it
  // spoke TLS.
  Origin origin_of(Origin socket, const std::vector<Header>& headers) const;

 private:
  struct Range {
    AddressBytes address;
    unsigned bits;
  };

  std::vector<Range> ranges_;
  bool unix_ = false;
};

}  // namespace cordon::transport::http
