#include "cordon/transport/connection_gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

#include <gtest/gtest.h>

namespace cordon::transport {
namespace {

sockaddr_storage peer_at(const std::string& address) {
  sockaddr_storage peer{};
  if (address.empty()) {
    peer.ss_family = AF_UNIX;
  } else if (address.contains(':')) {
    peer.ss_family = AF_INET6;
    inet_pton(AF_INET6, address.c_str(), &reinterpret_cast<sockaddr_in6&>(peer).sin6_addr);
  } else {
    peer.ss_family = AF_INET;
    inet_pton(AF_INET, address.c_str(), &reinterpret_cast<sockaddr_in&>(peer).sin_addr);
  }
  return peer;
}

// How many of so many connections are let in. None of them goes.
std::size_t let_in(ConnectionGate& gate, const std::string& address, std::size_t tries,
                   std::vector<ConnectionGate::Pass>& passes) {
  const std::size_t before = passes.size();
  for (std::size_t i = 0; i < tries; ++i) {
    if (auto pass = gate.admit(peer_at(address))) passes.push_back(*std::move(pass));
  }
  return passes.size() - before;
}

TEST(ConnectionGate, LetsOneAddressHaveAQuarterOfAllUnlessToldOtherwise) {
  ConnectionGate gate({.max = 1'000});
  std::vector<ConnectionGate::Pass> passes;
  EXPECT_EQ(let_in(gate, "192.0.2.1", 300, passes), 250u);
  EXPECT_EQ(let_in(gate, "::ffff:192.0.2.1", 1, passes), 0u) << "the same, by another name";
  EXPECT_EQ(let_in(gate, "192.0.2.2", 300, passes), 250u);
  EXPECT_EQ(let_in(gate, "2001:db8::1", 150, passes), 150u);
  EXPECT_EQ(let_in(gate, "2001:db8::2", 150, passes), 100u) << "of the same network";
  EXPECT_EQ(gate.turned_away(), 50u + 1u + 50u + 50u);
  passes.erase(passes.begin());
  EXPECT_EQ(let_in(gate, "192.0.2.1", 2, passes), 1u);
  EXPECT_EQ(let_in(gate, "192.0.2.3", 500, passes), 250u);
  EXPECT_EQ(gate.count(), 1'000u);
}

TEST(ConnectionGate, LetsSixtyFourOfOneAddressInWhereThereAreFew) {
  ConnectionGate gate({.max = 100});
  std::vector<ConnectionGate::Pass> passes;
  EXPECT_EQ(let_in(gate, "192.0.2.1", 100, passes), 64u);
}

TEST(ConnectionGate, CountsLoopbackOnlyWhereANumberIsGiven) {
  for (const char* const address : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", ""}) {
    std::vector<ConnectionGate::Pass> passes;
    ConnectionGate gate({.max = 200});
    EXPECT_EQ(let_in(gate, address, 300, passes), 200u) << address;
    passes.clear();
    ConnectionGate strict({.max = 200, .max_per_address = 3});
    EXPECT_EQ(let_in(strict, address, 300, passes), *address == '\0' ? 200u : 3u) << address;
    passes.clear();
    ConnectionGate open({.max = 200, .max_per_address = 200});
    EXPECT_EQ(let_in(open, address, 300, passes), 200u) << address;
    EXPECT_EQ(open.count(), 200u);
    passes.clear();
    EXPECT_EQ(open.count(), 0u);
  }
}

TEST(ConnectionGate, TakesZeroForANumber) {
  std::vector<ConnectionGate::Pass> passes;
  ConnectionGate nobody({.max = 0});
  EXPECT_EQ(let_in(nobody, "192.0.2.1", 3, passes), 0u);
  ConnectionGate sockets_alone({.max = 10, .max_per_address = 0});
  EXPECT_EQ(let_in(sockets_alone, "192.0.2.1", 3, passes), 0u);
  EXPECT_EQ(let_in(sockets_alone, "", 3, passes), 3u) << "a Unix socket has no address";
}

TEST(ConnectionGate, CountsNoProxies) {
  const auto is_proxy = [](const ConnectionGate::Address& address) { return address[15] == 9; };
  ConnectionGate gate({.max = 100, .max_per_address = 3}, is_proxy);
  std::vector<ConnectionGate::Pass> passes;
  EXPECT_EQ(let_in(gate, "192.0.2.9", 20, passes), 20u);
  EXPECT_EQ(let_in(gate, "2001:db8::9", 20, passes), 20u);
  EXPECT_EQ(let_in(gate, "192.0.2.8", 20, passes), 3u);
}

}  // namespace
}  // namespace cordon::transport
