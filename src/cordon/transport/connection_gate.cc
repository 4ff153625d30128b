#include "cordon/transport/connection_gate.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
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

struct ConnectionGate::Counts {
  std::atomic<std::size_t> all = 0;
  std::atomic<std::uint64_t> turned_away = 0;
  std::mutex mutex;  // only taken where addresses are counted
  std::map<Address, std::size_t> of_address;

  bool enter(const Address& address, std::size_t limit) {
    if (limit == 0) return false;
    const std::lock_guard lock(mutex);
    std::size_t& count = of_address[address];
    if (count >= limit) return false;
    ++count;
    return true;
  }

  void leave(const std::optional<Address>& address) {
    all.fetch_sub(1, std::memory_order_relaxed);
    if (!address) return;
    const std::lock_guard lock(mutex);
    const auto found = of_address.find(*address);
    if (found != of_address.end() && --found->second == 0) of_address.erase(found);
  }
};

ConnectionGate::Pass& ConnectionGate::Pass::operator=(Pass&& other) noexcept {
  std::swap(counts_, other.counts_);
  std::swap(address_, other.address_);
  return *this;
}

ConnectionGate::Pass::~Pass() {
  if (counts_) counts_->leave(address_);
}

ConnectionGate::ConnectionGate(const ConnectionLimits& limits, IsShared is_shared)
    : limits_(limits),
      is_shared_(std::move(is_shared)),
      per_address_(limits_.max_per_address.value_or(std::max(least_per_address, limits_.max / 4))),
      counts_(std::make_shared<Counts>()) {}
ConnectionGate::~ConnectionGate() = default;

std::size_t ConnectionGate::count() const { return counts_->all.load(std::memory_order_relaxed); }

std::uint64_t ConnectionGate::turned_away() const {
  return counts_->turned_away.load(std::memory_order_relaxed);
}

std::optional<ConnectionGate::Address> ConnectionGate::counted(const sockaddr_storage& peer) const {
  std::optional<Address> address = address_of(peer);
  if (!address || (is_shared_ && is_shared_(*address))) return std::nullopt;
  if (!limits_.max_per_address && is_loopback(*address)) return std::nullopt;
  if (!is_mapped(*address)) std::fill(address->begin() + v6_prefix_bytes, address->end(), 0);
  return address;
}

std::optional<ConnectionGate::Pass> ConnectionGate::admit(const sockaddr_storage& peer) {
  const auto refuse = [this] {
    counts_->turned_away.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  };
  if (counts_->all.fetch_add(1, std::memory_order_relaxed) >= limits_.max) {
    counts_->all.fetch_sub(1, std::memory_order_relaxed);
    return refuse();
  }
  Pass pass;
  pass.counts_ = counts_;
  if (per_address_ >= limits_.max) return pass;  // then the number of all is the limit
  const std::optional<Address> address = counted(peer);
  if (address && !counts_->enter(*address, per_address_)) return refuse();
  pass.address_ = address;
  return pass;
}

}  // namespace cordon::transport
