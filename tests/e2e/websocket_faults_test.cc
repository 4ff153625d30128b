// What only a WebSocket can do wrong, on its way to a runner.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "remote_fixture.h"

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::StartsWith;

class WebSocketFaults : public FakeRunnerTest {
 protected:
  // The answer to the request is this.
  Ended shake(const std::function<std::string(const std::string&)>& answer) const {
    return run(
        [&](FakeConnection& host) {
          host.send_bytes(answer(host.read_request()));
          host.wait_for_end();
        },
        {}, FakeRunner::Handshake::bare);
  }
  Ended shake(const std::string& answer) const {
    return shake([&](const std::string&) { return answer; });
  }
  // These bytes come once the WebSocket is open.
  Ended hear(const std::string& bytes) const {
    return run([&](FakeConnection& host) {
      host.send_bytes(bytes);
      host.wait_for_end();
    });
  }
  // What comes after `execute`, of the `done` that it needs. The connection stays open.
  Ended answer(const std::function<std::string(const std::string& done)>& bytes) const {
    return run([&](FakeConnection& host) {
      const std::string execute = host.receive_type("execute").value_or("{}");
      const std::string id(from_json(execute).value_or(Value())["id"].as_string());
      host.send_bytes(bytes(R"({"type":"done","id":")" + id +
                            R"(","durationMs":1,"ok":true,"logs":[],"result":42})"));
      host.wait_for_end();
    });
  }
};

TEST_P(WebSocketFaults, RefusesTheHandshake) {
  for (const char* status :
       {"401 Unauthorized", "403 Forbidden", "404 Not Found", "426 Upgrade Required", "302 Found",
        "200 OK", "500 Oh", "100 Continue"}) {
    const std::string line = "HTTP/1.1 " + std::string(status);
    const std::string message = "the runner refused the WebSocket: " + line;
    expect_runner_error(shake(line + "\r\nContent-Length: 5\r\nLocation: /\r\n\r\nno no"), message);
    // Its end is not waited for.
    expect_runner_error(shake(line + "\r\nContent-"), message);
  }
  expect_runner_error(shake("HTTP/1.0 101 Yes\r\n\r\n"),
                      "the runner refused the WebSocket: HTTP/1.0 101 Yes");
}

TEST_P(WebSocketFaults, AnswersWithSomethingElse) {
  const std::string message = "the runner answered with no WebSocket";
  for (const char* answer :
       {"SSH-2.0-OpenSSH_9.2\r\n", "{\"type\":\"started\",\"id\":\"x\"}\n", "\x16\x03\x01\x02",
        "\r\n\r\n", "HTTP/1.1 101 Yes\r\n\r\n",
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"})
    expect_runner_error(shake(answer), message);
  expect_runner_error(shake([](const std::string& request) {
                        std::string answer = FakeConnection::agreement(request);
                        return answer.replace(answer.find("Connection"), 3, "xxx");
                      }),
                      message);
  expect_runner_error(shake([](const std::string& request) {
                        std::string answer = FakeConnection::agreement(request);
                        return answer.insert(answer.size() - 2,
                                             "Sec-WebSocket-Extensions: permessage-deflate\r\n");
                      }),
                      "the runner broke the rules of WebSockets");
}

TEST_P(WebSocketFaults, MakesAnEndlessHead) {
  const Ended ended = run(
      [](FakeConnection& host) {
        host.send_bytes("HTTP/1.1 101 Yes\r\n");
        while (host.send_bytes("X-Padding: " + std::string(1000, 'x') + "\r\n")) continue;
      },
      {}, FakeRunner::Handshake::bare);
  expect_runner_error(ended, "the runner answered with no WebSocket");
}

TEST_P(WebSocketFaults, ShowsNoControlCharactersOfTheServer) {
  const Ended ended = shake("HTTP/1.1 400 \x1b[31mred\xff\r\n\r\n");
  expect_runner_error(ended,
                      "the runner refused the WebSocket: HTTP/1.1 400 \\x1b[31mred\xef\xbf\xbd");
}

TEST_P(WebSocketFaults, NeverAnswersTheHandshake) {
  timeout_ = 200;
  for (const char* half : {"", "HTT", "HTTP/1.1 101 Yes\r\nUpgrade: webso"})
    expect_failure(shake(half), "timeout: Execution timed out", 1);
}

TEST_P(WebSocketFaults, DripsItsHandshake) {
  timeout_ = 300;
  const Ended ended = run(
      [](FakeConnection& host) {
        host.send_bytes("HTTP/1.1 101 Yes\r\nX: ");
        while (host.send_bytes("x")) std::this_thread::sleep_for(5ms);
      },
      {}, FakeRunner::Handshake::bare);
  expect_failure(ended, "timeout: Execution timed out", 1);
}

TEST_P(WebSocketFaults, Closes) {
  const std::string message = "the runner closed the connection";
  expect_runner_error(hear(frame(8, "")), message);
  expect_runner_error(hear(frame(8, "\x03\xe8")), message + " (code 1000)");
  expect_runner_error(hear(frame(8, "\x03\xf3gone \x1b[0m")),
                      message + " (code 1011: gone \\x1b[0m)");
  // In one piece with a message, and the connection stays open.
  expect_runner_error(hear(frame(1, R"({"type":"started","id":"x"})") + frame(8, "")), message);
  expect_runner_error(hear(frame(1, "{", false) + frame(8, "")), message);
}

TEST_P(WebSocketFaults, BreaksTheRulesOfFrames) {
  for (const std::string& bytes :
       {std::string("\x81\x82mask{}", 8), frame(0, "{}"), frame(1, "{", false) + frame(1, "}"),
        frame(3, "x"), frame(0xb, "x"), frame(1 | 0x40, "{}"), frame(9, "p", false),
        frame(9, std::string(126, 'p')), std::string("\x00\x00", 2), std::string(50, '\xff')})
    expect_runner_error(hear(bytes), "the runner broke the rules of WebSockets");
}

TEST_P(WebSocketFaults, AnnouncesMoreThanALineMayHave) {
  const std::string message = "the runner sent a line of more than 67108864 bytes";
  for (const std::string& size : {std::string("\x00\x00\x00\x00\x04\x00\x00\x01", 8),
                                  std::string(8, '\x7f'), std::string(8, '\xff')})
    expect_runner_error(hear("\x81\x7f" + size), message);
  // In parts that are each small enough.
  const std::string half = frame(0, std::string((std::size_t{32} << 20) + 1, ' '), false);
  timeout_ = 20'000;
  expect_failure(hear(frame(1, " ", false) + half + half), "runner_error: " + message, 2);
}

TEST_P(WebSocketFaults, SpeaksInPartsAndInBytes) {
  const auto expect_result = [this](const std::function<std::string(const std::string&)>& bytes) {
    const Ended ended = answer(bytes);
    EXPECT_EQ(ended.output, "42\n") << ended.errors;
    EXPECT_LT(ended.took, 1s);
  };
  expect_result([](const std::string& done) { return frame(1, done); });
  expect_result([](const std::string& done) { return frame(2, done); });
  expect_result([](const std::string& done) {
    std::string parts = frame(1, "", false);
    for (const char byte : done) parts += frame(0, std::string(1, byte), false) + frame(9, "ping");
    return parts + frame(0xa, "unasked") + frame(0, "");
  });
  // Several lines in one message are none.
  expect_result([](const std::string& done) {
    return frame(1, "\n\n") + frame(1, "{\"type\":\"started\"}\n{}") + frame(1, done);
  });
  // What comes after it does not matter.
  expect_result([](const std::string& done) { return frame(1, done) + frame(8, "\x03\xe8"); });
  expect_result([](const std::string& done) { return frame(1, done) + frame(3, "x"); });
}

TEST_P(WebSocketFaults, FloodsWithPings) {
  timeout_ = 500;
  const Ended ended = run([](FakeConnection& host) {
    std::string pings;
    for (int i = 0; i < 1000; ++i) pings += frame(9, std::string(125, 'p'));
    while (host.send_bytes(pings)) continue;
  });
  expect_failure(ended, "timeout: Execution timed out", 1);
}

TEST_P(WebSocketFaults, WritesWhatJsonCanSayOfIt) {
  const Ended ended = run(
      [](FakeConnection& host) {
        host.read_request();
        host.send_bytes("HTTP/1.1 4\xc3\x28 \"no\"\x07\r\n\r\n");
        host.wait_for_end();
      },
      {"--json"}, FakeRunner::Handshake::bare);
  EXPECT_EQ(ended.exit_code, 2);
  const Value report = from_json(ended.output).value_or(Value());
  EXPECT_EQ(report["error"]["code"], "runner_error");
  EXPECT_THAT(std::string(report["error"]["message"].as_string()),
              StartsWith("the runner refused the WebSocket: HTTP/1.1 4"));
}

INSTANTIATE_TEST_SUITE_P(Over, WebSocketFaults, testing::Values(Transport::websocket),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace cordon::e2e
