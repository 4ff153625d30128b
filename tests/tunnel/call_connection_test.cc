// `cordon call URL`: TLS, proxies, Unix sockets and lookups.

#include <chrono>
#include <csignal>
#include <map>
#include <string>
#include <unistd.h>

#include "lying_server.h"
#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CallConnection : public ShellTunnel {
 protected:
  static void openssl(std::vector<std::string> arguments) {
    const Ended made = run("/usr/bin/openssl", {.arguments = std::move(arguments)});
    ASSERT_EQ(made.exit_code, 0) << made.errors;
  }

  // A certificate of its own for localhost, that is valid for so many days from now.
  void make_certificate(const std::string& days) const {
    const std::string key = folder_.path() + "/key.pem";
    const std::string wish = folder_.path() + "/wish.pem";
    openssl({"req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
             "-out", wish});
    openssl({"x509", "-req", "-in", wish, "-signkey", key, "-days", days, "-copy_extensions",
             "copyall", "-out", certificate()});
    write_configuration(R"(, "tls": { "certificate": "certificate.pem", "key": "key.pem" })");
  }
  std::string certificate() const { return folder_.path() + "/certificate.pem"; }

  Ended call_with(std::map<std::string, std::string> environment,
                  std::vector<std::string> words) const {
    words.insert(words.begin(), {"--timeout", "10000"});
    return cordon(
        {.arguments = with_token("call", std::move(words)), .environment = std::move(environment)});
  }
};

TEST_F(CallConnection, VerifiesTheServersCertificate) {
  make_certificate("2");
  Conversation server = serve();
  const std::string url = server.receive().value();
  ASSERT_THAT(url, StartsWith("https://127.0.0.1:"));
  const std::string by_name = "https://localhost" + url.substr(url.rfind(':'));
  EXPECT_EQ(call_with({{"SSL_CERT_FILE", certificate()}}, {by_name, "same", "1"}).output, "1\n");
  // It is for another name, or nobody vouches for it.
  for (const Ended& ended : {call_with({{"SSL_CERT_FILE", certificate()}}, {url, "same", "1"}),
                             call_with({{"SSL_CERT_FILE", "/dev/null"}}, {by_name, "same", "1"}),
                             call_with({}, {by_name, "same", "1"})}) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, StartsWith("cordon call: tls: "));
  }
}

TEST_F(CallConnection, TrustsNoCertificateThatHasExpired) {
  make_certificate("-1");
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended ended = call_with({{"SSL_CERT_FILE", certificate()}},
                                {"https://localhost" + url.substr(url.rfind(':')), "same", "1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, StartsWith("cordon call: tls: "));
  EXPECT_THAT(ended.errors, HasSubstr("expired"));
}

TEST_F(CallConnection, TellsThatAPortDoesNotSpeakTls) {
  const LyingServer plain([](LyingConnection& connection) {
    (void)connection.receive_some();
    connection.send(http_answer("400 Bad Request", "text/plain", "no TLS"));
  });
  const std::string url = "https://127.0.0.1:" + std::to_string(plain.port()) + "/";
  const Ended ended = call({url, "task"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, StartsWith("cordon call: tls: "));
  const LyingServer closing([](LyingConnection& connection) { (void)connection.receive_some(); });
  EXPECT_THAT(call({"https://127.0.0.1:" + std::to_string(closing.port()) + "/", "task"}).errors,
              StartsWith("cordon call: tls: "));
  // The other way round.
  make_certificate("2");
  Conversation server = serve();
  const std::string tls = server.receive().value();
  const Ended wrong = call({"http" + tls.substr(tls.find(':')), "same", "1"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.errors, StartsWith("cordon call: bad_response: "));
}

TEST_F(CallConnection, EndsAHandshakeThatHangs) {
  const LyingServer silent([](LyingConnection& connection) {
    while (!connection.receive_some().empty()) {
    }
  });
  const Ended ended = call(
      {"--timeout", "300", "https://127.0.0.1:" + std::to_string(silent.port()) + "/", "task"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, StartsWith("cordon call: timeout: "));
  EXPECT_LT(ended.took, 5s);
}

TEST_F(CallConnection, GoesThroughTheProxyOfTheEnvironment) {
  const LyingServer proxy(
      http_answer("200 OK", "application/json", R"({"ok":true,"result":"by proxy"})"));
  const std::string address = "http://user:pass%20word@127.0.0.1:" + std::to_string(proxy.port());
  const Ended ended =
      call_with({{"http_proxy", address}}, {"http://tunnel.example:7070/base", "task"});
  EXPECT_EQ(ended.output, "\"by proxy\"\n") << ended.errors;
  EXPECT_THAT(proxy.request(),
              StartsWith("POST http://tunnel.example:7070/base/task/task HTTP/1.1"));
  EXPECT_THAT(proxy.request(), HasSubstr("host: tunnel.example:7070\r\n"));
  EXPECT_THAT(proxy.request(), HasSubstr("proxy-authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n"));
}

TEST_F(CallConnection, GoesPastTheProxyWhereTheEnvironmentSaysSo) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string nobody = "http://127.0.0.1:1";
  EXPECT_EQ(
      call_with({{"http_proxy", nobody}, {"no_proxy", "a.example,127.0.0.1"}}, {url, "same", "1"})
          .output,
      "1\n");
  EXPECT_EQ(call_with({{"http_proxy", nobody}, {"NO_PROXY", "*"}}, {url, "same", "1"}).output,
            "1\n");
  const Ended refused =
      call_with({{"http_proxy", nobody}, {"no_proxy", "127.0.0.2"}}, {url, "same", "1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, StartsWith("cordon call: unreachable: "));
}

TEST_F(CallConnection, TellsThatAProxyRefuses) {
  for (const char* status : {"403 Forbidden", "407 Proxy Authentication Required"}) {
    const LyingServer proxy(http_answer(status, "text/html", "<html>"));
    const std::string address = "http://user:pass@127.0.0.1:" + std::to_string(proxy.port());
    const Ended ended =
        call_with({{"https_proxy", address}}, {"https://tunnel.example/base", "task"});
    EXPECT_EQ(ended.exit_code, 2) << ended.errors;
    EXPECT_THAT(ended.errors, StartsWith("cordon call: unreachable: "));
    EXPECT_THAT(ended.errors, Not(HasSubstr("pass")));
  }
}

TEST_F(CallConnection, TellsThatAProxyDoesNotPassItOn) {
  const auto through_proxy = [this](const char* status, const char* type, const char* body) {
    const LyingServer proxy(http_answer(status, type, body));
    return call_with({{"http_proxy", "http://127.0.0.1:" + std::to_string(proxy.port())}},
                     {"http://tunnel.example/base", "task"});
  };
  for (const char* status : {"407 Proxy Authentication Required", "502 Bad Gateway",
                             "503 Service Unavailable", "504 Gateway Timeout"}) {
    const Ended ended = through_proxy(status, "text/html", "<html>");
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.errors, "cordon call: unreachable: the proxy answered with status " +
                                std::string(status, 3) + "\n");
  }
  // Nobody knows whose answers these are, and this one is the tunnel's own.
  EXPECT_THAT(through_proxy("403 Forbidden", "text/html", "<html>").errors,
              StartsWith("cordon call: bad_response: "));
  EXPECT_EQ(through_proxy("503 Service Unavailable", "application/json",
                          R"({"ok":false,"error":{"message":"Busy","code":"BUSY"}})")
                .errors,
            "cordon call: BUSY: Busy\n");
  // Without a proxy it is the server that answers.
  const LyingServer server(http_answer("502 Bad Gateway", "text/html", "<html>"));
  EXPECT_THAT(call_with({}, {server.url(), "task"}).errors,
              StartsWith("cordon call: bad_response: "));
}

TEST_F(CallConnection, TakesNoProxyThatItCannotUse) {
  const LyingServer server(http_answer("200 OK", "application/json", R"({"ok":true})"));
  const Ended ended = call_with({{"all_proxy", "socks5://127.0.0.1:1080"}}, {server.url(), "task"});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_THAT(ended.errors,
              StartsWith("cordon call: all_proxy: only proxies of http:// are supported"));
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(CallConnection, ReachesUnixSockets) {
  const std::string socket = folder_.path() + "/s.sock";
  Conversation server = serve({"--listen", "unix:" + socket});
  ASSERT_EQ(server.receive(), "unix:" + socket);
  // What `cordon serve` prints, and the base path in two ways.
  for (const char* base : {"", "/", ":/__runner", "/__runner", ":/__runner/", "/__runner/"}) {
    const Ended ended = call({"unix:" + socket + base, "same", "1"});
    EXPECT_EQ(ended.output, "1\n") << base << ended.errors;
  }
  EXPECT_EQ(ask("discover", {"unix:" + socket}).exit_code, 0);
  EXPECT_EQ(ask("emit", {"unix:" + socket, "notify"}).exit_code, 0);
  // No proxy stands before a socket.
  EXPECT_EQ(
      call_with({{"http_proxy", "http://127.0.0.1:1"}}, {"unix:" + socket, "same", "1"}).output,
      "1\n");
  const Ended elsewhere = call({"unix:" + socket + ":/elsewhere", "same", "1"});
  EXPECT_EQ(elsewhere.exit_code, 1);
  EXPECT_THAT(elsewhere.errors, HasSubstr("NOT_FOUND"));
  for (const std::string& nowhere : {"unix:" + folder_.path() + "/none", "unix:" + folder_.path(),
                                     "unix:" + folder_.path() + "/none:/__runner"}) {
    const Ended ended = call({nowhere, "same", "1"});
    EXPECT_EQ(ended.exit_code, 2) << nowhere;
    EXPECT_THAT(ended.errors, StartsWith("cordon call: unreachable: "));
  }
}

TEST_F(CallConnection, EndsALookupThatHangs) {
  const std::map<std::string, std::string> hanging = {{"LD_PRELOAD", CORDON_TEST_HANGING_LOOKUP}};
  const Ended ended =
      cordon({.arguments = {"call", "--timeout", "300", "http://tunnel.example/base", "task"},
              .environment = hanging});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.errors, "cordon call: timeout: it took longer than 300 ms\n");
  EXPECT_LT(ended.took, 5s);
  const Ended proxied = cordon({.arguments = {"discover", "--timeout", "300", "http://a.example/"},
                                .environment = {{"LD_PRELOAD", CORDON_TEST_HANGING_LOOKUP},
                                                {"http_proxy", "http://proxy.example:3128"}}});
  EXPECT_EQ(proxied.exit_code, 2);
  EXPECT_LT(proxied.took, 5s);
  // And Ctrl-C ends it without a timeout.
  const Ended interrupted =
      run(cordon_program(), {.arguments = {"call", "http://tunnel.example/base", "task"},
                             .environment = hanging,
                             .meanwhile = [](pid_t process) {
                               if (!blocks(process, SIGINT)) return false;
                               usleep(200'000);
                               kill(process, SIGINT);
                               return true;
                             }});
  EXPECT_EQ(interrupted.exit_code, 130);
  EXPECT_LT(interrupted.took, 5s);
}

}  // namespace
}  // namespace cordon::e2e
