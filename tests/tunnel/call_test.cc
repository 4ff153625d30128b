// `cordon call URL TASK`: tasks of a tunnel from the command line, of `cordon serve` and of servers
// that do everything wrong.

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "../e2e/conversation.h"
#include "../e2e/cordon_command.h"
#include "../e2e/process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* configuration = R"({
  "tasks": { "add": { "script": "add.js" }, "with/slash and ü": { "script": "add.js" },
             "same": { "script": "same.js" }, "fail": { "script": "fail.js" },
             "stream": { "script": "stream.js" }, "odd": { "script": "odd.js" },
             "slow": { "script": "slow.js" } },
  "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" },
              "dangerouslyAllowOpenExposure": true TLS }
})";

class CallTunnel : public testing::Test {
 protected:
  CallTunnel() {
    write_configuration("");
    folder_.file("add.js", "export default ({ a, b }) => a + b;");
    folder_.file("same.js", "export default (input) => input;");
    folder_.file(
        "fail.js",
        "import { TaskError } from 'cordon:task';\n"
        "export default (input) => {\n"
        "  if (input) throw new TaskError('app.errors.funds', 'too little\\u001b[2J', {need: 7});\n"
        "  throw new Error('a secret');\n"
        "};\n");
    folder_.file("stream.js",
                 "export default async function* (n) {\n"
                 "  for (let i = 0; i < n; ++i) yield new Uint8Array(50_000).fill(65 + (i % 26));\n"
                 "};\n");
    folder_.file("odd.js",
                 "export default (kind) => {\n"
                 "  const cycle = {}; cycle.self = cycle;\n"
                 "  return { bigint: 1n, cycle, date: { when: new Date(0), map: new Map([[1, 2]]) "
                 "} }[kind];\n"
                 "};\n");
    folder_.file("slow.js",
                 "export default () => new Promise((done) => setTimeout(done, 60_000));");
    folder_.file("token", "secret\n");
  }

  void write_configuration(const std::string& tls) const {
    std::string text = configuration;
    text.replace(text.find(" TLS"), 4, tls);
    folder_.file("cordon.json", text);
  }

  Conversation serve() const {
    return {cordon_program(), {"serve", "--config", folder_.path() + "/cordon.json"}};
  }

  Ended call(std::vector<std::string> words) const {
    words.insert(words.begin(), {"call", "--token-file", folder_.path() + "/token"});
    return cordon({.arguments = std::move(words)});
  }

  Folder folder_;
};

TEST_F(CallTunnel, PrintsTheResultAsJson) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended sum = call({url, "add", R"({"a": 1, "b": 2})"});
  EXPECT_EQ(sum.output, "3\n") << sum.errors;
  EXPECT_EQ(sum.errors, "");
  EXPECT_EQ(sum.exit_code, 0);
  EXPECT_EQ(call({url + "/", "with/slash and ü", R"({"a": 1, "b": 2})"}).output, "3\n");
  EXPECT_EQ(call({url, "same", "[1, [2]]"}).output, "[1,[2]]\n");
  EXPECT_EQ(call({"--json", url, "same", R"("ü")"}).output, "{\"ok\":true,\"result\":\"ü\"}\n");
  // A task without a result prints nothing.
  EXPECT_EQ(call({url, "same"}).output, "");
  EXPECT_EQ(call({"--json", url, "same"}).output, "{\"ok\":true}\n");
  EXPECT_EQ(call({"--json", url, "same", "null"}).output, "{\"ok\":true,\"result\":null}\n");
}

TEST_F(CallTunnel, TakesTheTokenFromTheEnvironmentToo) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const auto with = [&](const std::string& token) {
    return cordon({.arguments = {"call", "--token-env", "TUNNEL_TOKEN", url, "same", "1"},
                   .environment = {{"TUNNEL_TOKEN", token}}});
  };
  EXPECT_EQ(with("secret").output, "1\n");
  const Ended wrong = with("wrong");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.errors, "cordon call: UNAUTHORIZED: Unauthorized\n");
  const Ended none = cordon({.arguments = {"call", "--json", url, "same", "1"}});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.output,
            "{\"ok\":false,\"error\":{\"code\":\"UNAUTHORIZED\",\"message\":\"Unauthorized\","
            "\"status\":401}}\n");
}

TEST_F(CallTunnel, FailsWithWhatTheServerSays) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended secret = call({url, "fail"});
  EXPECT_EQ(secret.exit_code, 1);
  EXPECT_EQ(secret.output, "");
  EXPECT_EQ(secret.errors, "cordon call: INTERNAL_ERROR: Internal Error\n");
  const Ended typed = call({url, "fail", "1"});
  EXPECT_EQ(typed.exit_code, 1);
  EXPECT_THAT(typed.errors, StartsWith("cordon call: app.errors.funds: too little"));
  EXPECT_THAT(typed.errors, testing::Not(HasSubstr("\x1b"))) << "control characters are shown";
  EXPECT_THAT(call({"--json", url, "fail", "1"}).output,
              testing::AllOf(HasSubstr("\"id\":\"app.errors.funds\""),
                             HasSubstr("\"data\":{\"need\":7}"), StartsWith("{\"ok\":false")));
  EXPECT_THAT(call({url, "nope"}).errors, HasSubstr("NOT_FOUND"));
  EXPECT_EQ(call({url, "nope"}).exit_code, 1);
}

TEST_F(CallTunnel, ShowsRunnerValuesAsConvertDoes) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  EXPECT_EQ(call({url, "odd", "\"date\""}).output,
            "{\"when\":\"1970-01-01T00:00:00.000Z\",\"map\":{}}\n");
  EXPECT_EQ(call({"--runner", url, "odd", "\"date\""}).output,
            "{\"when\":{\"__type\":\"Date\",\"value\":\"1970-01-01T00:00:00.000Z\"},"
            "\"map\":{\"__type\":\"Map\",\"value\":[[1,2]]}}\n");
  for (const char* kind : {"\"bigint\"", "\"cycle\""}) {
    const Ended refused = call({url, "odd", kind});
    EXPECT_EQ(refused.exit_code, 1) << kind;
    EXPECT_EQ(refused.output, "");
    EXPECT_THAT(refused.errors, HasSubstr("--runner")) << kind;
    EXPECT_EQ(call({"--runner", url, "odd", kind}).exit_code, 0) << kind;
  }
  // Typed records go in as they are.
  EXPECT_EQ(call({"--runner", url, "same", R"({"__type": "BigInt", "value": "7"})"}).output,
            "{\"__type\":\"BigInt\",\"value\":\"7\"}\n");
}

TEST_F(CallTunnel, StreamsBytesToStandardOutput) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended streamed = call({url, "stream", "30"});
  EXPECT_EQ(streamed.exit_code, 0) << streamed.errors;
  ASSERT_EQ(streamed.output.size(), 1'500'000u);
  EXPECT_EQ(streamed.output.substr(49'999, 2), "AB");
  EXPECT_EQ(streamed.output.back(), 'D');
  EXPECT_THAT(call({"--json", url, "stream", "1"}).output,
              StartsWith("{\"ok\":true,\"result\":{\"$bytes\":\"QUFB"));
  EXPECT_EQ(
      cordon({.arguments = {"call", "--token-file", folder_.path() + "/token", url, "stream", "30"},
              .output = Stream::full_device})
          .exit_code,
      70);
}

TEST_F(CallTunnel, EndsAtItsTimeoutAndByASignal) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended late = call({"--timeout", "200", "--json", url, "slow"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_THAT(late.output, HasSubstr("\"code\":\"timeout\""));
  EXPECT_LT(late.took, std::chrono::seconds(5));
  const Ended interrupted =
      run(cordon_program(),
          {.arguments = {"call", "--token-file", folder_.path() + "/token", url, "slow"},
           .meanwhile = [](pid_t process) {
             if (!blocks(process, SIGINT)) return false;
             std::this_thread::sleep_for(std::chrono::milliseconds(200));
             kill(process, SIGINT);
             return true;
           }});
  EXPECT_EQ(interrupted.exit_code, 130);
}

TEST_F(CallTunnel, TellsWrongUsage) {
  const std::string url = "http://127.0.0.1:1/__runner";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {url},
           {url, ""},
           {url, "add", "{"},
           {url, "add", "1", "2"},
           {"--timeout", "0", url, "add"},
           {"--allow", "x", url, "add"},
           {"--stats", url, "add"},
           {"--no-response", url, "add"},
           {"--token-env", "NO_SUCH_VARIABLE", url, "add"},
           {"--token-env", "HOME", "--token-file", "/dev/null", url, "add"},
           {"--token-file", "/nowhere", url, "add"},
           {"--token-file", "/dev/null", url, "add"},
           {"http://", "add"},
           {"http://user:password@host/", "add"},
           {"http://host:99999/", "add"},
           {"http://host/?a=b", "add"},
           {"--runner", "plugin.wasm", "add"},
           {"--token-env", "HOME", "--command", "true", "add"},
       }) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.begin(), "call");
    const Ended ended = cordon({.arguments = arguments});
    EXPECT_EQ(ended.exit_code, 64) << words.front() << ' ' << words.back() << ": " << ended.errors;
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, testing::Not(HasSubstr("password@")));
  }
}

TEST_F(CallTunnel, VerifiesTheServersCertificate) {
  const std::string certificate = folder_.path() + "/certificate.pem";
  const std::string key = folder_.path() + "/key.pem";
  const Ended made = run(
      "/usr/bin/openssl",
      {.arguments = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                     "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                     "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate}});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
  write_configuration(R"(, "tls": { "certificate": "certificate.pem", "key": "key.pem" })");
  Conversation server = serve();
  std::string url = server.receive().value();
  ASSERT_THAT(url, StartsWith("https://127.0.0.1:"));
  const auto with_store = [&](const std::string& to, const std::string& store) {
    return cordon(
        {.arguments = {"call", "--token-file", folder_.path() + "/token", to, "same", "1"},
         .environment = {{"SSL_CERT_FILE", store}}});
  };
  const std::string by_name = "https://localhost" + url.substr(url.rfind(':'));
  EXPECT_EQ(with_store(by_name, certificate).output, "1\n");
  // It is for another name, or nobody vouches for it.
  for (const Ended& ended : {with_store(url, certificate), with_store(by_name, "/dev/null")}) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, HasSubstr("certificate verify failed"));
  }
}

// Answers one connection with these bytes, whatever it asks, and closes it.
class WrongServer {
 public:
  explicit WrongServer(std::string answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~WrongServer() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }
  WrongServer(const WrongServer&) = delete;
  WrongServer& operator=(const WrongServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/base"; }
  // After the answer was sent.
  const std::string& request() {
    if (thread_.joinable()) thread_.join();
    return request_;
  }

 private:
  void serve() {
    const int peer = accept(socket_, nullptr, nullptr);
    if (peer < 0) return;
    std::array<char, 4096> piece;
    while (!request_.contains("\r\n\r\n") || !request_.ends_with('}')) {
      const ssize_t size = read(peer, piece.data(), piece.size());
      if (size <= 0) break;
      request_.append(piece.data(), static_cast<std::size_t>(size));
    }
    for (std::size_t at = 0; at < answer_.size();) {
      const ssize_t size = send(peer, answer_.data() + at, answer_.size() - at, MSG_NOSIGNAL);
      if (size <= 0) break;
      at += static_cast<std::size_t>(size);
    }
    close(peer);
  }

  std::string answer_;
  std::string request_;
  int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
  std::thread thread_;
};

std::string http_answer(const std::string& status, const std::string& type,
                        const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(CallTunnel, SendsWhatTheProtocolSays) {
  WrongServer server(http_answer("200 OK", "application/json; charset=utf-8", R"({"ok":true})"));
  EXPECT_EQ(call({server.url() + "//", "a/b ü", "{\"x\": 1}"}).exit_code, 0);
  EXPECT_THAT(server.request(), StartsWith("POST /base/task/a%2Fb%20%C3%BC HTTP/1.1\r\n"));
  EXPECT_THAT(server.request(), HasSubstr("x-runner-token: secret\r\n"));
  EXPECT_THAT(server.request(), HasSubstr("\r\n\r\n{\"input\":{\"x\": 1}}"));
}

TEST_F(CallTunnel, TellsAnswersThatAreNone) {
  const std::string json = "application/json";
  const std::pair<std::string, const char*> cases[] = {
      {"", "bad_answer"},
      {"hello\n", "bad_answer"},
      {http_answer("200 OK", json, "{"), "bad_answer"},
      {http_answer("200 OK", json, "[]"), "bad_answer"},
      {http_answer("200 OK", json, R"({"ok":1})"), "bad_answer"},
      {http_answer("200 OK", json, R"({"ok":false})"), "bad_answer"},
      {http_answer("500 Oh", json, R"({"ok":true,"result":1})"), "bad_answer"},
      {http_answer("502 Bad Gateway", "text/html", "<html>"), "bad_answer"},
      {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
       "redirect"},
      {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
       "100\r\n\r\n{\"ok\":true",
       "bad_answer"},
      {"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: "
       "chunked\r\n\r\n"
       "5\r\nhel",
       "bad_answer"},
      {"HTTP/1.1 200 OK\r\nX-Large: " + std::string(1 << 20, 'x'), "bad_answer"},
      {http_answer("200 OK", json, "\"" + std::string((64u << 20) + 10, 'x') + "\""), "too_large"},
  };
  for (const auto& [answer, code] : cases) {
    const WrongServer server(answer);
    const Ended ended = call({"--timeout", "10000", server.url(), "task"});
    EXPECT_EQ(ended.exit_code, 2) << answer.substr(0, 200);
    EXPECT_THAT(ended.errors, StartsWith("cordon call: " + std::string(code) + ": "))
        << answer.substr(0, 200);
  }
  const Ended nobody = call({"http://127.0.0.1:1/__runner", "task"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.errors, StartsWith("cordon call: unreachable: 127.0.0.1:1: "));
}

}  // namespace
}  // namespace cordon::e2e
