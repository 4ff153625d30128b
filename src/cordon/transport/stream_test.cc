#include "cordon/transport/stream.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "cordon/base/descriptor.h"
#include "cordon/transport/http/testing/tls_server.h"
#include "cordon/transport/tls_context.h"

namespace cordon::transport {
namespace {

using Status = Stream::Status;

// Two ends of a connection, neither of which waits.
std::pair<Descriptor, Descriptor> connected() {
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

BytesView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string read_from(Stream& stream, std::size_t most = 65'536) {
  std::vector<std::uint8_t> room(most);
  const Stream::Outcome got = stream.read(room);
  return {room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.bytes)};
}

TEST(Stream, MovesBytesWithoutWaiting) {
  const auto [left, right] = connected();
  Stream ours(left.number(), nullptr);
  Stream theirs(right.number(), nullptr);
  std::array<std::uint8_t, 8> room;
  EXPECT_EQ(ours.read(room).status, Status::wants_read);
  const BytesView pieces[] = {bytes_of("one "), {}, bytes_of("two")};
  const Stream::Outcome sent = theirs.write(pieces);
  EXPECT_EQ(sent.status, Status::moved);
  EXPECT_EQ(sent.bytes, 7u);
  EXPECT_EQ(read_from(ours), "one two");
}

TEST(Stream, SaysWhenThereIsNoRoomToWrite) {
  const auto [left, right] = connected();
  Stream ours(left.number(), nullptr);
  Stream theirs(right.number(), nullptr);
  const std::string text(1 << 20, 'x');
  const BytesView piece = bytes_of(text);
  Stream::Outcome sent;
  std::size_t all = 0;
  while ((sent = ours.write({&piece, 1})).status == Status::moved) all += sent.bytes;
  EXPECT_EQ(sent.status, Status::wants_write);
  std::size_t read = 0;
  for (std::string part; !(part = read_from(theirs)).empty();) read += part.size();
  EXPECT_EQ(read, all);
  EXPECT_EQ(ours.write({&piece, 1}).status, Status::moved);
}

TEST(Stream, TellsTheEndFromABreak) {
  auto [left, right] = connected();
  Stream ours(left.number(), nullptr);
  Stream theirs(right.number(), nullptr);
  EXPECT_EQ(theirs.end_output(), Status::moved);
  std::array<std::uint8_t, 8> room;
  EXPECT_EQ(ours.read(room).status, Status::ended);
  const BytesView piece = bytes_of("still heard");
  EXPECT_EQ(ours.write({&piece, 1}).status, Status::moved);
  EXPECT_EQ(read_from(theirs), "still heard");
  right.close();
  EXPECT_EQ(ours.write({&piece, 1}).status, Status::broken) << "and no signal ends the process";
}

TEST(Stream, FillsASecondRoomOnceTheFirstIsFull) {
  const auto [left, right] = connected();
  Stream ours(left.number(), nullptr);
  Stream theirs(right.number(), nullptr);
  const BytesView piece = bytes_of("abcdef");
  (void)theirs.write({&piece, 1});
  std::array<std::uint8_t, 4> first;
  std::array<std::uint8_t, 4> second;
  EXPECT_EQ(ours.read(first, second).bytes, 6u);
  EXPECT_EQ(std::string(first.begin(), first.end()), "abcd");
  EXPECT_EQ(std::string(second.begin(), second.begin() + 2), "ef");
}

TEST(Stream, GoesOnAfterItWasMoved) {
  const auto [left, right] = connected();
  Stream made(left.number(), nullptr);
  Stream ours = std::move(made);
  Stream theirs(right.number(), nullptr);
  const BytesView piece = bytes_of("hello");
  (void)theirs.write({&piece, 1});
  EXPECT_EQ(read_from(ours), "hello");
}

// A stream with TLS, and OpenSSL's own client at the other end.
class SecureStream : public ::testing::Test {
 protected:
  SecureStream() {
    std::filesystem::create_directories(folder_);
    http::testing::output_of(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -keyout " +
        folder_ + "/key.pem -out " + folder_ + "/cert.pem");
    server_ = *make_tls_context({folder_ + "/cert.pem", folder_ + "/key.pem"});
    client_context_ = SSL_CTX_new(TLS_client_method());
    client_ = SSL_new(client_context_);
    SSL_set_fd(client_, ends_.second.number());
    SSL_set_connect_state(client_);
  }
  ~SecureStream() override {
    SSL_free(client_);
    SSL_CTX_free(client_context_);
    std::filesystem::remove_all(folder_);
  }

  Status shake_hands(Stream& ours) {
    Status status = Status::wants_read;
    for (int i = 0; i < 10 && status != Status::moved; ++i) {
      SSL_do_handshake(client_);
      status = ours.shake_hands();
      if (status == Status::broken) break;
    }
    return status;
  }

  const std::string folder_ = ::testing::TempDir() + "/stream_" + std::to_string(getpid());
  const std::pair<Descriptor, Descriptor> ends_ = connected();
  std::shared_ptr<boost::asio::ssl::context> server_;
  SSL_CTX* client_context_ = nullptr;
  SSL* client_ = nullptr;
};

TEST_F(SecureStream, CarriesBytesBothWays) {
  Stream made(ends_.first.number(), server_->native_handle());
  EXPECT_TRUE(made.is_secure());
  ASSERT_EQ(shake_hands(made), Status::moved);
  // The certificate of new connections may be another by now, and the stream elsewhere.
  server_.reset();
  Stream ours = std::move(made);
  EXPECT_EQ(SSL_write(client_, "ping", 4), 4);
  std::array<std::uint8_t, 2> room;
  EXPECT_EQ(ours.read(room).bytes, 2u);
  EXPECT_TRUE(ours.has_pending()) << "no event of the socket tells of the rest";
  EXPECT_EQ(read_from(ours), "ng");
  EXPECT_FALSE(ours.has_pending());
  const BytesView pieces[] = {bytes_of("po"), bytes_of("ng")};
  EXPECT_EQ(ours.write(pieces).bytes, 4u) << "small pieces share a record";
  char text[8];
  EXPECT_EQ(SSL_read(client_, text, sizeof text), 4);
}

TEST_F(SecureStream, TellsAnEndThatWasSaidFromOneThatWasNot) {
  Stream ours(ends_.first.number(), server_->native_handle());
  ASSERT_EQ(shake_hands(ours), Status::moved);
  EXPECT_EQ(ours.end_output(), Status::moved);
  char text[8];
  EXPECT_EQ(SSL_read(client_, text, sizeof text), 0);
  EXPECT_EQ(SSL_get_error(client_, 0), SSL_ERROR_ZERO_RETURN);
  shutdown(ends_.second.number(), SHUT_WR);
  std::array<std::uint8_t, 8> room;
  EXPECT_EQ(ours.read(room).status, Status::broken) << "what was cut off may look like a whole";
}

TEST_F(SecureStream, WaitsForRoomToSayItsEnd) {
  Stream ours(ends_.first.number(), server_->native_handle());
  ASSERT_EQ(shake_hands(ours), Status::moved);
  char text[16'384];
  while (SSL_read(client_, text, sizeof text) > 0) {
  }
  // Fills the socket behind the stream's back.
  while (send(ends_.first.number(), text, sizeof text, MSG_DONTWAIT) > 0) {
  }
  while (send(ends_.first.number(), text, 1, MSG_DONTWAIT) > 0) {
  }
  EXPECT_EQ(ours.end_output(), Status::wants_write);
  while (recv(ends_.second.number(), text, sizeof text, MSG_DONTWAIT) > 0) {
  }
  EXPECT_EQ(ours.end_output(), Status::moved);
}

}  // namespace
}  // namespace cordon::transport
