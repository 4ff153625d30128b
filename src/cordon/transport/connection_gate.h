#pragma once

// How many connections there may be, in all and of one address, whichever thread has them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "cordon/connection_options.h"

struct sockaddr_storage;

namespace cordon::transport {

// Any thread. Passes may outlive it.
class ConnectionGate {
 public:
  // IPv4 as IPv6 has it (::ffff:a.b.c.d).
  using Address = std::array<std::uint8_t, 16>;
  // Addresses that are not counted, because they are not the clients': those of proxies.
  using IsShared = std::function<bool(const Address&)>;
  explicit ConnectionGate(const ConnectionLimits& limits, IsShared is_shared = {});
  ~ConnectionGate();
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

  // One connection that was let in.
  class Pass;

  // Nothing where there are too many. Unix sockets have no address.
  std::optional<Pass> admit(const sockaddr_storage& peer);
  std::size_t count() const;
  std::uint64_t turned_away() const;

 private:
  struct Counts;
  // What is counted of a peer: nothing for a Unix socket, a proxy, or maybe loopback. An IPv6
  // client has a /64 of its own, so that counts as one address.
  std::optional<Address> counted(const sockaddr_storage& peer) const;

  const ConnectionLimits limits_;
  const IsShared is_shared_;
  const std::size_t per_address_;
  const std::shared_ptr<Counts> counts_;
};

class ConnectionGate::Pass {
 public:
  Pass() = default;
  Pass(Pass&& other) noexcept = default;
  Pass& operator=(Pass&& other) noexcept;
  ~Pass();

 private:
  friend class ConnectionGate;
  std::shared_ptr<Counts> counts_;
  std::optional<Address> address_;
};

}  // namespace cordon::transport
