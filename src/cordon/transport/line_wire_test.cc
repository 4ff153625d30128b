// Lines on one end of a socket, and bytes on the other.

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
#include <gtest/gtest.h>

#include "cordon/base/descriptor.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {
namespace {

using namespace std::chrono_literals;
using Kind = Wire::Input::Kind;

class LineWireTest : public ::testing::Test {
 protected:
  LineWireTest() {
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    peer_ = Descriptor(ends[1]);
    wire_ = make_line_wire(asio::posix::stream_descriptor(io_, ends[0]), Stream(ends[0], nullptr),
                           SocketKind::local, scratch_);
  }

  void settle() {
    io_.restart();
    while (io_.run_for(5ms) > 0) io_.restart();
  }
  template <class Function>
  void spawn(Function function) {
    asio::co_spawn(io_, std::move(function), asio::detached);
    settle();
  }
  void read() {
    spawn([this]() -> asio::awaitable<void> {
      const Wire::Input input = co_await wire_->read();
      kind_ = input.kind;
      text_ += input.bytes;
    });
  }
  void send(std::string_view bytes) {
    ASSERT_EQ(::send(peer_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    settle();
  }
  std::string receive() {
    std::string bytes(1 << 20, '\0');
    const ssize_t size = recv(peer_.number(), bytes.data(), bytes.size(), 0);
    bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return bytes;
  }

  asio::io_context io_{1};
  std::vector<std::uint8_t> scratch_ = std::vector<std::uint8_t>(4'096);
  Descriptor peer_;
  std::unique_ptr<Wire> wire_;
  std::optional<Kind> kind_;
  std::string text_;
};

TEST_F(LineWireTest, ReadsWhatComes) {
  read();
  EXPECT_EQ(kind_, std::nullopt) << "nothing has come";
  send("{}\n{");
  EXPECT_EQ(kind_, Kind::bytes);
  EXPECT_EQ(text_, "{}\n{");
}

TEST_F(LineWireTest, TellsTheEndOfTheInputAndOfTheConnection) {
  shutdown(peer_.number(), SHUT_WR);
  read();
  EXPECT_EQ(kind_, Kind::ended);
  bool is_gone = false;
  spawn([&]() -> asio::awaitable<void> {
    co_await wire_->until_gone();
    is_gone = true;
  });
  EXPECT_FALSE(is_gone);
  EXPECT_EQ(wire_->try_write("still heard\n"), 12u);
  EXPECT_EQ(receive(), "still heard\n");
  peer_.close();
  settle();
  EXPECT_TRUE(is_gone);
}

TEST_F(LineWireTest, WritesWhatThereIsRoomForAndTheRestLater) {
  const std::string lines(3'000'000, 'x');
  std::string_view left = lines;
  spawn([&]() -> asio::awaitable<void> {
    const std::optional<std::size_t> at_once = wire_->try_write(left);
    left.remove_prefix(at_once.value_or(0));
    while (!left.empty()) {
      const std::optional<std::size_t> written = co_await wire_->write(left);
      if (!written) co_return;
      left.remove_prefix(*written);
    }
  });
  EXPECT_FALSE(left.empty());
  EXPECT_LT(left.size(), lines.size());
  std::size_t received = 0;
  for (std::string part; !(part = receive()).empty(); settle()) received += part.size();
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(received, lines.size());
}

TEST_F(LineWireTest, EndsItsOwnSideAlone) {
  spawn([this] { return wire_->finish(); });
  EXPECT_EQ(receive(), "");
  send("late\n");
  read();
  EXPECT_EQ(text_, "late\n");
}

TEST_F(LineWireTest, EndsWhatIsUnderWayWhenItIsClosed) {
  read();
  wire_->close();
  settle();
  EXPECT_EQ(kind_, Kind::broken);
}

}  // namespace
}  // namespace cordon::transport
