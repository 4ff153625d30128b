// A WebSocket's wire on one end of a socket, and frames on the other.

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/descriptor.h"
#include "cordon/transport/websocket/testing/client_frames.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using websocket::CloseCode;
using websocket::Opcode;
using websocket::testing::bytes_of;
using websocket::testing::client_frame;

class WebSocketWireTest : public ::testing::Test {
 protected:
  WebSocketWireTest() { open(); }

  // Opens a new wire, after the user of the last one has seen its end.
  void open(std::string unread = {}, std::size_t room = 65'536) {
    if (wire_) wire_->close();
    settle();
    lines_.clear();
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    peer_ = Descriptor(ends[1]);
    scratch_.assign(room, 0);
    wire_ = make_websocket_wire(
        http::Upgraded{.descriptor = asio::posix::stream_descriptor(io_, ends[0]),
                       .stream = Stream(ends[0], nullptr),
                       .pass = {},
                       .unread = std::move(unread)},
        Peer::unknown, scratch_);
  }

  // Until nothing happens any more.
  void settle() {
    io_.restart();
    while (io_.run_for(5ms) > 0) io_.restart();
  }
  // Reads as long as something comes, and notes the end.
  void read_all() {
    asio::co_spawn(
        io_,
        [this]() -> asio::awaitable<void> {
          for (;;) {
            const Wire::Input input = co_await wire_->read();
            if (input.kind != Wire::Input::Kind::bytes) break;
            lines_ += input.bytes;
          }
          lines_ += "(end)";
        },
        asio::detached);
    settle();
  }
  void write_all(std::string lines) {
    asio::co_spawn(
        io_,
        [this, lines = std::move(lines)]() -> asio::awaitable<void> {
          std::string_view left = lines;
          const std::optional<std::size_t> at_once = wire_->try_write(left);
          if (!at_once) co_return;
          left.remove_prefix(*at_once);
          while (!left.empty()) {
            const std::optional<std::size_t> written = co_await wire_->write(left);
            if (!written) co_return;
            left.remove_prefix(*written);
          }
          is_written_ = true;
        },
        asio::detached);
    settle();
  }
  void finish() {
    asio::co_spawn(io_, [this] { return wire_->finish(); }, asio::detached);
    settle();
  }
  void send(std::string_view bytes) {
    ASSERT_EQ(::send(peer_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    settle();
  }
  std::string receive(std::size_t most = 1 << 20) {
    std::string bytes(most, '\0');
    const ssize_t size = recv(peer_.number(), bytes.data(), bytes.size(), 0);
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

  asio::io_context io_{1};
  Descriptor peer_;
  std::vector<std::uint8_t> scratch_;
  std::unique_ptr<Wire> wire_;
  std::string lines_;
  bool is_written_ = false;
};

TEST_F(WebSocketWireTest, MakesALineOfEachMessage) {
  read_all();
  send(client_frame({.payload = "one"}) + client_frame({.payload = "t\nw", .is_final = false}) +
       client_frame({.opcode = Opcode::continuation, .payload = "o"}) +
       client_frame({.payload = ""}));
  EXPECT_EQ(lines_, "one\nt wo\n\n");
}

TEST_F(WebSocketWireTest, MakesTheSameLinesWhereverTheBytesAreCut) {
  const std::string bytes = client_frame({.payload = "abc"}) + client_frame({.payload = ""}) +
                            client_frame({.opcode = Opcode::ping, .payload = "p"}) +
                            client_frame({.payload = "d", .is_final = false}) +
                            client_frame({.opcode = Opcode::continuation, .payload = "e"}) +
                            client_frame({.payload = "f"});
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    // What came with the handshake, and what came after it.
    open(bytes.substr(0, cut));
    read_all();
    send(bytes.substr(cut));
    EXPECT_EQ(lines_, "abc\n\nde\nf\n") << cut;
    EXPECT_EQ(receive(), bytes_of({0x8a, 1, 'p'})) << cut;
  }
}

TEST_F(WebSocketWireTest, ReadsMessagesThatAreLongerThanItsRoom) {
  for (const std::size_t room : {16u, 17u, 23u, 64u}) {
    open({}, room);
    read_all();
    const std::string text(1'000, 'x');
    send(client_frame({.payload = text}) + client_frame({.payload = "y"}) +
         client_frame({.payload = text}));
    EXPECT_EQ(lines_, text + "\ny\n" + text + "\n") << room;
  }
}

TEST_F(WebSocketWireTest, AnswersPings) {
  read_all();
  send(client_frame({.opcode = Opcode::ping, .payload = "are you there?"}));
  EXPECT_EQ(receive(), websocket::control_frame(Opcode::pong, "are you there?"));
  send(client_frame({.payload = "line"}) + client_frame({.opcode = Opcode::ping}));
  EXPECT_EQ(lines_, "line\n");
  EXPECT_EQ(receive(), websocket::control_frame(Opcode::pong, ""));
  send(client_frame({.opcode = Opcode::pong, .payload = "nobody asked"}));
  EXPECT_EQ(receive(), "");
}

TEST_F(WebSocketWireTest, WritesAMessageForEachLine) {
  write_all("one\n\ntwo\n");
  EXPECT_TRUE(is_written_);
  EXPECT_EQ(receive(), bytes_of({0x81, 3, 'o', 'n', 'e', 0x81, 0, 0x81, 3, 't', 'w', 'o'}));
}

TEST_F(WebSocketWireTest, WritesALongMessageInPartsAsItsReaderReads) {
  const std::string text(1'000'000, 'x');
  write_all(text + "\nshort\n");
  EXPECT_FALSE(is_written_) << "the reader has read nothing";
  std::string bytes;
  for (std::string part; !(part = receive(50'000)).empty(); settle()) bytes += part;
  EXPECT_TRUE(is_written_);
  // Taken apart as a client does.
  std::string message;
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t size = static_cast<unsigned char>(bytes[at + 1]);
    std::size_t head = 2;
    if (size >= 126) {
      const std::size_t more = size == 126 ? 2 : 8;
      size = 0;
      for (std::size_t i = 0; i < more; ++i)
        size = size << 8 | static_cast<unsigned char>(bytes[at + 2 + i]);
      head += more;
    }
    const bool is_first = message.empty() || message.back() == '\n';
    EXPECT_EQ(bytes[at] & 0x0f, is_first ? 1 : 0);
    message += bytes.substr(at + head, size);
    if ((bytes[at] & 0x80) != 0) message += '\n';
    sizes.push_back(size);
    at += head + size;
  }
  EXPECT_EQ(message, text + "\nshort\n");
  EXPECT_LE(*std::ranges::max_element(sizes), 65'536u);
}

TEST_F(WebSocketWireTest, AnswersTheLastOfThePingsThatCameWhileItCouldNot) {
  write_all(std::string(3'000'000, 'x') + "\n");
  read_all();
  ASSERT_FALSE(is_written_);
  send(client_frame({.opcode = Opcode::ping, .payload = "first"}));
  send(client_frame({.opcode = Opcode::ping, .payload = "second"}) +
       client_frame({.payload = "still read"}));
  EXPECT_EQ(lines_, "still read\n");
  std::string bytes;
  for (std::string part; !(part = receive()).empty(); settle()) bytes += part;
  EXPECT_TRUE(is_written_);
  EXPECT_THAT(bytes, HasSubstr(websocket::control_frame(Opcode::pong, "second")));
  EXPECT_THAT(bytes, ::testing::Not(HasSubstr("first")));
}

TEST_F(WebSocketWireTest, AnswersTheEndWithItsCode) {
  read_all();
  send(client_frame({.payload = "last words"}) +
       client_frame({.opcode = Opcode::close, .payload = bytes_of({0x0f, 0xa0, 'b', 'y', 'e'})}));
  EXPECT_EQ(lines_, "last words\n(end)");
  EXPECT_EQ(receive(), bytes_of({0x88, 2, 0x0f, 0xa0}));
  EXPECT_EQ(wire_->try_write("too late\n"), std::nullopt);
}

TEST_F(WebSocketWireTest, TellsAPeerWhichRuleItBroke) {
  const std::pair<std::string, CloseCode> wrong[] = {
      {client_frame({.payload = "x", .is_masked = false}), CloseCode::protocol_error},
      {client_frame({.payload = "x", .reserved = 0x10}), CloseCode::protocol_error},
      {client_frame({.payload = "\xff"}), CloseCode::bad_payload},
      {client_frame({.opcode = Opcode::ping, .is_final = false}), CloseCode::protocol_error},
  };
  for (const auto& [bytes, code] : wrong) {
    open();
    read_all();
    send(bytes + client_frame({.payload = "not looked at"}));
    EXPECT_EQ(lines_, "(end)");
    const std::string said = receive();
    EXPECT_EQ(said.substr(0, 1), "\x88");
    EXPECT_EQ(said.substr(2, 2), websocket::close_frame(code, "").substr(2, 2));
  }
}

TEST_F(WebSocketWireTest, SaysItsEndAndWaitsForThePeers) {
  read_all();
  finish();
  EXPECT_EQ(receive(), bytes_of({0x88, 2, 0x03, 0xe8}));
  EXPECT_EQ(lines_, "");
  send(client_frame({.opcode = Opcode::ping}));
  EXPECT_EQ(receive(), "") << "nothing follows a close frame";
  send(client_frame({.opcode = Opcode::close, .payload = bytes_of({0x03, 0xe8})}));
  EXPECT_EQ(lines_, "(end)");
  EXPECT_EQ(receive(), "") << "one close frame is enough";
}

TEST_F(WebSocketWireTest, TakesAnEndWithoutACloseFrameForABreak) {
  read_all();
  send(client_frame({.payload = "half", .is_final = false}));
  peer_.close();
  settle();
  EXPECT_EQ(lines_, "half(end)");
}

TEST_F(WebSocketWireTest, EndsWhatIsUnderWayWhenItIsClosed) {
  read_all();
  write_all(std::string(3'000'000, 'x') + "\n");
  wire_->close();
  settle();
  EXPECT_EQ(lines_, "(end)");
  EXPECT_FALSE(is_written_);
}

}  // namespace
}  // namespace cordon::transport
