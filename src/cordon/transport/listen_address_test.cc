#include "cordon/transport/listen_address.h"

#include <gtest/gtest.h>

namespace cordon::transport {
namespace {

using Kind = ListenAddress::Kind;

TEST(ListenAddress, IsReadAsItIsWritten) {
  const std::pair<const char*, ListenAddress> addresses[] = {
      {"unix:/run/a.sock", {Kind::unix_socket, "/run/a.sock", "", 0}},
      {"unix:a:b", {Kind::unix_socket, "a:b", "", 0}},
      {"tcp:127.0.0.1:7000", {Kind::tcp, "", "127.0.0.1", 7000}},
      {"tcp://0.0.0.0:1", {Kind::tcp, "", "0.0.0.0", 1}},
      {"tcp:[::1]:7000", {Kind::tcp, "", "::1", 7000}},
      {"tcp:7000", {Kind::tcp, "", "127.0.0.1", 7000}},
      {"tcp::0", {Kind::tcp, "", "127.0.0.1", 0}},
      {"ws://localhost:80", {Kind::websocket, "/", "localhost", 80}},
      {"ws://[::]:65535/a/b", {Kind::websocket, "/a/b", "::", 65535}},
      {"wss://h:1/x", {Kind::websocket, "/x", "h", 1}},
  };
  for (const auto& [text, expected] : addresses) {
    const Result<ListenAddress> address = parse_listen_address(text);
    ASSERT_TRUE(address.has_value()) << text << address.error();
    EXPECT_EQ(*address, expected) << text;
  }
}

TEST(ListenAddress, IsRefusedWhereItIsNone) {
  for (const std::string& text :
       {std::string(""), std::string("unix:"), std::string("tcp:"), std::string("tcp:host"),
        std::string("tcp:h:65536"), std::string("tcp:h:-1"), std::string("tcp:h: 1"),
        std::string("tcp:::1:7"), std::string("http://h:1"), std::string("ws://h"),
        std::string("ws://h:1/a?b"), std::string("/run/a.sock"), "unix:" + std::string(108, 'x')}) {
    EXPECT_FALSE(parse_listen_address(text).has_value()) << text;
  }
}

TEST(ListenAddress, KnowsWhetherItIsLocal) {
  for (const char* text : {"unix:x", "tcp:1", "tcp:127.8.9.1:1", "tcp:localhost:1", "ws://[::1]:1"})
    EXPECT_TRUE(parse_listen_address(text)->is_local()) << text;
  for (const char* text : {"tcp:0.0.0.0:1", "tcp:[::]:1", "ws://example.org:1", "tcp:10.0.0.1:1"})
    EXPECT_FALSE(parse_listen_address(text)->is_local()) << text;
}

TEST(ListenAddress, IsShownAsAClientWritesIt) {
  EXPECT_EQ(parse_listen_address("tcp:7")->text(false), "tcp:127.0.0.1:7");
  EXPECT_EQ(parse_listen_address("ws://[::1]:7/p")->text(true), "wss://[::1]:7/p");
  EXPECT_EQ(parse_listen_address("unix:x")->text(true), "unix:x");
}

TEST(ListenAddress, OfHttpNeedsNoScheme) {
  EXPECT_EQ(parse_http_address("127.0.0.1:7070")->text(false), "tcp:127.0.0.1:7070");
  EXPECT_EQ(parse_http_address("[::1]:0")->host, "::1");
  EXPECT_EQ(parse_http_address("7070")->host, "127.0.0.1");
  EXPECT_EQ(parse_http_address("unix:/run/a.sock")->path, "/run/a.sock");
  for (const char* const wrong : {"", "host", "host:", "host:65536", "::1:80", "unix:"})
    EXPECT_FALSE(parse_http_address(wrong)) << wrong;
}

TEST(ListenAddress, OfHttpHasAUrlThatReachesIt) {
  EXPECT_EQ(parse_http_address("localhost:80")->url(false), "http://localhost:80");
  EXPECT_EQ(parse_http_address("0.0.0.0:80")->url(true), "https://127.0.0.1:80");
  EXPECT_EQ(parse_http_address("[::]:80")->url(false), "http://[::1]:80");
  EXPECT_EQ(parse_http_address("unix:/a")->url(false), "unix:/a");
}

}  // namespace
}  // namespace cordon::transport
