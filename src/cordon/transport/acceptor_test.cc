#include "cordon/transport/acceptor.h"

#include <array>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/test_server.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::transport {
namespace {

namespace asio = boost::asio;
using http::testing::RawClient;
using http::testing::TestServer;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// Keeps what it is given.
class Keeper final : public Adopter {
 public:
  std::size_t load() const override { return arrivals.size(); }
  void adopt(Arrival arrival) override { arrivals.push_back(std::move(arrival)); }
  void turn_away(Descriptor) override { ++turned_away; }

  std::vector<Arrival> arrivals;
  std::size_t turned_away = 0;
};

// Acceptors and their services on the test's own thread.
class AcceptorTest : public ::testing::Test {
 protected:
  // Runs the loop until nothing has happened for a while.
  void settle() {
    io_.restart();
    while (io_.run_for(20ms) > 0) io_.restart();
  }
  RawClient connect() {
    RawClient client(socket_.address().port);
    settle();
    return client;
  }

  asio::io_context io_{1};
  const ListeningSocket socket_ = *ListeningSocket::open(*parse_http_address("127.0.0.1:0"));
  ConnectionGate gate_{ConnectionLimits{.max = 6}};
};

TEST_F(AcceptorTest, GivesAConnectionToTheServiceThatHasFewest) {
  Keeper own;
  Keeper other;
  const Acceptor acceptor(io_, *socket_.duplicate(), gate_, {.own = own, .all = {&own, &other}});
  std::vector<RawClient> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(connect());
  EXPECT_EQ(own.arrivals.size(), 3u);
  EXPECT_EQ(other.arrivals.size(), 3u);
}

TEST_F(AcceptorTest, KeepsItsOwnUnlessAnotherServiceHasManyFewer) {
  Keeper own;
  Keeper other;
  const Acceptor acceptor(io_, *socket_.duplicate(), gate_,
                          {.own = own, .all = {&own, &other}, .slack = 3});
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(connect());
  EXPECT_EQ(own.arrivals.size(), 4u);
  EXPECT_EQ(other.arrivals.size(), 1u);
}

TEST_F(AcceptorTest, TurnsAwayWhomTheGateDoesNotLetIn) {
  Keeper own;
  const Acceptor acceptor(io_, *socket_.duplicate(), gate_, {.own = own, .all = {&own}});
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(connect());
  EXPECT_EQ(own.arrivals.size(), 6u);
  EXPECT_EQ(own.turned_away, 2u);
  clients.back().read_all();
  EXPECT_TRUE(clients.back().has_ended);
  own.arrivals.clear();
  EXPECT_EQ(gate_.count(), 0u) << "a pass goes with its connection";
}

TEST_F(AcceptorTest, HandsOverSocketsThatNeitherWaitNorHoldMessagesBack) {
  Keeper own;
  const Acceptor acceptor(io_, *socket_.duplicate(), gate_, {.own = own, .all = {&own}});
  const RawClient client = connect();
  ASSERT_EQ(own.arrivals.size(), 1u);
  const int descriptor = own.arrivals[0].descriptor.number();
  EXPECT_NE(fcntl(descriptor, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
  EXPECT_NE(no_delay, 0);
  EXPECT_EQ(own.arrivals[0].peer.ss_family, AF_INET);
}

TEST_F(AcceptorTest, AcceptsNoMoreOnceItIsGone) {
  Keeper own;
  {
    const Acceptor acceptor(io_, *socket_.duplicate(), gate_, {.own = own, .all = {&own}});
    settle();
  }
  const RawClient late = connect();
  EXPECT_TRUE(own.arrivals.empty());
}

TEST(Acceptor, GivesEachThreadAsManyConnections) {
  const ListeningSocket socket = *ListeningSocket::open(*parse_http_address("127.0.0.1:0"));
  ConnectionGate gate{ConnectionLimits()};
  std::array<asio::io_context, 3> loops;
  std::vector<std::unique_ptr<http::HttpServer>> servers;
  std::vector<Adopter*> all;
  for (asio::io_context& io : loops) {
    servers.push_back(std::make_unique<http::HttpServer>(
        io, http::HttpOptions{}, [](http::Exchange& exchange) -> asio::awaitable<void> {
          const http::ResponseHead head;
          co_await exchange.respond(head, "hello");
        }));
    all.push_back(servers.back().get());
  }
  std::vector<std::unique_ptr<Acceptor>> acceptors;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    acceptors.push_back(std::make_unique<Acceptor>(loops[i], *socket.duplicate(), gate,
                                                   Balance{.own = *servers[i], .all = all}));
    threads.emplace_back([&io = loops[i]] { io.run(); });
  }
  std::vector<RawClient> clients;
  for (int i = 0; i < 30; ++i) {
    clients.emplace_back(socket.address().port);
    clients.back().send(request);
    EXPECT_THAT(clients.back().read_until("hello"), HasSubstr("hello"));
  }
  for (const auto& server : servers) EXPECT_EQ(server->load(), 10u);
  for (asio::io_context& io : loops) io.stop();
  for (std::thread& thread : threads) thread.join();
  acceptors.clear();
  servers.clear();
}

TEST(Acceptor, WaitsForRoomWithoutSpinning) {
  TestServer server;
  RawClient client(server.port());
  client.send(request);
  EXPECT_THAT(client.read_until("hello"), HasSubstr("hello"));

  RawClient late(server.port(), 0);
  EXPECT_TRUE(TestServer::eventually([&] { return server.server().load() == 2; }));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  // The next socket still gets a number; what accepts it does not.
  const int free_number = fcntl(client.descriptor(), F_DUPFD_CLOEXEC, 0);
  close(free_number);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(free_number) + 1;
  setrlimit(RLIMIT_NOFILE, &tight);
  RawClient refused(server.port());
  refused.send(request);
  const std::clock_t start = std::clock();
  EXPECT_EQ(refused.read_some(300ms), "");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LT(seconds, 0.1);
  EXPECT_THAT(refused.read_until("hello"), HasSubstr("hello"));
}

TEST(Acceptor, ListensOnIpv6) {
  const Result<ListeningSocket> probe = ListeningSocket::open(*parse_http_address("[::1]:0"));
  if (!probe) GTEST_SKIP() << "no IPv6 here: " << probe.error();
  const TestServer server({}, "tcp:[::1]:0");
  const std::string command =
      "curl -sS -g http://[::1]:" + std::to_string(server.port()) + "/peer 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 256> text{};
  const std::size_t size = fread(text.data(), 1, text.size(), pipe);
  pclose(pipe);
  EXPECT_EQ(std::string(text.data(), size), "::1 plain");
}

}  // namespace
}  // namespace cordon::transport
