#include "cordon/transport/connection_gate.h"

#include <algorithm>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

namespace cordon::transport {
namespace {

constexpr std::size_t least_per_address = 64;
constexpr std::size_t v6_prefix_bytes = 8;

bool is_mapped(const ConnectionGate::Address& address) {
  return IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(address.data()));
}

bool is_loopback(const ConnectionGate::Address& address) {
  constexpr std::uint8_t v4_network = 127;
  if (is_mapped(address)) return address[12] == v4_network;
  return IN6_IS_ADDR_LOOPBACK(reinterpret_cast<const in6_addr*>(address.data()));
}

std::optional<ConnectionGate::Address> address_of(const sockaddr_storage& peer) {
  ConnectionGate::Address address{};
  if (peer.ss_family == AF_INET) {
    address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::memcpy(&address[12], &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, 4);
    return address;
  }
  if (peer.ss_family != AF_INET6) return std::nullopt;
  std::memcpy(address.data(), &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr, 16);
  return address;
}

}  // namespace

ConnectionGate::Pass::Pass(Pass&& other) noexcept
    : gate_(std::exchange(other.gate_, nullptr)), address_(other.address_) {}

ConnectionGate::Pass& ConnectionGate::Pass::operator=(Pass&& other) noexcept {
  std::swap(gate_, other.gate_);
  std::swap(address_, other.address_);
  return *this;
}

ConnectionGate::Pass::~Pass() {
  if (gate_ != nullptr) gate_->leave(address_);
}

ConnectionGate::ConnectionGate(const ConnectionLimits& limits, IsShared is_shared)
    : limits_(limits),
      is_shared_(std::move(is_shared)),
      per_address_(limits_.max_per_address.value_or(std::max(least_per_address, limits_.max / 4))) {
}

std::optional<ConnectionGate::Address> ConnectionGate::counted(const sockaddr_storage& peer) const {
  std::optional<Address> address = address_of(peer);
  if (!address || (is_shared_ && is_shared_(*address))) return std::nullopt;
  if (!limits_.max_per_address && is_loopback(*address)) return std::nullopt;
  if (!is_mapped(*address)) std::fill(address->begin() + v6_prefix_bytes, address->end(), 0);
  return address;
}

std::optional<ConnectionGate::Pass> ConnectionGate::admit(const sockaddr_storage& peer) {
  Pass pass;
  if (count_.fetch_add(1, std::memory_order_relaxed) >= limits_.max) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    turned_away_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  pass.gate_ = this;
  if (per_address_ >= limits_.max) return pass;  // then the number of all is the limit
  const std::optional<Address> address = counted(peer);
  if (address && !enter(*address)) {
    turned_away_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  pass.address_ = address;
  return pass;
}

bool ConnectionGate::enter(const Address& address) {
  if (per_address_ == 0) return false;
  const std::lock_guard lock(mutex_);
  std::size_t& count = counts_[address];
  if (count >= per_address_) return false;
  ++count;
  return true;
}

void ConnectionGate::leave(const std::optional<Address>& address) {
  count_.fetch_sub(1, std::memory_order_relaxed);
  if (!address) return;
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(*address);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

}  // namespace cordon::transport
