#include "cordon/server/operations_server.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/raw_client.h"

namespace cordon::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transport::http::testing::RawClient;

class OperationsServerTest : public ::testing::Test {
 protected:
  std::uint16_t port() const {
    const std::string& url = server_->url();
    return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  }
  std::string ask(const std::string& method, const std::string& target) const {
    RawClient client(port());
    client.send(method + " " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    return client.read_all();
  }

  std::unique_ptr<OperationsServer> server_ =
      *OperationsServer::create("127.0.0.1:0", [] { return std::string("cordon_up 1\n"); });
};

TEST_F(OperationsServerTest, IsHealthyAtOnceAndReadyWhenItIsToldSo) {
  EXPECT_THAT(ask("GET", "/healthz"), EndsWith("\r\n\r\nok\n"));
  EXPECT_THAT(ask("GET", "/readyz"), StartsWith("HTTP/1.1 503 "));
  server_->set_ready(true);
  EXPECT_THAT(ask("GET", "/readyz"), EndsWith("\r\n\r\nready\n"));
  server_->set_ready(false);
  EXPECT_THAT(ask("GET", "/readyz"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(OperationsServerTest, GivesItsFiguresAsText) {
  const std::string answer = ask("GET", "/metrics?from=somewhere");
  EXPECT_THAT(answer, HasSubstr("content-type: text/plain; version=0.0.4"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\ncordon_up 1\n"));
  EXPECT_THAT(ask("HEAD", "/metrics"), EndsWith("\r\n\r\n"));
}

TEST_F(OperationsServerTest, KnowsNoOtherMethodsAndPaths) {
  EXPECT_THAT(ask("POST", "/metrics"), HasSubstr("\r\nallow: GET, HEAD\r\n"));
  EXPECT_THAT(ask("GET", "/"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(OperationsServerTest, LetsAHundredIn) {
  std::vector<RawClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(port());
    clients.back().send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_THAT(clients.back().read_until("ok\n"), HasSubstr("200"));
  }
  EXPECT_THAT(ask("GET", "/healthz"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(OperationsServerTest, EndsWhoeverIsConnectedWhenItGoes) {
  RawClient idle(port());
  idle.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  idle.read_until("ok\n");
  RawClient slow(port());
  slow.send("GET /healthz HT");
  server_.reset();
  idle.read_all();
  EXPECT_TRUE(idle.has_ended);
  slow.read_all();
  EXPECT_TRUE(slow.has_ended);
}

TEST(OperationsServer, SaysWhereItCannotListen) {
  EXPECT_FALSE(OperationsServer::create("nowhere", [] { return std::string(); }));
  const auto first = *OperationsServer::create("127.0.0.1:0", [] { return std::string(); });
  const std::string address = first->url().substr(first->url().rfind('/') + 1);
  EXPECT_FALSE(OperationsServer::create(address, [] { return std::string(); }));
}

}  // namespace
}  // namespace cordon::server
