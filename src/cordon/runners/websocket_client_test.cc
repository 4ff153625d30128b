#include "cordon/runners/websocket_client.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/transport/websocket/frames.h"
#include "cordon/transport/websocket/handshake.h"

namespace cordon::runners {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using transport::websocket::Opcode;

const WebSocketTarget target{{.path = {}, .host = "h", .port = 1}, "h:1", "/a?b"};

std::string frame(Opcode opcode, std::string_view payload, bool is_final = true) {
  const auto head = transport::websocket::frame_head(opcode, is_final, payload.size());
  return std::string(as_text(BytesView(head.bytes.data(), head.size))).append(payload);
}

class WebSocketClientTest : public ::testing::Test {
 protected:
  std::string hear(std::string_view bytes) {
    std::string lines;
    client_.on_bytes(bytes, lines);
    return lines;
  }
  std::string said() {
    std::string text(client_.output());
    client_.sent(text.size());
    return text;
  }
  std::string answer() {
    const std::string request = said();
    const std::string name = "Sec-WebSocket-Key: ";
    const std::size_t start = request.find(name) + name.size();
    const std::string key = request.substr(start, request.find("\r\n", start) - start);
    return "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nConnection: Upgrade\r\n"
           "Sec-WebSocket-Accept:  " +
           transport::websocket::accept_value(key) + " \r\n\r\n";
  }

  WebSocketClient client_{target, "t0ken", 1000};
};

TEST_F(WebSocketClientTest, AsksWithItsTokenAndWaitsForTheAnswer) {
  client_.add_lines("{}\n");
  const std::string request = said();
  EXPECT_THAT(request, StartsWith("GET /a?b HTTP/1.1\r\nHost: h:1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Bearer t0ken\r\n"));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\n"));
  EXPECT_FALSE(client_.is_open());
}

TEST_F(WebSocketClientTest, SendsLinesAsMaskedMessages) {
  client_.add_lines("one\ntwo\n");
  hear(answer());
  ASSERT_TRUE(client_.is_open());
  std::string bytes = said();
  transport::websocket::FrameReader reader;
  std::span<std::uint8_t> left(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size());
  for (const char* line : {"one", "two"}) {
    const auto event = reader.next(left);
    const auto* const data = std::get_if<transport::websocket::FrameReader::Data>(&event);
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(data->ends_message);
    EXPECT_EQ(as_text(data->bytes), line);
  }
}

TEST_F(WebSocketClientTest, TakesMessagesInAnyPieces) {
  const std::string wire = answer() + frame(Opcode::text, "{\"a\":\n1}") +
                           frame(Opcode::text, "he", false) + frame(Opcode::ping, "p") +
                           frame(Opcode::continuation, "llo") +
                           frame(Opcode::text, std::string(300, 'x'));
  std::string lines;
  for (const char byte : wire) client_.on_bytes(std::string_view(&byte, 1), lines);
  EXPECT_EQ(lines, "{\"a\": 1}\nhello\n" + std::string(300, 'x') + "\n");
  EXPECT_EQ(said().size(), 2U + 4 + 1) << "the pong";
  EXPECT_EQ(client_.over(), std::nullopt);
}

TEST_F(WebSocketClientTest, SaysWhyItIsOver) {
  hear("HTTP/1.1 401 Unauthorized\r\n\r\n");
  EXPECT_EQ(client_.over(), "the runner refused the WebSocket: HTTP/1.1 401 Unauthorized");
  WebSocketClient closed(target, "");
  std::string lines;
  closed.on_bytes("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n",
                  lines);
  EXPECT_EQ(closed.over(), "the runner answered with no WebSocket");
}

TEST_F(WebSocketClientTest, EndsWithACloseAndWithWhatBreaksTheRules) {
  hear(answer());
  EXPECT_EQ(hear(frame(Opcode::text, "last") + frame(Opcode::close, "")), "last\n");
  EXPECT_EQ(client_.over(), "the runner closed the connection");
}

TEST_F(WebSocketClientTest, RefusesWhatIsTooLargeBeforeItHasCome) {
  hear(answer());
  hear(frame(Opcode::text, std::string(600, 'x'), false));
  const std::string second = frame(Opcode::continuation, std::string(600, 'x'));
  hear(std::string_view(second).substr(0, 4));
  EXPECT_EQ(client_.over(), "the runner sent a line of more than 1000 bytes");
}

TEST_F(WebSocketClientTest, RefusesMasksAndStrayParts) {
  hear(answer());
  hear(frame(Opcode::continuation, "x"));
  EXPECT_EQ(client_.over(), "the runner broke the rules of WebSockets");
}

TEST_F(WebSocketClientTest, RefusesFramesThatNoServerMaySend) {
  const std::string opened = answer();
  for (const std::string& bytes :
       {frame(Opcode::ping, "p", false), frame(Opcode::ping, std::string(126, 'p')),
        frame(Opcode::close, std::string(200, 'c')), frame(static_cast<Opcode>(3), "x"),
        frame(static_cast<Opcode>(11), "x"), std::string("\xc1\x00", 2),
        std::string("\x81\x81mask!")}) {
    WebSocketClient client = client_;
    std::string lines;
    client.on_bytes(opened + bytes, lines);
    EXPECT_EQ(client.over(), "the runner broke the rules of WebSockets");
    EXPECT_EQ(lines, "");
  }
}

TEST_F(WebSocketClientTest, TellsWhyTheServerClosed) {
  hear(answer() + frame(Opcode::close, "\x03\xf0no \x1b[31m"));
  EXPECT_EQ(client_.over(), "the runner closed the connection (code 1008: no \\x1b[31m)");
}

TEST_F(WebSocketClientTest, AnswersTheLastOfManyPings) {
  hear(answer());
  const std::string ping = frame(Opcode::ping, std::string(125, 'p'));
  for (int i = 0; i < 10'000; ++i) hear(ping);
  hear(frame(Opcode::ping, "last"));
  EXPECT_LT(client_.output().size(), 100'000U);
  said();
  EXPECT_EQ(said().size(), 2U + 4 + 4) << "once there is room for it";
}

TEST_F(WebSocketClientTest, KnowsEarlyThatThereIsNoAnswer) {
  const auto over = [](const std::string& bytes) {
    WebSocketClient client(target, "");
    std::string lines;
    for (const char byte : bytes) client.on_bytes(std::string_view(&byte, 1), lines);
    return client.over().value_or("it goes on");
  };
  EXPECT_EQ(over("SSH-2.0"), "the runner answered with no WebSocket");
  EXPECT_EQ(over("{\"type\":\"started\"}"), "the runner answered with no WebSocket");
  EXPECT_EQ(over("HTTP/1.1 404 Not\xff Found\r\n"),
            "the runner refused the WebSocket: HTTP/1.1 404 Not\xef\xbf\xbd Found");
  EXPECT_EQ(over("HTTP/1.1 1015\r\n"), "the runner refused the WebSocket: HTTP/1.1 1015");
  EXPECT_EQ(over("HTTP/1.1 101 Yes\r\n"), "it goes on");
  EXPECT_EQ(over("HTTP/1.1 101 Yes\r\nA: " + std::string(70'000, 'x')),
            "the runner answered with no WebSocket");
}

TEST_F(WebSocketClientTest, RefusesAnAnswerThatIsNotTheWholeOne) {
  const std::string whole = answer();
  const auto over = [&](const std::string& head) {
    WebSocketClient client = client_;
    std::string lines;
    client.on_bytes(head, lines);
    return client.over().value_or("it goes on");
  };
  EXPECT_EQ(over(whole), "it goes on");
  for (const char* header : {"upgrade", "Connection", "Sec-WebSocket-Accept"}) {
    std::string without = whole;
    without.replace(without.find(header), 1, "x");
    EXPECT_EQ(over(without), "the runner answered with no WebSocket") << header;
  }
  for (const char* header : {"Sec-WebSocket-Protocol: x", "Sec-WebSocket-Extensions: x"})
    EXPECT_EQ(over(whole.substr(0, whole.size() - 2) + header + "\r\n\r\n"),
              "the runner broke the rules of WebSockets")
        << header;
}

TEST_F(WebSocketClientTest, SendsMuchInSmallPiecesQuickly) {
  hear(answer());
  client_.add_lines(std::string(std::size_t{32} << 20, 'x') + "\n");
  std::size_t all = 0;
  while (!client_.output().empty()) {
    const std::size_t piece = std::min<std::size_t>(client_.output().size(), 4096);
    client_.sent(piece);
    all += piece;
  }
  EXPECT_GT(all, std::size_t{32} << 20);
}

}  // namespace
}  // namespace cordon::runners
