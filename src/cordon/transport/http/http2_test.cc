// HTTP/2, with the clients that are everywhere.

#include <atomic>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/tls_server.h"

namespace cordon::transport::http {
namespace {

using http::testing::output_of;
using http::testing::TestServer;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

using Http2 = http::testing::TlsServerTest;

TEST_F(Http2, AnswersCurl) {
  EXPECT_EQ(curl("-w '%{http_version} ' " + url("/a") + " " + url("/b")), "hello2 hello2 ");
  EXPECT_EQ(curl(url("/peer")), "127.0.0.1 secure");
  EXPECT_THAT(curl("-i " + url("/a?b=c")),
              AllOf(HasSubstr("HTTP/2 200"), HasSubstr("x-target: /a?b=c\r\n"),
                    HasSubstr("\r\ndate: "), HasSubstr("content-length: 5\r\n")));
  EXPECT_THAT(curl("-I " + url("/a")),
              AllOf(HasSubstr("content-length: 5"), Not(HasSubstr("hello"))));
  EXPECT_THAT(curl("-I " + url("/echo")), HasSubstr("HTTP/2 200"));
  EXPECT_THAT(curl("-i " + url("/empty")),
              AllOf(HasSubstr("HTTP/2 204"), Not(HasSubstr("content-length"))));
}

TEST_F(Http2, CarriesLargeBodiesBothWays) {
  const std::string file = folder_ + "/data";
  output_of("head -c 20000000 /dev/urandom > " + file);
  const std::string sum = output_of("md5sum < " + file);
  for (const char* const target : {"/echo", "/echo-into"}) {
    EXPECT_EQ(curl("--data-binary @" + file + " " + url(target) + " | md5sum"), sum);
    // Without a length.
    EXPECT_EQ(curl("-T - " + url(target) + " < " + file + " | md5sum"), sum);
  }
  EXPECT_EQ(curl("--data-binary @" + file + " " + url("/count")), "20000000");
  EXPECT_EQ(curl(url("/large") + " | wc -c"), "8388608\n");
}

TEST_F(Http2, EndsAStreamThatFailedAndNotItsConnection) {
  std::string urls;
  for (const char* const target : {"/throw", "/nothing", "/half", "/a"}) urls += " " + url(target);
  // How many connections were made for each of them, too.
  EXPECT_EQ(curl("--no-show-error -w ' %{http_code} %{num_connects} %{exitcode}\n'" + urls),
            "500 Internal Server Error: no answer\n 500 1 0\n"
            "500 Internal Server Error: no answer\n 500 0 0\n"
            "half of it 200 0 92\n"
            "hello 200 0 0\n");
}

TEST_F(Http2, AnswersBeforeTheBodyHasCome) {
  output_of("head -c 8000000 /dev/zero > " + folder_ + "/data");
  const std::string upload = "--data-binary @" + folder_ + "/data ";
  // (curl 7.88 waits for ever where such an answer is no error, whichever the server: see
  // tests/interop/http2.mjs for those.)
  EXPECT_THAT(curl("-w ' %{http_code}' " + upload + url("/nothing")), HasSubstr("answer\n 500"));
  EXPECT_EQ(curl("-w ' %{http_code}' -H 'Expect: 100-continue' " + upload + url("/count")),
            "8000000 200");
  EXPECT_THAT(curl("-w ' %{http_code}' -H 'Expect: 200-ok' " + upload + url("/count")),
              HasSubstr("417"));
}

TEST_F(Http2, TellsAHandlerWhoseClientGoes) {
  curl("--max-time 0.3 " + url("/wait"));
  EXPECT_TRUE(TestServer::eventually([&] { return server_->aborted == 1; }));
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().load() == 0; }));
}

TEST_F(Http2, DrainsWithoutLosingARequest) {
  std::string seen;
  std::thread client([&] { seen = curl("-w ' %{http_code}' " + url("/wait")); });
  EXPECT_TRUE(TestServer::eventually([&] { return server_->entered == 1; }));
  server_->on_loop([&] { server_->server().drain(); });
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(server_->server().load(), 1U);
  server_->may_go_on = true;
  client.join();
  EXPECT_EQ(seen, "waited 200");
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().load() == 0; }));
}

TEST_F(Http2, EndsThoseWhoReadNothing) {
  HttpOptions options;
  options.limits.stall_timeout = 400ms;
  serve(options);
  // Its window is far larger than the answer: it is the socket that is full.
  std::atomic<bool> is_killed = false;
  std::thread client([&] {
    output_of("curl -s --limit-rate 1 --insecure " + url("/large") +
              " > /dev/null & client=$!; sleep 0.3; kill -STOP $client; sleep 3; kill -9 $client");
    is_killed = true;
  });
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().figures().stalled == 1; }));
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().load() == 0; }));
  EXPECT_FALSE(is_killed);
  EXPECT_EQ(server_->handled, 1);
  client.join();
}

TEST_F(Http2, EndsThoseWhoSayNothing) {
  HttpOptions options;
  options.limits.header_timeout = 200ms;
  serve(options);
  // A client of TLS that says nothing of HTTP/2.
  output_of("sleep 1 | timeout 5 openssl s_client -quiet -alpn h2 -connect 127.0.0.1:" +
            std::to_string(server_->port()));
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().load() == 0; }));
  EXPECT_EQ(server_->server().figures().stalled, 1U);
  EXPECT_EQ(server_->entered, 0);
}

}  // namespace
}  // namespace cordon::transport::http
