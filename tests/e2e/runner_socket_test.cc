// `cordon runner --listen`: sessions over sockets, who is let in, what is closed, how it ends.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "../conformance/execbox_host.h"
#include "conversation.h"
#include "process.h"
#include "socket_peer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using conformance::cancel_line;
using conformance::execute_line;
using conformance::result_line;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// A runner that listens, and where.
class Server {
 public:
  explicit Server(std::vector<std::string> listen, std::vector<std::string> options = {})
      : conversation_(cordon_program(), arguments(listen, std::move(options))) {
    for (std::size_t i = 0; i < listen.size(); ++i)
      addresses.push_back(conversation_.receive().value_or("it ended"));
  }

  const std::string& address() const { return addresses.at(0); }
  void signal(int number) { kill(conversation_.process(), number); }
  int wait() { return conversation_.wait(); }
  pid_t process() const { return conversation_.process(); }

  std::vector<std::string> addresses;

 private:
  static std::vector<std::string> arguments(const std::vector<std::string>& listen,
                                            std::vector<std::string> options) {
    options.insert(options.begin(), "runner");
    for (const std::string& address : listen) {
      options.emplace_back("--listen");
      options.push_back(address);
    }
    return options;
  }

  Conversation conversation_;
};

Value message(SocketPeer& peer) {
  const std::optional<std::string> line = peer.receive();
  if (!line) throw std::runtime_error("the connection ended");
  return *from_json(*line);
}

// An execution with one call, from its beginning to the end of the connection.
void expect_session(SocketPeer& peer) {
  ASSERT_TRUE(peer.send(execute_line({.code = "(await tools.echo(41)) + 1"})));
  EXPECT_EQ(message(peer)["type"], "started");
  const Value call = message(peer);
  EXPECT_EQ(call["type"], "tool_call");
  ASSERT_TRUE(peer.send(result_line(call["callId"], Value(41))));
  const Value done = message(peer);
  EXPECT_EQ(done["result"], Value(42)) << *to_json(done);
  EXPECT_TRUE(peer.is_closed(5s)) << "after done there is nothing to come";
}

std::string as_tcp(const std::string& url) {
  const std::size_t start = url.find("//") + 2;
  return "tcp:" + url.substr(start, url.find('/', start) - start);
}

TEST(RunnerSocket, ServesASessionOnEveryKindOfSocket) {
  const Folder folder;
  Server server({"unix:" + folder.path() + "/s", "tcp:127.0.0.1:0", "ws://127.0.0.1:0/runner"});
  EXPECT_EQ(server.addresses.at(0), "unix:" + folder.path() + "/s");
  EXPECT_THAT(server.addresses.at(1), MatchesRegex("tcp:127.0.0.1:[0-9]+"));
  EXPECT_THAT(server.addresses.at(2), MatchesRegex("ws://127.0.0.1:[0-9]+/runner"));
  SocketPeer over_unix(server.addresses.at(0));
  expect_session(over_unix);
  SocketPeer over_tcp(server.addresses.at(1));
  expect_session(over_tcp);
  SocketPeer over_websocket(as_tcp(server.addresses.at(2)));
  EXPECT_THAT(over_websocket.upgrade("/runner"), HasSubstr(" 101 "));
  expect_session(over_websocket);
}

TEST(RunnerSocket, SpeaksTls) {
  const Folder folder;
  const TestCertificate pem = make_certificate();
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"},
                {"--tls-cert", folder.file("cert.pem", pem.certificate), "--tls-key",
                 folder.file("key.pem", pem.key)});
  EXPECT_THAT(server.addresses.at(1), StartsWith("wss://"));
  SocketPeer over_tls(server.addresses.at(0));
  over_tls.start_tls();
  expect_session(over_tls);
  SocketPeer over_websocket(as_tcp(server.addresses.at(1)));
  over_websocket.start_tls();
  EXPECT_THAT(over_websocket.upgrade("/"), HasSubstr(" 101 "));
  expect_session(over_websocket);
  SocketPeer plain(server.addresses.at(0));
  plain.send(execute_line({.code = "1"}));
  EXPECT_TRUE(plain.is_closed(5s));
}

TEST(RunnerSocket, ReadsItsCertificateAgainAtSighup) {
  const Folder folder;
  const TestCertificate first = make_certificate();
  const TestCertificate second = make_certificate();
  const std::string certificate = folder.file("cert.pem", first.certificate);
  const std::string key = folder.file("key.pem", first.key);
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"},
                {"--tls-cert", certificate, "--tls-key", key});
  const auto shown_at = [](const std::string& address) {
    SocketPeer peer(address);
    peer.start_tls();
    return peer.certificate();
  };
  const std::string websocket = as_tcp(server.addresses.at(1));
  SocketPeer early(server.address());
  early.start_tls();
  EXPECT_EQ(early.certificate(), first.certificate);

  folder.file("key.pem", "nonsense");
  server.signal(SIGHUP);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(shown_at(server.address()), first.certificate) << "wrong files change nothing";

  folder.file("cert.pem", second.certificate);
  folder.file("key.pem", second.key);
  server.signal(SIGHUP);
  const auto start = Clock::now();
  while (shown_at(server.address()) != second.certificate && Clock::now() - start < 5s)
    std::this_thread::sleep_for(1ms);
  // Each thread has heard of it a moment later.
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(shown_at(server.address()), second.certificate);
  EXPECT_EQ(shown_at(websocket), second.certificate);
  expect_session(early);
}

TEST(RunnerSocket, AsksForItsToken) {
  setenv("RUNNER_TEST_TOKEN", "open sesame", 1);
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"}, {"--token-env", "RUNNER_TEST_TOKEN"});
  SocketPeer friendly(server.address());
  friendly.send(R"({"type":"auth","token":"open sesame"})");
  expect_session(friendly);
  for (const char* first : {R"({"type":"auth","token":"open sesam"})", R"({"type":"auth"})",
                            R"({"type":"auth","token":"open sesame!"})",
                            R"({"type":"auth","token":["open sesame"]})", "open sesame", "{}"}) {
    SocketPeer stranger(server.address());
    stranger.send(first);
    EXPECT_TRUE(stranger.is_closed(5s)) << first;
  }
  SocketPeer verbose(server.address());
  verbose.send(R"({"type":"auth","token":"open sesame","more":")" + std::string(100'000, 'x') +
               "\"}");
  EXPECT_TRUE(verbose.is_closed(5s)) << "a stranger's line is short";
  SocketPeer hasty(server.address());
  hasty.send(execute_line({.code = "1"}));
  EXPECT_TRUE(hasty.is_closed(5s));

  const std::string websocket = as_tcp(server.addresses.at(1));
  SocketPeer without(websocket);
  EXPECT_THAT(without.upgrade("/"), HasSubstr(" 401 "));
  SocketPeer wrong(websocket);
  EXPECT_THAT(wrong.upgrade("/", {"Authorization: Bearer open"}), HasSubstr(" 401 "));
  SocketPeer short_one(websocket);
  EXPECT_THAT(short_one.upgrade("/", {"Authorization: Bear"}), HasSubstr(" 401 "));
  SocketPeer lower(websocket);
  EXPECT_THAT(lower.upgrade("/", {"Authorization: bearer open sesame"}), HasSubstr(" 101 "));
  SocketPeer right(websocket);
  EXPECT_THAT(right.upgrade("/", {"Authorization: Bearer open sesame"}), HasSubstr(" 101 "));
  expect_session(right);
}

TEST(RunnerSocket, LetsNoPageInUnlessItsOriginIsAllowed) {
  Server server({"ws://127.0.0.1:0/runner"}, {"--allow-origin", "https://app.example"});
  const std::string address = as_tcp(server.address());
  SocketPeer page(address);
  EXPECT_THAT(page.upgrade("/runner", {"Origin: https://evil.example"}), HasSubstr(" 403 "));
  SocketPeer nobody(address);
  EXPECT_THAT(nobody.upgrade("/runner", {"Origin: null"}), HasSubstr(" 403 "));
  SocketPeer allowed(address);
  EXPECT_THAT(allowed.upgrade("/runner", {"Origin: https://app.example"}), HasSubstr(" 101 "));
  expect_session(allowed);
  SocketPeer elsewhere(address);
  EXPECT_THAT(elsewhere.upgrade("/"), HasSubstr(" 404 "));
  SocketPeer plain(address);
  plain.send_bytes("GET /runner HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(plain.receive().value_or(""), HasSubstr(" 426 "));
}

// A proxy may look at the one, and the runner at the other.
TEST(RunnerSocket, RefusesWebSocketsWithTwoOfWhatThereIsOneOf) {
  setenv("RUNNER_TEST_TOKEN", "open sesame", 1);
  Server server({"ws://127.0.0.1:0/"},
                {"--token-env", "RUNNER_TEST_TOKEN", "--allow-origin", "https://app.example"});
  const std::string right = "Authorization: Bearer open sesame";
  const std::string ours = "Origin: https://app.example";
  const std::vector<std::vector<std::string>> twice = {
      {right, "Authorization: Bearer other"},
      {"Authorization: Bearer other", right},
      {right, right},
      {right, ours, "Origin: https://evil.example"},
      {right, ours, ours},
      {right, "Host: elsewhere"},
      {right, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="},
      {right, "Sec-WebSocket-Version: 8"},
      {right, "Content-Length: 5"},
      {right, "Transfer-Encoding: chunked"}};
  for (const std::vector<std::string>& headers : twice) {
    SocketPeer peer(as_tcp(server.address()));
    EXPECT_THAT(peer.upgrade("/", headers), HasSubstr(" 400 ")) << headers.back();
  }
  SocketPeer without_host(as_tcp(server.address()));
  without_host.send_bytes(
      "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
      "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
      right + "\r\n\r\n");
  EXPECT_THAT(without_host.receive().value_or(""), HasSubstr(" 400 "));
  SocketPeer in_the_query(as_tcp(server.address()));
  EXPECT_THAT(in_the_query.upgrade("/?token=open%20sesame"), HasSubstr(" 401 "));
}

// What a page's form or fetch() sends to any port: its body is the page's, line by line.
TEST(RunnerSocket, RunsNothingForAWebPage) {
  const Folder folder;
  Server server({"tcp:127.0.0.1:0", "unix:" + folder.path() + "/s"});
  const std::string execute = execute_line({.code = "1"}) + "\n";
  const std::string post =
      "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nOrigin: "
      "https://evil.example\r\nContent-Length: " +
      std::to_string(execute.size()) + "\r\n\r\n" + execute;
  for (const std::string& address : server.addresses) {
    for (const std::string& bytes :
         {post, "GET /" + execute, "\n" + execute, "[]\n" + execute, "{\n" + execute,
          "\"\"\n" + execute, "{} {}\n" + execute, " 5\n" + execute}) {
      SocketPeer page(address);
      page.send_bytes(bytes);
      std::optional<std::string> answer;
      EXPECT_NO_THROW(answer = page.receive()) << "it is closed at once: " << bytes;
      EXPECT_EQ(answer, std::nullopt) << bytes;
    }
    SocketPeer silent(address);
    silent.send_bytes("POST / HTTP/1.1");
    EXPECT_TRUE(silent.is_closed(5s)) << "a line end is not waited for";
    SocketPeer host(address);
    host.send_bytes("  {}\nnoise\n");
    expect_session(host);
  }
}

TEST(RunnerSocket, TakesAMessageOverManyFramesAndLines) {
  Server server({"ws://127.0.0.1:0/"});
  SocketPeer peer(as_tcp(server.address()));
  peer.upgrade("/");
  std::string pretty = execute_line({.code = "'" + std::string(100'000, 'x') + "'.length"});
  pretty.insert(1, "\n  ");
  peer.send(pretty);
  EXPECT_EQ(message(peer)["type"], "started");
  EXPECT_EQ(message(peer)["result"], Value(100'000));
}

TEST(RunnerSocket, OutlivesItsTerminal) {
  Server server({"tcp:127.0.0.1:0"});
  server.signal(SIGHUP);
  SocketPeer peer(server.address());
  peer.send(execute_line({.code = "6 * 7"}));
  EXPECT_EQ(message(peer)["type"], "started");
  EXPECT_EQ(message(peer)["result"], Value(42));
}

TEST(RunnerSocket, DemandsATokenOffLoopback) {
  for (const char* address : {"tcp:0.0.0.0:0", "ws://[::]:0/"}) {
    const Ended ended = run(cordon_program(), {.arguments = {"runner", "--listen", address}});
    EXPECT_EQ(ended.exit_code, 64) << address;
    EXPECT_THAT(ended.errors, HasSubstr("--token-env"));
  }
  const Ended unset = run(cordon_program(), {.arguments = {"runner", "--listen", "tcp:0.0.0.0:0",
                                                           "--token-env", "NO_SUCH_VARIABLE"}});
  EXPECT_EQ(unset.exit_code, 64);
}

TEST(RunnerSocket, RefusesWrongUsage) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--listen", "nowhere"},
      {"--listen", "tcp:1:2:3"},
      {"--listen", "wss://127.0.0.1:0/"},
      {"--threads", "2"},
      {"--token-env", "HOME"},
      {"--max-timeout", "0"},
      {"--max-timeout", "-1"},
      {"--max-memory", "5GiB"},
      {"--values", "loose"},
      {"--max-message", "x"},
      {"--listen", "unix:/tmp/x", "--tls-cert", "a"},
      {"--listen", "tcp:0", "--tls-cert", "/nonexistent", "--tls-key", "/nonexistent"},
      {"--max-timeout", ""},
      {"--max-memory", ""},
      {"--listen", ""},
      {"--listen", "tcp:0", "--token-env", ""},
      {"--listen", "tcp:0", "--tls-cert", "", "--tls-key", ""},
      {"surplus"}};
  for (std::vector<std::string> arguments : wrong) {
    arguments.insert(arguments.begin(), "runner");
    const Ended ended = run(cordon_program(), {.arguments = arguments});
    EXPECT_EQ(ended.exit_code, 64) << arguments.back();
    EXPECT_EQ(ended.output, "");
    EXPECT_NE(ended.errors, "");
  }
}

TEST(RunnerSocket, KeepsItsUnixSocketForItsOwner) {
  const Folder folder;
  const std::string path = folder.path() + "/s";
  {
    Server first({"unix:" + path});
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    const Ended second =
        run(cordon_program(), {.arguments = {"runner", "--listen", "unix:" + path}});
    EXPECT_EQ(second.exit_code, 70) << "it is in use";
    first.signal(SIGKILL);
    EXPECT_EQ(first.wait(), -SIGKILL);
  }
  EXPECT_TRUE(std::filesystem::exists(path)) << "it was left";
  Server next({"unix:" + path});
  SocketPeer peer("unix:" + path);
  expect_session(peer);
  next.signal(SIGTERM);
  EXPECT_EQ(next.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RunnerSocket, EndsTheGuestWithItsConnection) {
  const Folder folder;
  Server server({"unix:" + folder.path() + "/s"}, {"--max-sessions", "1", "--threads", "1"});
  {
    SocketPeer gone(server.address());
    gone.send(execute_line({.code = "for (;;);", .timeout_ms = 60000}));
    message(gone);
  }
  // With one sandbox only, the next waits for it.
  SocketPeer next(server.address());
  const auto start = Clock::now();
  expect_session(next);
  EXPECT_LT(Clock::now() - start, 10s);
}

TEST(RunnerSocket, PutsAGuestToSleepThatWaitsForItsHost) {
  Server server({"tcp:127.0.0.1:0"}, {"--max-sessions", "1", "--threads", "1"});
  SocketPeer sleeper(server.address());
  sleeper.send(execute_line(
      {.code = "const kept = [1, 2]; const n = await tools.hang(); kept.push(n); return kept",
       .timeout_ms = 60000}));
  EXPECT_EQ(message(sleeper)["type"], "started");
  EXPECT_EQ(message(sleeper)["type"], "tool_call");
  // There is one sandbox only: the next gets it once the first sleeps.
  SocketPeer next(server.address());
  expect_session(next);
  sleeper.send(result_line(Value("call-1"), Value(3)));
  EXPECT_EQ(*to_json(message(sleeper)["result"]), "[1,2,3]");
}

TEST(RunnerSocket, AnswersAPeerThatHasSaidAllItHadToSay) {
  Server server({"tcp:127.0.0.1:0"});
  SocketPeer peer(server.address());
  peer.send_bytes(execute_line({.code = "6 * 7"}));
  peer.end_output();
  message(peer);
  EXPECT_EQ(message(peer)["result"], Value(42));
  EXPECT_TRUE(peer.is_closed(5s));

  SocketPeer waiting(server.address());
  waiting.send(execute_line({.code = "await tools.hang()", .timeout_ms = 60000}));
  waiting.end_output();
  message(waiting);
  message(waiting);
  EXPECT_EQ(conformance::code_of(message(waiting)), "internal_error");
}

// A peer's socket holds a second small message back until the first is acknowledged, which a kernel
// puts off for 40 ms unless it is told otherwise.
TEST(RunnerSocket, LetsAPeerSendTwoMessagesInARow) {
  constexpr int rounds = 20;
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"});
  for (const std::string& address : server.addresses) {
    const bool is_websocket = address.starts_with("ws:");
    SocketPeer peer(is_websocket ? as_tcp(address) : address);
    if (is_websocket) {
      ASSERT_THAT(peer.upgrade("/"), HasSubstr(" 101 "));
    }
    peer.send(execute_line({.code = "for (let i = 0; i < 20; i++) "
                                    "await Promise.all([tools.echo(1), tools.echo(2)])",
                            .timeout_ms = 20000}));
    message(peer);
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      const Value first = message(peer);
      const Value second = message(peer);
      peer.send(result_line(first["callId"], Value(1)));
      peer.send(result_line(second["callId"], Value(2)));
    }
    EXPECT_EQ(message(peer)["ok"], Value(true));
    EXPECT_LT(Clock::now() - start, rounds * 30ms);
  }
}

TEST(RunnerSocket, CancelsAmongGuestsThatCompute) {
  Server server({"tcp:127.0.0.1:0"}, {"--threads", "1"});
  std::vector<std::unique_ptr<SocketPeer>> hogs;
  for (int i = 0; i < 8; ++i) {
    hogs.push_back(std::make_unique<SocketPeer>(server.address()));
    hogs.back()->send(execute_line({.code = "for (;;);", .timeout_ms = 30000}));
    message(*hogs.back());
  }
  for (const auto& hog : hogs) {
    const auto start = Clock::now();
    hog->send(cancel_line());
    EXPECT_EQ(conformance::code_of(message(*hog)), "timeout");
    EXPECT_LT(Clock::now() - start, 25ms + 200ms);
  }
}

TEST(RunnerSocket, ClosesOneConnectionTooMany) {
  Server server({"tcp:127.0.0.1:0"}, {"--max-connections", "2"});
  SocketPeer first(server.address());
  SocketPeer second(server.address());
  std::this_thread::sleep_for(100ms);
  SocketPeer third(server.address());
  EXPECT_TRUE(third.is_closed(5s));
  expect_session(first);
  expect_session(second);
}

TEST(RunnerSocket, ClosesOneConnectionTooManyOfOneAddress) {
  const Folder folder;
  Server server({"tcp:127.0.0.1:0", "unix:" + folder.path() + "/s"}, {"--max-per-address", "2"});
  auto first = std::make_unique<SocketPeer>(server.address());
  SocketPeer second(server.address());
  std::this_thread::sleep_for(100ms);
  SocketPeer third(server.address());
  EXPECT_TRUE(third.is_closed(5s));
  for (int i = 0; i < 4; ++i) {
    SocketPeer over_unix(server.addresses.at(1));
    expect_session(over_unix);
  }
  first.reset();
  std::this_thread::sleep_for(100ms);
  SocketPeer fourth(server.address());
  expect_session(fourth);
  expect_session(second);
}

TEST(RunnerSocket, ClosesAConnectionThatStaysIdle) {
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"}, {"--idle-timeout", "200"});
  SocketPeer silent(server.address());
  SocketPeer noisy(server.address());
  noisy.send("noise");
  SocketPeer busy(server.address());
  busy.send(execute_line({.code = "await tools.hang()", .timeout_ms = 1000}));
  SocketPeer without_handshake(as_tcp(server.addresses.at(1)));
  EXPECT_TRUE(silent.is_closed(5s));
  EXPECT_TRUE(noisy.is_closed(5s));
  EXPECT_TRUE(without_handshake.is_closed(5s));
  message(busy);
  message(busy);
  EXPECT_EQ(conformance::code_of(message(busy)), "timeout") << "it is not idle";
}

TEST(RunnerSocket, ClosesAReaderThatMakesNoProgress) {
  Server server({"tcp:127.0.0.1:0"}, {"--stall-timeout", "300"});
  SocketPeer peer(server.address());
  peer.send(execute_line({.code = "'x'.repeat(30e6)", .memory_limit_bytes = 512 << 20}));
  std::this_thread::sleep_for(1500ms);
  // What lies in the socket's buffers still comes; the rest does not.
  EXPECT_TRUE(message(peer)["type"] == "started");
  EXPECT_TRUE(peer.is_closed(5s));
}

TEST(RunnerSocket, WaitsForAReaderThatIsSlow) {
  Server server({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"}, {"--stall-timeout", "1000"});
  for (const std::string& address : server.addresses) {
    const bool is_websocket = address.starts_with("ws:");
    SocketPeer peer(is_websocket ? as_tcp(address) : address);
    if (is_websocket) {
      ASSERT_THAT(peer.upgrade("/"), HasSubstr(" 101 "));
    }
    peer.read_slowly(6ms);
    peer.send(execute_line({.code = "'x'.repeat(30e6)", .memory_limit_bytes = 512 << 20}));
    const auto start = Clock::now();
    EXPECT_EQ(message(peer)["type"], "started");
    EXPECT_EQ(message(peer)["result"].as_string().size(), 30'000'000u);
    EXPECT_GT(Clock::now() - start, 1500ms) << "so it was no test of patience";
  }
}

TEST(RunnerSocket, ClosesAReaderThatLetsOutputPileUp) {
  Server server({"tcp:127.0.0.1:0"});
  SocketPeer peer(server.address());
  peer.send(
      execute_line({.code = "const s = '\\x01'.repeat(1 << 20); for (let i = 0; i < 100; i++) "
                            "tools.hang(s).catch(() => {}); await tools.hang()",
                    .timeout_ms = 20000,
                    .memory_limit_bytes = 512 << 20}));
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(message(peer)["type"], "started");
  std::size_t calls = 0;
  while (peer.receive(10s)) ++calls;
  EXPECT_LT(calls, 100u) << "each takes six megabytes when it is written";
}

TEST(RunnerSocket, LetsSessionsEndWhenItIsStopped) {
  Server server({"tcp:127.0.0.1:0"}, {"--grace", "10000"});
  SocketPeer running(server.address());
  running.send(execute_line({.code = "await tools.echo(1)", .timeout_ms = 20000}));
  message(running);
  const Value call = message(running);
  SocketPeer idle(server.address());
  std::this_thread::sleep_for(50ms);
  server.signal(SIGTERM);
  EXPECT_TRUE(idle.is_closed(5s));
  const auto refuses = [&] {
    try {
      const SocketPeer late(server.address());
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  };
  const auto start = Clock::now();
  while (!refuses() && Clock::now() - start < 2s) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(refuses());
  running.send(result_line(call["callId"], Value(1)));
  EXPECT_EQ(message(running)["result"], Value(1));
  EXPECT_TRUE(running.is_closed(5s));
  running.end_output();
  EXPECT_EQ(server.wait(), 0);
}

TEST(RunnerSocket, MayBeStoppedAsSoonAsItTellsItsAddress) {
  for (int i = 0; i < 10; ++i) {
    const Folder folder;
    Server server({"unix:" + folder.path() + "/s"});
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/s"));
  }
}

TEST(RunnerSocket, EndsSessionsAfterTheirGrace) {
  Server server({"tcp:127.0.0.1:0"}, {"--grace", "100"});
  SocketPeer running(server.address());
  running.send(
      execute_line({.code = "console.log('so far'); await tools.hang()", .timeout_ms = 60000}));
  message(running);
  message(running);
  server.signal(SIGTERM);
  const Value done = message(running);
  EXPECT_EQ(conformance::code_of(done), "timeout");
  EXPECT_EQ(conformance::logs_of(done), std::vector<std::string>{"so far"});
  EXPECT_EQ(server.wait(), 0);
}

TEST(RunnerSocket, EndsAtOnceAtTheSecondSignal) {
  Server server({"tcp:127.0.0.1:0"}, {"--grace", "60000"});
  SocketPeer running(server.address());
  running.send(execute_line({.code = "await tools.hang()", .timeout_ms = 60000}));
  message(running);
  message(running);
  server.signal(SIGTERM);
  std::this_thread::sleep_for(100ms);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 130);
}

TEST(RunnerSocket, HoldsAThousandSessionsThatWait) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit small{256, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &small);  // the runner raises it for itself
  Server server({"tcp:127.0.0.1:0"});
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);

  constexpr int count = 1000;
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < count; ++i) {
    peers.push_back(std::make_unique<SocketPeer>(server.address()));
    peers.back()->send(execute_line({.code = "(await tools.hang()) + 1", .timeout_ms = 60000}));
  }
  for (const auto& peer : peers) {
    EXPECT_EQ(message(*peer)["type"], "started");
    EXPECT_EQ(message(*peer)["type"], "tool_call");
  }
  for (int i = 0; i < count; ++i)
    peers[static_cast<std::size_t>(i)]->send(result_line(Value("call-1"), Value(i)));
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(message(*peers[static_cast<std::size_t>(i)])["result"], Value(i + 1));
  }
}

}  // namespace
}  // namespace cordon::e2e
