// HTTPS, with the clients that are everywhere.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/tls_server.h"

namespace cordon::transport::http {
namespace {

using http::testing::output_of;
using http::testing::RawClient;
using http::testing::TestServer;
using HttpServerWithTls = http::testing::TlsServerTest;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(HttpServerWithTls, AnswersCurl) {
  EXPECT_EQ(curl("--http1.1 " + url("/a") + " " + url("/b")), "hellohello");
  EXPECT_EQ(curl(url("/peer")), "127.0.0.1 secure");
  EXPECT_THAT(curl("--http1.1 -v " + url("/a")), HasSubstr("HTTP/1.1 200"));
  // Without ALPN it is HTTP/1.1, whatever a client would rather have.
  EXPECT_THAT(curl("--http2 --no-alpn -v " + url("/a")), HasSubstr("HTTP/1.1 200"));
}

TEST_F(HttpServerWithTls, CarriesLargeBodiesBothWays) {
  const std::string file = folder_ + "/data";
  output_of("head -c 20000000 /dev/urandom > " + file);
  const std::string sum = output_of("md5sum < " + file);
  for (const char* const target : {"/echo", "/echo-into"}) {
    for (const char* const framing : {"", "-H 'Transfer-Encoding: chunked' "}) {
      EXPECT_EQ(output_of("curl -sS --http1.1 --resolve '*:" + std::to_string(server_->port()) +
                          ":127.0.0.1' --cacert " + certificate_ + " " + framing +
                          "--data-binary @" + file + " " + url(target) + " | md5sum"),
                sum);
    }
  }
  EXPECT_EQ(curl("--http1.1 " + url("/large") + " | wc -c"), "8388608\n");
}

TEST_F(HttpServerWithTls, SpeaksTheBestThatItsClientOffers) {
  const std::string connect =
      "true | openssl s_client -connect 127.0.0.1:" + std::to_string(server_->port()) + " -alpn ";
  EXPECT_THAT(output_of(connect + "http/1.1"), HasSubstr("ALPN protocol: http/1.1"));
  EXPECT_THAT(output_of(connect + "http/1.1,h2"), HasSubstr("ALPN protocol: h2"));
  EXPECT_THAT(output_of(connect + "h2"), HasSubstr("ALPN protocol: h2"));
  EXPECT_THAT(output_of(connect + "h3"), HasSubstr("no application protocol"));
  EXPECT_THAT(output_of(connect + "http/1.1 -tls1_1"), HasSubstr("alert protocol version"));
}

TEST_F(HttpServerWithTls, EndsThoseWhoSpeakPlainlyOrNotAtAll) {
  RawClient plain(server_->port());
  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(plain.read_all(), Not(HasSubstr("200")));
  EXPECT_TRUE(plain.has_ended);
  RawClient silent(server_->port());
  silent.read_all();
  EXPECT_TRUE(silent.has_ended);
  EXPECT_EQ(server_->entered, 0);
  EXPECT_TRUE(TestServer::eventually([&] { return server_->server().load() == 0; }));
}

TEST(TlsContext, SaysWhatIsWrongWithItsFiles) {
  const auto context = make_tls_context({.certificate = "/nowhere", .key = "/nowhere"});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(context.error().message, StartsWith("cannot use the certificate"));
}

}  // namespace
}  // namespace cordon::transport::http
