#include "cordon/server/runner_server.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/server/testing/running_runner.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/tls_server.h"
#include "cordon/transport/websocket/testing/client_frames.h"

namespace cordon::server {
namespace {

using testing::execute;
using testing::options_of;
using testing::Running;

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using transport::http::testing::RawClient;
using transport::websocket::Opcode;
using transport::websocket::testing::bytes_of;
using transport::websocket::testing::client_frame;

constexpr std::string_view upgrade =
    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

TEST(RunnerServer, ServesSessionsAsLines) {
  Running running;
  RawClient client = running.connect();
  client.send(execute("(await tools.a(1)) + 1") + "\n");
  EXPECT_THAT(client.read_until("tool_call"), HasSubstr("started"));
  client.send(R"({"type":"tool_result","callId":"call-1","ok":true,"result":41})"
              "\n");
  EXPECT_THAT(client.read_all(), HasSubstr(R"("result":42)"));
  EXPECT_TRUE(client.has_ended);
}

TEST(RunnerServer, ServesSessionsOnWebSockets) {
  Running running;
  RawClient client = running.connect(1);
  client.send(upgrade);
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  client.send(client_frame({.payload = execute("(await tools.a(1)) + 1")}));
  client.read_until("tool_call");
  client.send(client_frame(
      {.payload = R"({"type":"tool_result","callId":"call-1","ok":true,"result":41})"}));
  EXPECT_THAT(client.read_until(bytes_of({0x88, 2, 0x03, 0xe8})), HasSubstr(R"("result":42)"));
  client.send(client_frame({.opcode = Opcode::close, .payload = bytes_of({0x03, 0xe8})}));
  client.read_all();
  EXPECT_TRUE(client.has_ended);
}

// The first message may come with the request, before its answer.
TEST(RunnerServer, TakesFramesThatCameWithTheUpgrade) {
  Running running;
  RawClient client = running.connect(1);
  client.send(std::string(upgrade) + client_frame({.payload = execute("6 * 7")}));
  EXPECT_THAT(client.read_until("42"), HasSubstr(R"("result":42)"));
}

TEST(RunnerServer, ReadsTheRequestOfAWebSocketAsStrictlyAsAnyOther) {
  Running running;
  const std::pair<std::string, const char*> wrong[] = {
      {"GET / HTTP/1.1\nHost: a\n\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", "HTTP/1.1 400 "},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", "HTTP/1.1 431 "},
      {"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 400 "},
  };
  for (const auto& [request, status] : wrong) {
    RawClient client = running.connect(1);
    client.send(request);
    EXPECT_THAT(client.read_all(), StartsWith(status)) << request.substr(0, 60);
  }
}

TEST(RunnerServer, EndsAConnectionWithARefusal) {
  Running running;
  RawClient client = running.connect(1);
  client.send("GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(upgrade));
  const std::string answer = client.read_all();
  EXPECT_TRUE(client.has_ended);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(answer, HasSubstr("connection: close"));
  EXPECT_THAT(answer, Not(HasSubstr("101")));
}

TEST(RunnerServer, GivesHandshakesTheirTime) {
  RunnerServerOptions options = options_of({"ws://127.0.0.1:0/"});
  options.header_timeout = 100ms;
  Running running(options);
  RawClient slow = running.connect();
  slow.send("GET / HTTP/1.1\r\nHos");
  EXPECT_THAT(slow.read_all(), StartsWith("HTTP/1.1 408 "));
  EXPECT_TRUE(slow.has_ended);
}

TEST(RunnerServer, HasOneLimitForAllItsListeners) {
  RunnerServerOptions options = options_of({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"});
  options.connections.max = 2;
  Running running(options);
  RawClient lines = running.connect(0);
  lines.send(execute("await tools.a(1)") + "\n");
  lines.read_until("tool_call");
  RawClient websocket = running.connect(1);
  websocket.send(upgrade);
  EXPECT_THAT(websocket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
  RawClient third = running.connect(1);
  EXPECT_THAT(third.read_all(), StartsWith("HTTP/1.1 503 "));
  RawClient fourth = running.connect(0);
  EXPECT_EQ(fourth.read_all(), "");
  EXPECT_TRUE(fourth.has_ended);
}

TEST(RunnerServer, LetsSessionsFinishWhenItStops) {
  Running running;
  RawClient idle = running.connect(0);
  RawClient lines = running.connect(0);
  RawClient websocket = running.connect(1);
  lines.send(execute("await tools.a(1)") + "\n");
  lines.read_until("tool_call");
  websocket.send(std::string(upgrade) + client_frame({.payload = execute("await tools.a(1)")}));
  websocket.read_until("tool_call");
  running.server->stop();
  idle.read_all();
  EXPECT_TRUE(idle.has_ended);
  const std::string result = R"({"type":"tool_result","callId":"call-1","ok":true,"result":41})";
  lines.send(result + "\n");
  EXPECT_THAT(lines.read_until("}\n"), HasSubstr(R"("result":41)"));
  lines.close();
  websocket.send(client_frame({.payload = result}));
  EXPECT_THAT(websocket.read_until("41"), HasSubstr(R"("result":41)"));
  websocket.close();
  running.wait();
}

TEST(RunnerServer, EndsSessionsAfterTheirGrace) {
  RunnerServerOptions options = options_of({"tcp:127.0.0.1:0"});
  options.grace = 50ms;
  Running running(options);
  RawClient client = running.connect();
  client.send(execute("await tools.a(1)") + "\n");
  client.read_until("tool_call");
  running.server->stop();
  EXPECT_THAT(client.read_all(), HasSubstr(R"("code":"timeout")"));
  running.wait();
}

TEST(RunnerServer, NeedsAThreadAndAnAddressOfItsOwn) {
  RunnerServerOptions none = options_of({"tcp:127.0.0.1:0"});
  none.threads = 0;
  EXPECT_EQ(RunnerServer::create(none).error().code, ErrorCode::invalid_argument);
  const Running first(options_of({"tcp:127.0.0.1:0"}));
  const auto second = RunnerServer::create(options_of({first.server->addresses().front()}));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::io);
}

// With a certificate.
class RunnerServerWithTls : public ::testing::Test {
 protected:
  RunnerServerWithTls() {
    std::filesystem::create_directories(folder_);
    make("first");
    options_.tls = {folder_ + "/first.pem", folder_ + "/first.key"};
    options_.header_timeout = 300ms;
  }
  ~RunnerServerWithTls() override { std::filesystem::remove_all(folder_); }

  void make(const std::string& name) const {
    transport::http::testing::output_of(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=" +
        name + " -keyout " + folder_ + "/" + name + ".key -out " + folder_ + "/" + name + ".pem");
  }
  // Whose certificate new connections are shown.
  static std::string shown_by(const Running& running, std::size_t listener) {
    std::string address = running.server->addresses().at(listener);
    if (address.ends_with('/')) address.pop_back();
    return transport::http::testing::output_of(
        "true | openssl s_client -connect 127.0.0.1:" + address.substr(address.rfind(':') + 1) +
        " 2>&1 | grep subject");
  }

  const std::string folder_ = ::testing::TempDir() + "/runner_tls_" + std::to_string(getpid());
  RunnerServerOptions options_ = options_of({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"});
};

TEST_F(RunnerServerWithTls, TakesANewCertificateForNewConnections) {
  options_.header_timeout = 10s;
  Running running(options_);
  for (const std::size_t listener : {0u, 1u})
    EXPECT_THAT(shown_by(running, listener), HasSubstr("first"));

  std::ofstream(folder_ + "/first.key") << "no key";
  EXPECT_EQ(running.server->reload_tls().error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(shown_by(running, 0), HasSubstr("first"));

  make("second");
  for (const char* const kind : {".pem", ".key"}) {
    std::filesystem::copy_file(folder_ + "/second" + kind, folder_ + "/first" + kind,
                               std::filesystem::copy_options::overwrite_existing);
  }
  EXPECT_TRUE(running.server->reload_tls());
  // Both threads hear of it.
  std::this_thread::sleep_for(100ms);
  for (const std::size_t listener : {0u, 1u})
    EXPECT_THAT(shown_by(running, listener), HasSubstr("second"));
}

TEST_F(RunnerServerWithTls, GivesHandshakesTheirTime) {
  Running running(options_);
  for (const std::size_t listener : {0u, 1u}) {
    RawClient silent = running.connect(listener);
    silent.read_all();
    EXPECT_TRUE(silent.has_ended) << listener;
  }
}

TEST_F(RunnerServerWithTls, HasNothingToReloadWithoutACertificate) {
  Running running;
  EXPECT_TRUE(running.server->reload_tls());
}

}  // namespace
}  // namespace cordon::server
