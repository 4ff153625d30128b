#include "cordon/runners/target.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::runners {
namespace {

using testing::ElementsAre;

std::string complaint(std::string_view text) {
  const auto target = parse_target(text);
  return target ? "" : target.error().message;
}

TEST(RunnerTarget, IsASocketOrAPort) {
  EXPECT_EQ(std::get<SocketTarget>(*parse_target("unix:run/x.sock")).path, "run/x.sock");
  const auto port = std::get<SocketTarget>(*parse_target("tcp:7000"));
  EXPECT_EQ(port.host, "127.0.0.1");
  EXPECT_EQ(port.port, 7000);
  EXPECT_EQ(std::get<SocketTarget>(*parse_target("tcp:example.org:1")).host, "example.org");
  EXPECT_EQ(std::get<SocketTarget>(*parse_target("tcp:[::1]:7000")).host, "::1");
}

TEST(RunnerTarget, IsAUrlOfAWebSocket) {
  const auto target = std::get<WebSocketTarget>(*parse_target("ws://localhost:7000/a/b?c=d/e"));
  EXPECT_EQ(target.socket.host, "localhost");
  EXPECT_EQ(target.socket.port, 7000);
  EXPECT_EQ(target.authority, "localhost:7000");
  EXPECT_EQ(target.resource, "/a/b?c=d/e");
  EXPECT_EQ(std::get<WebSocketTarget>(*parse_target("ws://[::1]:1")).resource, "/");
  EXPECT_EQ(std::get<WebSocketTarget>(*parse_target("ws://h:1?q")).resource, "/?q");
}

TEST(RunnerTarget, IsElseACommandLine) {
  EXPECT_THAT(
      std::get<ChildTarget>(*parse_target(R"(node "my runner.js" --a 'b c' d\ e $HOME)")).words,
      ElementsAre("node", "my runner.js", "--a", "b c", "d e", "$HOME"));
}

TEST(RunnerTarget, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("unix:"), "'unix:' has no path; write it as unix:PATH");
  for (const char* text : {"tcp:", "tcp:0", "tcp:x", "tcp:70000", "tcp::1", "tcp:a:b:1", "tcp:1:"})
    EXPECT_EQ(complaint(text),
              "'" + std::string(text) + "' is no address; write it as tcp:PORT or tcp:HOST:PORT");
  for (const char* text : {"ws://", "ws://h", "ws://h:0/", "ws://h:1/a b", "ws://h:1/\r\nx",
                           "ws://h:1/#f", "ws://::1:2/"})
    EXPECT_NE(complaint(text), "") << text;
  EXPECT_NE(complaint("wss://h:1/"), "");
  EXPECT_NE(complaint("http://h:1/"), "");
  EXPECT_NE(complaint("unix:" + std::string(200, 'x')), "");
  EXPECT_EQ(complaint("  "), "it names no program");
  EXPECT_NE(complaint("node 'x"), "");
}

}  // namespace
}  // namespace cordon::runners
