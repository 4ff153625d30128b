#pragma once

// How many connections there may be, in all and of one address, whichever thread has them.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "cordon/connection_options.h"

struct sockaddr_storage;

namespace cordon::transport {

// Any thread. It outlives its passes.
class ConnectionGate {
 public:
  // IPv4 as IPv6 has it (::ffff:a.b.c.d).
  using Address = std::array<std::uint8_t, 16>;
  // Addresses that are not counted, because they are not the clients': those of proxies.
  using IsShared = std::function<bool(const Address&)>;
  explicit ConnectionGate(const ConnectionLimits& limits, IsShared is_shared = {});

  // One connection that was let in.
  class Pass {
   public:
    Pass() = default;
    Pass(Pass&& other) noexcept;
    Pass& operator=(Pass&& other) noexcept;
    ~Pass();

   private:
    friend class ConnectionGate;
    ConnectionGate* gate_ = nullptr;
    std::optional<Address> address_;
  };

  // Nothing where there are too many. Unix sockets have no address.
  std::optional<Pass> admit(const sockaddr_storage& peer);
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  std::uint64_t turned_away() const { return turned_away_.load(std::memory_order_relaxed); }

 private:
  // What is counted of a peer: nothing for a Unix socket, a proxy, or maybe loopback. An IPv6
  // client has a /64 of its own, so that counts as one address.
  std::optional<Address> counted(const sockaddr_storage& peer) const;
  void leave(const std::optional<Address>& address);
  bool enter(const Address& address);

  const ConnectionLimits limits_;
  const IsShared is_shared_;
  const std::size_t per_address_;
  std::atomic<std::size_t> count_ = 0;
  std::atomic<std::uint64_t> turned_away_ = 0;
  std::mutex mutex_;  // only taken where addresses are counted
  std::map<Address, std::size_t> counts_;
};

}  // namespace cordon::transport
