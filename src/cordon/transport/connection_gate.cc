#include "cordon/transport/connection_gate.h"

#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

namespace cordon::transport {
namespace {

std::optional<ConnectionGate::Address> address_of(const sockaddr_storage& peer) {
  ConnectionGate::Address address{};
  if (peer.ss_family == AF_INET) {
    address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::memcpy(&address[12], &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, 4);
    return address;
  }
  if (peer.ss_family != AF_INET6) return std::nullopt;
  const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  std::memcpy(address.data(), &v6, IN6_IS_ADDR_V4MAPPED(&v6) ? 16 : 8);
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

std::optional<ConnectionGate::Pass> ConnectionGate::admit(const sockaddr_storage& peer) {
  Pass pass;
  if (count_.fetch_add(1, std::memory_order_relaxed) >= limits_.connections) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    turned_away_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  pass.gate_ = this;
  if (limits_.connections_per_address == 0) return pass;
  const std::optional<Address> address = address_of(peer);
  if (address && !enter(*address)) {
    turned_away_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  pass.address_ = address;
  return pass;
}

bool ConnectionGate::enter(const Address& address) {
  const std::lock_guard lock(mutex_);
  std::size_t& count = counts_[address];
  if (count >= limits_.connections_per_address) return false;
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
