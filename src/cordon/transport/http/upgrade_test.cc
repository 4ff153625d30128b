// Requests that end HTTP on their connections.

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/upgraded.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::transport::http {
namespace {

using http::testing::RawClient;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::string_view head =
    " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n";

// Gives connections away, and then says what came behind their requests.
class UpgradingServer {
 public:
  explicit UpgradingServer(HttpOptions options = {})
      : server_(io_, std::move(options),
                [this](Exchange& exchange) -> asio::awaitable<void> { return handle(exchange); }) {
    acceptor_ = std::make_unique<Acceptor>(io_, *socket_.duplicate(), gate_,
                                           Balance{.own = server_, .all = {&server_}});
    thread_ = std::thread([this] { io_.run(); });
  }
  ~UpgradingServer() {
    io_.stop();
    thread_.join();
  }

  std::uint16_t port() const { return socket_.address().port; }
  HttpServer& server() { return server_; }
  const ConnectionGate& gate() const { return gate_; }
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 5'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    return condition();
  }
  void let_go() {
    asio::post(io_, [this] { kept_.reset(); });
  }

  std::atomic<int> refused = 0;

 private:
  asio::awaitable<void> handle(Exchange& exchange) {
    if (exchange.head().target == "/plain") {
      const ResponseHead plain{.status = 404, .headers = {}};
      co_await exchange.respond(plain, "no");
      co_return;
    }
    const ResponseHead answer{.status = 101, .headers = {{"upgrade", "shout"}}};
    kept_ = co_await exchange.upgrade(answer);
    if (!kept_) {
      ++refused;
      const ResponseHead plain{.status = 400, .headers = {}};
      co_await exchange.respond(plain, "cannot be");
      co_return;
    }
    const std::string text = "unread: " + kept_->unread;
    const BytesView piece(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    (void)kept_->stream.write({&piece, 1});
  }

  asio::io_context io_{1};
  const ListeningSocket socket_ = *ListeningSocket::open(*parse_http_address("127.0.0.1:0"));
  ConnectionGate gate_{ConnectionLimits()};
  std::unique_ptr<Upgraded> kept_;
  HttpServer server_;
  std::unique_ptr<Acceptor> acceptor_;
  std::thread thread_;
};

TEST(Upgrade, GivesTheConnectionAwayWithWhatCameBehindTheHead) {
  UpgradingServer server;
  RawClient client(server.port());
  client.send("GET /" + std::string(head) + "frames");
  const std::string answer = client.read_until("frames");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 101 Switching Protocols\r\nupgrade: shout\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nconnection: Upgrade\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nunread: frames"));
  // The server has it no more, but it still counts as a connection.
  EXPECT_TRUE(UpgradingServer::eventually([&] { return server.server().is_empty(); }));
  EXPECT_EQ(server.gate().count(), 1u);
  EXPECT_EQ(client.read_some(50ms), "");
  EXPECT_FALSE(client.has_ended);
  server.let_go();
  client.read_all();
  EXPECT_TRUE(client.has_ended);
  EXPECT_TRUE(UpgradingServer::eventually([&] { return server.gate().count() == 0; }));
}

TEST(Upgrade, IsNotForRequestsWithABodyOrOfHttp10) {
  UpgradingServer server;
  RawClient with_body(server.port());
  with_body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(with_body.read_until("cannot be"), StartsWith("HTTP/1.1 400 "));
  RawClient old(server.port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_until("cannot be"), StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(server.refused, 2);
}

TEST(Upgrade, LeavesOtherRequestsAsTheyAre) {
  UpgradingServer server;
  RawClient client(server.port());
  client.send("GET /plain" + std::string(head));
  EXPECT_THAT(client.read_until("no"), StartsWith("HTTP/1.1 404 "));
  client.send("GET /" + std::string(head));
  EXPECT_THAT(client.read_until("unread"), StartsWith("HTTP/1.1 101 "));
}

TEST(Upgrade, MayBeTheOnlyRequestOfAConnection) {
  HttpOptions options;
  options.keeps_alive = false;
  UpgradingServer server(options);
  RawClient client(server.port());
  client.send("GET /plain" + std::string(head) + "GET /plain" + std::string(head));
  const std::string answer = client.read_all();
  EXPECT_TRUE(client.has_ended);
  EXPECT_THAT(answer, HasSubstr("\r\nconnection: close\r\n"));
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos) << "the second is not answered";
}

}  // namespace
}  // namespace cordon::transport::http
