#include "cordon/transport/stdio_pipe.h"

#include <array>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cordon::transport {
namespace {

using namespace std::chrono_literals;

Instant soon() { return std::chrono::steady_clock::now() + 10s; }

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  void close_reader() {
    if (ends[0] >= 0) close(std::exchange(ends[0], -1));
  }
  void close_writer() {
    if (ends[1] >= 0) close(std::exchange(ends[1], -1));
  }
  std::array<int, 2> ends{};
};

TEST(StdioPipe, ReadsToTheEnd) {
  Pipe in;
  Pipe out;
  StdioPipe both(in.ends[0], out.ends[1]);
  ASSERT_EQ(write(in.ends[1], "abc", 3), 3);
  EXPECT_TRUE(both.wait(false, soon()).input);
  EXPECT_EQ(both.read(), "abc");
  in.close_writer();
  EXPECT_TRUE(both.wait(false, soon()).input);
  EXPECT_EQ(both.read(), "");
  EXPECT_TRUE(both.input_ended());
  EXPECT_FALSE(both.wait(false, Instant()).input) << "what has ended wakes nobody";
}

TEST(StdioPipe, ReadsWhileNobodyTakesItsOutput) {
  Pipe in;
  Pipe out;
  StdioPipe both(in.ends[0], out.ends[1]);
  std::string text(1 << 20, 'x');
  while (both.wait(true, Instant()).output) ASSERT_TRUE(both.write(text));
  ASSERT_EQ(write(in.ends[1], "cancel", 6), 6);
  const auto ready = both.wait(true, soon());
  EXPECT_TRUE(ready.input);
  EXPECT_FALSE(ready.output);
  EXPECT_EQ(both.read(), "cancel");
}

template <class Take>
void expect_all_arrives(StdioPipe& both, Take take) {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{5} << 20); ++i) text += std::to_string(i) + "\n";
  const std::string expected = text;
  std::string got;
  while (got.size() < expected.size()) {
    if (!text.empty() && both.wait(true, Instant()).output) {
      ASSERT_TRUE(both.write(text));
    }
    take(got);
  }
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(got, expected);
}

TEST(StdioPipe, WritesAllToAPipeAndToASocket) {
  Pipe in;
  Pipe out;
  StdioPipe pipes(in.ends[0], out.ends[1]);
  expect_all_arrives(pipes, [&](std::string& got) {
    char buffer[100'000];
    const ssize_t size = read(out.ends[0], buffer, sizeof buffer);
    if (size > 0) got.append(buffer, static_cast<std::size_t>(size));
  });
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  StdioPipe socket(sockets[0], sockets[0]);
  expect_all_arrives(socket, [&](std::string& got) {
    char buffer[100'000];
    const ssize_t size = recv(sockets[1], buffer, sizeof buffer, MSG_DONTWAIT);
    if (size > 0) got.append(buffer, static_cast<std::size_t>(size));
  });
  close(sockets[0]);
  close(sockets[1]);
}

TEST(StdioPipe, TellsThatNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  StdioPipe both(in.ends[0], out.ends[1]);
  out.close_reader();
  std::string text = "x";
  EXPECT_TRUE(both.wait(true, soon()).output);
  EXPECT_EQ(both.write(text).error().code, ErrorCode::closed);
}

}  // namespace
}  // namespace cordon::transport
