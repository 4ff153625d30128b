// HTTPS, with the clients that are everywhere.

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/test_server.h"
#include "cordon/transport/tls_context.h"

namespace cordon::transport::http {
namespace {

using http::testing::RawClient;
using http::testing::TestServer;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> room;
  while (const std::size_t size = fread(room.data(), 1, room.size(), pipe))
    text.append(room.data(), size);
  pclose(pipe);
  return text;
}

class HttpServerWithTls : public ::testing::Test {
 protected:
  HttpServerWithTls() {
    std::filesystem::create_directories(folder_);
    output_of(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
        key_ + " -out " + certificate_);
    HttpOptions options;
    options.header_timeout = 500ms;
    options.tls = *make_tls_context({.certificate = certificate_, .key = key_}, "http/1.1");
    server_ = std::make_unique<TestServer>(options);
  }
  ~HttpServerWithTls() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string url(const std::string& target) const {
    return "https://localhost:" + std::to_string(server_->port()) + target;
  }
  std::string curl(const std::string& arguments) const {
    return output_of("curl -sS --resolve '*:" + std::to_string(server_->port()) +
                     ":127.0.0.1' --cacert " + certificate_ + " " + arguments);
  }

  const std::string folder_ = ::testing::TempDir() + "/http_tls_" + std::to_string(getpid());
  const std::string certificate_ = folder_ + "/certificate.pem";
  const std::string key_ = folder_ + "/key.pem";
  std::unique_ptr<TestServer> server_;
};

TEST_F(HttpServerWithTls, AnswersCurl) {
  EXPECT_EQ(curl(url("/a") + " " + url("/b")), "hellohello");
  EXPECT_EQ(curl(url("/peer")), "127.0.0.1 secure");
  EXPECT_THAT(curl("--http2 -v " + url("/a")), HasSubstr("http/1.1"));
}

TEST_F(HttpServerWithTls, CarriesLargeBodiesBothWays) {
  const std::string file = folder_ + "/data";
  output_of("head -c 20000000 /dev/urandom > " + file);
  const std::string sum = output_of("md5sum < " + file);
  for (const char* const target : {"/echo", "/echo-into"}) {
    for (const char* const framing : {"", "-H 'Transfer-Encoding: chunked' "}) {
      EXPECT_EQ(output_of("curl -sS --resolve '*:" + std::to_string(server_->port()) +
                          ":127.0.0.1' --cacert " + certificate_ + " " + framing +
                          "--data-binary @" + file + " " + url(target) + " | md5sum"),
                sum);
    }
  }
  EXPECT_EQ(curl(url("/large") + " | wc -c"), "8388608\n");
}

TEST_F(HttpServerWithTls, SpeaksOneProtocolOnly) {
  const std::string connect =
      "true | openssl s_client -connect 127.0.0.1:" + std::to_string(server_->port()) + " -alpn ";
  EXPECT_THAT(output_of(connect + "http/1.1"), HasSubstr("ALPN protocol: http/1.1"));
  EXPECT_THAT(output_of(connect + "h2,http/1.1"), HasSubstr("ALPN protocol: http/1.1"));
  EXPECT_THAT(output_of(connect + "h2"), HasSubstr("no application protocol"));
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
  EXPECT_EQ(context.error().code, Errc::invalid_argument);
  EXPECT_THAT(context.error().detail, StartsWith("cannot use the certificate"));
}

}  // namespace
}  // namespace cordon::transport::http
