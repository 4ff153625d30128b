#include "cordon/transport/http/http_listener.h"

#include <array>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/http_server.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/test_server.h"

namespace cordon::transport::http {
namespace {

using http::testing::RawClient;
using http::testing::TestServer;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(HttpListener, GivesEachThreadAsManyConnections) {
  const ListeningSocket socket = *ListeningSocket::open(*parse_http_address("127.0.0.1:0"));
  std::array<asio::io_context, 3> loops;
  std::vector<std::unique_ptr<HttpServer>> servers;
  std::vector<HttpServer*> all;
  for (asio::io_context& io : loops) {
    servers.push_back(std::make_unique<HttpServer>(io, HttpOptions{},
                                                   [](Exchange& exchange) -> asio::awaitable<void> {
                                                     const ResponseHead head;
                                                     co_await exchange.respond(head, "hello");
                                                   }));
    all.push_back(servers.back().get());
  }
  std::vector<std::unique_ptr<HttpListener>> listeners;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    listeners.push_back(
        std::make_unique<HttpListener>(loops[i], *socket.duplicate(), *servers[i], all));
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
  listeners.clear();
  servers.clear();
}

TEST(HttpListener, WaitsForRoomWithoutSpinning) {
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

TEST(HttpListener, ListensOnIpv6) {
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
}  // namespace cordon::transport::http
