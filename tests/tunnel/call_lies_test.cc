// `cordon call URL` with servers that do everything wrong.

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "lying_server.h"
#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* json = "application/json";

// What is wrong with an answer, by its code: exit 2, nothing on standard output.
class CallLies : public ShellTunnel {
 protected:
  Ended call_to(const LyingServer& server, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--timeout", "10000", server.url(), "task"});
    return call(std::move(more));
  }

  void expect_code(const LyingServer& server, const std::string& code,
                   const std::string& message = "") const {
    const Ended ended = call_to(server);
    EXPECT_EQ(ended.exit_code, 2) << ended.errors;
    EXPECT_EQ(ended.output, "");
    EXPECT_THAT(ended.errors, StartsWith("cordon call: " + code + ": "));
    EXPECT_THAT(ended.errors, HasSubstr(message));
    EXPECT_THAT(ended.errors, Not(HasSubstr("secret"))) << "the token";
    const Ended told = call_to(server, {"--json"});
    EXPECT_EQ(told.exit_code, 2);
    EXPECT_EQ(told.errors, "");
    EXPECT_THAT(told.output,
                StartsWith(R"({"ok":false,"error":{"code":")" + code + R"(","message":")"));
    EXPECT_EQ(server.connections(), 2) << "each request is sent once";
  }
};

TEST_F(CallLies, TellsWhatIsNoEnvelope) {
  for (const char* body :
       {"", "{", "[]", "null", R"({"ok":1})", R"({"ok":"true"})", R"({"ok":false})",
        R"({"ok":false,"error":"no"})", R"({"ok":false,"error":{"code":"C"}})", R"({"result":1})",
        "{\"ok\":true} {}", "\xff", R"({"ok":true,"result":{"__type":"Nope","value":1}})"}) {
    SCOPED_TRACE(body);
    expect_code(LyingServer(http_answer("200 OK", json, body)), "bad_response");
  }
  expect_code(LyingServer(http_answer("500 Oh", json, R"({"ok":true,"result":1})")), "bad_response",
              "status 500 with a result");
  expect_code(LyingServer(http_answer("404 No", "text/plain", "no")), "bad_response",
              "status 404, and no envelope; is the URL the base of a tunnel?");
}

TEST_F(CallLies, TellsPagesAndWhatHasNoType) {
  for (const char* status : {"200 OK", "404 Not Found", "502 Bad Gateway"}) {
    for (const char* type : {"text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"})
      expect_code(LyingServer(http_answer(status, type, "<html>")), "bad_response");
  }
  expect_code(LyingServer(http_answer("200 OK", "", "abc")), "bad_response", "no content type");
  expect_code(LyingServer("HTTP/1.1 204 No Content\r\n\r\n"), "bad_response", "status 204");
  expect_code(LyingServer("HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n"),
              "bad_response", "status 204");
  expect_code(LyingServer(http_answer("500 Oh", "application/octet-stream", "abc")), "bad_response",
              "status 500");
}

TEST_F(CallLies, FollowsNoRedirect) {
  LyingServer elsewhere(http_answer("200 OK", json, R"({"ok":true,"result":"stolen"})"));
  for (const char* status :
       {"301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"}) {
    expect_code(LyingServer(http_answer(status, "", "", "Location: " + elsewhere.url() + "\r\n")),
                "redirect", elsewhere.url());
    expect_code(LyingServer(http_answer(status, json, R"({"ok":true,"result":1})",
                                        "Location: /elsewhere\r\n")),
                "redirect", "/elsewhere");
  }
  expect_code(LyingServer(http_answer("302 Found", "text/html", "<html>")), "redirect");
  EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(CallLies, TellsWhatBreaksOff) {
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                          "Content-Length: 100\r\n\r\n{\"ok\":true"),
              "truncated");
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                          "Transfer-Encoding: chunked\r\n\r\nb\r\n{\"ok\":true}\r\n"),
              "truncated");
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nContent-Ty"), "truncated");
  expect_code(LyingServer([](LyingConnection& connection) {
                connection.receive_request();
                connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    "Content-Length: 100\r\n\r\n{");
                std::this_thread::sleep_for(100ms);
                connection.reset();
              }),
              "truncated");
}

TEST_F(CallLies, TellsAStreamThatBreaksOff) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
      "X-Runner-Request-Id: r-1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  for (const char* rest : {"", "5\r\nhel", "5\r\nhello", "0\r\n"}) {
    const LyingServer server(head + rest);
    const Ended ended = call_to(server);
    EXPECT_EQ(ended.exit_code, 2) << rest;
    EXPECT_THAT(ended.output, StartsWith("hello"));
    EXPECT_THAT(ended.errors, StartsWith("cordon call: truncated: "));
    const Ended told = call_to(server, {"--json"});
    EXPECT_EQ(told.exit_code, 2);
    EXPECT_EQ(told.output, ended.output) << "the report does not stand in the stream";
    EXPECT_THAT(told.errors, AllOf(StartsWith(R"({"ok":false,"error":{"code":"truncated",)"),
                                   HasSubstr(R"("requestId":"r-1"}})")));
  }
  // One that says how long it is.
  const LyingServer shorter(
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhello");
  EXPECT_THAT(call_to(shorter).errors, StartsWith("cordon call: truncated: "));
  // One whose chunks are none.
  const LyingServer broken(head + "zz\r\n");
  const Ended ended = call_to(broken);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, StartsWith("cordon call: bad_response: "));
}

TEST_F(CallLies, TellsWhatIsNoHttp) {
  expect_code(LyingServer("hello\n"), "bad_response");
  expect_code(LyingServer("SSH-2.0-OpenSSH_9.2p1 Debian\r\n"), "bad_response");
  expect_code(LyingServer("HTTP/1.1 abc OK\r\n\r\n"), "bad_response");
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
              "bad_response");
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab"), "bad_response");
  expect_code(LyingServer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"),
              "bad_response");
  // Nothing at all.
  expect_code(LyingServer([](LyingConnection& connection) { connection.receive_request(); }),
              "bad_response");
}

TEST_F(CallLies, TakesInterimAnswersForWhatTheyAre) {
  const std::string answer = http_answer("200 OK", json, R"({"ok":true,"result":1})");
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const LyingServer server("HTTP/1.1 100 Continue\r\n\r\n" + interim + answer);
  EXPECT_EQ(call_to(server).output, "1\n");
  // Without an end they are no answer.
  const LyingServer endless([&](LyingConnection& connection) {
    connection.receive_request();
    while (connection.send(interim)) {
    }
  });
  const Ended ended = call_to(endless);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_LT(ended.took, 5s) << ended.errors;
}

TEST_F(CallLies, TakesNoEndlessHead) {
  expect_code(LyingServer("HTTP/1.1 200 OK\r\nX-Large: " + std::string(1 << 20, 'x')), "too_large");
  expect_code(LyingServer([](LyingConnection& connection) {
                connection.receive_request();
                connection.send("HTTP/1.1 200 OK\r\n");
                for (int i = 0; connection.send("X-" + std::to_string(i) + ": 1\r\n"); ++i) {
                }
              }),
              "too_large");
}

TEST_F(CallLies, TakesNoEndlessJson) {
  const LyingServer server([](LyingConnection& connection) {
    connection.receive_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\"");
    while (connection.send(std::string(1 << 20, 'x'))) {
    }
  });
  expect_code(server, "too_large", "64 MiB");
  const Ended small = call_to(server, {"--max-response", "1KiB"});
  EXPECT_THAT(small.errors, HasSubstr("the answer has more than 1024 bytes"));
}

TEST_F(CallLies, WaitsForSlowDripsNoLongerThanItsTimeout) {
  const auto dripping = [](const std::string& text) {
    return [text](LyingConnection& connection) {
      connection.receive_request();
      for (const char c : text + std::string(1'000, ' ')) {
        if (!connection.send({&c, 1})) return;
        std::this_thread::sleep_for(10ms);
      }
    };
  };
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nX: ",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n"}) {
    const LyingServer server(dripping(text));
    const Ended ended = call({"--timeout", "2000", server.url(), "task"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.errors, StartsWith("cordon call: timeout: it took longer than 2000 ms"));
    EXPECT_LT(ended.took, 6s);
  }
  const LyingServer silent([](LyingConnection& connection) {
    connection.receive_request();
    (void)connection.receive_some();
  });
  EXPECT_THAT(call({"--timeout", "300", silent.url(), "task"}).errors,
              StartsWith("cordon call: timeout: "));
  // What comes slowly and in time is an answer like others.
  std::string slow = http_answer("200 OK", json, R"({"ok":true,"result":"slow"})");
  const LyingServer patient([&](LyingConnection& connection) {
    connection.receive_request();
    for (const char c : slow) {
      connection.send({&c, 1});
      std::this_thread::sleep_for(1ms);
    }
  });
  EXPECT_EQ(call_to(patient).output, "\"slow\"\n");
}

TEST_F(CallLies, EndsAtItsTimeoutThoughNobodyReadsOnEitherSide) {
  // A server that takes no input.
  const std::string file = folder_.file("large", std::string(50'000'000, 'x'));
  const LyingServer deaf([](LyingConnection& connection) {
    (void)connection.receive_some();
    std::this_thread::sleep_for(3s);
  });
  const Ended unsent = call({"--timeout", "500", deaf.url(), "task", "--stream-in", file});
  EXPECT_EQ(unsent.exit_code, 2);
  EXPECT_THAT(unsent.errors, StartsWith("cordon call: timeout: "));
  EXPECT_LT(unsent.took, 5s);
  // A reader of our output that reads nothing.
  const LyingServer endless([](LyingConnection& connection) {
    connection.receive_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    while (connection.send(std::string(1 << 16, 'x'))) {
    }
  });
  const std::string command = cordon_program() + " call --timeout 500 " + endless.url() + " task";
  const Ended stuck = run("/bin/bash", {.arguments = {"-c", command + " | sleep 3; echo "
                                                                      "${PIPESTATUS[0]}"}});
  EXPECT_EQ(stuck.output, "2\n") << stuck.errors;
}

TEST_F(CallLies, WritesTheWholeAnswerThoughItsReaderIsSlow) {
  const std::string result = '"' + std::string(3'000'000, 'x') + '"';
  const LyingServer server(http_answer("200 OK", json, R"({"ok":true,"result":)" + result + "}"));
  for (const char* option : {"--json", ""}) {
    const std::string command =
        cordon_program() + " call --timeout 500 " + option + " " + server.url() + " task";
    const Ended ended = run("/bin/bash", {.arguments = {"-c", command + " | (sleep 1.5; cat); echo "
                                                                        "${PIPESTATUS[0]}"}});
    const std::string line = *option != 0 ? R"({"ok":true,"result":)" + result + "}" : result;
    EXPECT_TRUE(ended.output == line + "\n0\n") << ended.output.size();
    EXPECT_EQ(ended.errors, "");
  }
}

TEST_F(CallLies, EndsWithItsReader) {
  const LyingServer endless([](LyingConnection& connection) {
    connection.receive_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello\n");
    // Nothing more comes, so nothing more is written.
    (void)connection.receive_some();
  });
  const std::string command = cordon_program() + " call --timeout 10000 " + endless.url() + " task";
  const Ended ended =
      run("/bin/bash", {.arguments = {"-c", command + " | head -n 1; echo ${PIPESTATUS[0]}"}});
  EXPECT_EQ(ended.output, "hello\n70\n");
  EXPECT_EQ(ended.errors, "cordon call: cannot write to standard output: its reader is gone\n");
  EXPECT_LT(ended.took, 5s);
}

TEST_F(CallLies, TellsProgramsInOneLineThatItsReaderIsGone) {
  const LyingServer large(
      http_answer("200 OK", "application/octet-stream", std::string(3'000'000, 'x')));
  const std::string command = cordon_program() + " call --json " + large.url() + " task";
  for (int i = 0; i < 5; ++i) {
    const Ended ended = run("/bin/bash", {.arguments = {"-c", command + " | head -c 10"}});
    EXPECT_EQ(ended.errors,
              "{\"ok\":false,\"error\":{\"code\":\"io\",\"message\":"
              "\"cannot write to standard output: its reader is gone\"}}\n");
  }
}

TEST_F(CallLies, TellsThatAStreamWasInterrupted) {
  const LyingServer endless([](LyingConnection& connection) {
    connection.receive_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello\n");
    (void)connection.receive_some();
  });
  const Ended ended = run(cordon_program(), {.arguments = {"call", "--json", endless.url(), "task"},
                                             .meanwhile = [](pid_t process) {
                                               if (!blocks(process, SIGTERM)) return false;
                                               std::this_thread::sleep_for(500ms);
                                               kill(process, SIGTERM);
                                               return true;
                                             }});
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.output, "hello\n");
  EXPECT_EQ(ended.errors,
            "{\"ok\":false,\"error\":{\"code\":\"cancelled\","
            "\"message\":\"it was interrupted\"}}\n");
}

TEST_F(CallLies, HearsAnAnswerThatComesBeforeItsInputIsSent) {
  const std::string file = folder_.file("large", std::string(50'000'000, 'x'));
  const std::string answer =
      http_answer("413 Too Large", json,
                  R"({"ok":false,"error":{"message":"Payload too large","code":"TOO_MUCH"}})",
                  "Connection: close\r\n");
  const LyingServer server([&](LyingConnection& connection) {
    (void)connection.receive_some();
    connection.send(answer);
  });
  const Ended ended = call({"--timeout", "10000", server.url(), "task", "--stream-in", file});
  EXPECT_EQ(ended.exit_code, 1) << ended.errors;
  EXPECT_EQ(ended.errors, "cordon call: TOO_MUCH: Payload too large\n");
  // With an input that does not end.
  const Ended piped =
      cordon({.arguments = {"call", "--timeout", "10000", server.url(), "task", "--stream-in", "-"},
              .input = "abc",
              .keeps_input_open = true});
  EXPECT_EQ(piped.exit_code, 1) << piped.errors;
}

TEST_F(CallLies, ShowsNoControlCharacters) {
  const LyingServer server(http_answer(
      "500 Oh", json,
      "{\"ok\":false,\"error\":{\"message\":\"a\\u001b[2J\\tb\\nc\\u007f\\u009b\xe2\x80\xae\","
      "\"code\":\"C\\u0007\",\"id\":\"i\\u0000\"}}"));
  const Ended ended = call_to(server);
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.errors, "cordon call: C\\x07 (i\\x00): a\\x1b[2J\\x09b\\x0ac\\x7f\\x9b\\u202e\n");
}

TEST_F(CallLies, TellsAnUnreachableServer) {
  const Ended nobody = call({"http://127.0.0.1:1/__runner", "task"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.errors, StartsWith("cordon call: unreachable: 127.0.0.1:1: "));
  const Ended unknown = call({"http://no-such-host.invalid/", "task"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.errors, StartsWith("cordon call: unreachable: no-such-host.invalid"));
}

}  // namespace
}  // namespace cordon::e2e
