// `cordon call URL` with streams of any size: memory stays small, a slow side slows the other one
// down, and a terminal shows how far it has come.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "lying_server.h"
#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class CallStreams : public ShellTunnel {
 protected:
  // A command line of a shell, in which the program may not have more memory than this.
  Ended with_little_memory(const std::string& line) const {
    return run("/bin/bash", {.arguments = {"-c", "ulimit -d 150000; " + line}, .time_limit = 120s});
  }
};

constexpr std::size_t gibibyte = std::size_t{1} << 30;
constexpr const char* stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";

TEST_F(CallStreams, TakeAGigabyteInLittleMemory) {
  const LyingServer server([](LyingConnection& connection) {
    connection.receive_request();
    connection.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1073741824\r\n\r\n");
    const std::string piece(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 1024; ++i) connection.send(piece);
  });
  const Ended ended =
      with_little_memory(cordon_program() + " call --json " + server.url() + " task | wc -c");
  EXPECT_EQ(ended.output, "1073741824\n");
  EXPECT_EQ(ended.errors, "{\"ok\":true,\"bytes\":1073741824}\n");
}

TEST_F(CallStreams, GoBothWaysInLittleMemory) {
  const LyingServer echo([](LyingConnection& connection) {
    std::string text;
    while (!text.contains("\r\n\r\n")) text += connection.receive_some();
    connection.send(stream_head);
    text.erase(0, text.find("\r\n\r\n") + 4);
    std::size_t left = gibibyte;
    for (;;) {
      connection.send(text);
      left -= text.size();
      if (left == 0) return;
      text = connection.receive_some();
      if (text.empty()) return;
    }
  });
  const std::string file = folder_.path() + "/sparse";
  const Ended ended = with_little_memory("truncate -s 1G " + file + " && " + cordon_program() +
                                         " call --json " + echo.url() + " task --stream-in " +
                                         file + " | cmp - " + file + " && echo same");
  EXPECT_EQ(ended.output, "same\n");
  EXPECT_EQ(ended.errors, "{\"ok\":true,\"bytes\":1073741824}\n");
}

TEST_F(CallStreams, UploadAGigabyteInLittleMemory) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string file = folder_.path() + "/sparse";
  const std::string command = cordon_program() + " call --token-file " + folder_.path() +
                              "/token --timeout 60000 " + url + " count --stream-in ";
  const Ended ended = with_little_memory("truncate -s 1G " + file + " && " + command + file);
  EXPECT_EQ(ended.output, "1073741824\n") << ended.errors;
  const Ended piped = with_little_memory("head -c 1073741824 /dev/zero | " + command + "-");
  EXPECT_EQ(piped.output, "1073741824\n") << piped.errors;
}

TEST_F(CallStreams, AreHeldBackByASlowReader) {
  std::atomic<std::size_t> sent = 0;
  const LyingServer server([&](LyingConnection& connection) {
    connection.receive_request();
    connection.send(stream_head);
    const std::string piece(std::size_t{64} << 10, 'x');
    for (int i = 0; i < 4'000 && connection.send(piece); ++i) sent += piece.size();
  });
  std::size_t sent_meanwhile = 0;
  const Ended ended =
      run("/bin/bash", {.arguments = {"-c", cordon_program() + " call " + server.url() +
                                                " task | { read -n 1 x; sleep 1.5; wc -c; }"},
                        .meanwhile = [&, start = std::chrono::steady_clock::now()](pid_t) {
                          if (std::chrono::steady_clock::now() < start + 1s) return false;
                          sent_meanwhile = sent;
                          return true;
                        }});
  EXPECT_EQ(ended.output, std::to_string(4'000 * (64u << 10) - 1) + "\n");
  EXPECT_GT(sent_meanwhile, 0u);
  // What fits into the buffers of sockets and of the pipe.
  EXPECT_LT(sent_meanwhile, 32u << 20);
}

// A server that takes its time: for two seconds it reads a little.
LyingServer::Serve slow_upload() {
  return [](LyingConnection& connection) {
    const auto until = std::chrono::steady_clock::now() + 2s;
    while (std::chrono::steady_clock::now() < until && !connection.receive_some().empty())
      std::this_thread::sleep_for(20ms);
    connection.send(http_answer("200 OK", "application/json", R"({"ok":true,"result":"done"})",
                                "Connection: close\r\n"));
  };
}

TEST_F(CallStreams, ShowTheirProgressOnATerminal) {
  const LyingServer server(slow_upload());
  const std::string file = folder_.file("large", std::string(100'000'000, 'x'));
  const auto upload = [&](Stream errors, const std::string& terminal) {
    return cordon({.arguments = {"call", server.url(), "task", "--stream-in", file},
                   .errors = errors,
                   .environment = {{"TERM", terminal}}});
  };
  const Ended shown = upload(Stream::terminal, "xterm");
  EXPECT_EQ(shown.output, "\"done\"\n");
  EXPECT_THAT(shown.errors, testing::StartsWith("\r\x1b[Ksent  ["));
  EXPECT_THAT(shown.errors, HasSubstr(" of 95.3 MiB  "));
  EXPECT_THAT(shown.errors, testing::EndsWith("\r\x1b[K")) << "the line is empty again";
  EXPECT_THAT(shown.errors, Not(HasSubstr("\n")));
  EXPECT_EQ(upload(Stream::terminal, "dumb").errors, "");
  EXPECT_EQ(upload(Stream::pipe, "xterm").errors, "");
}

TEST_F(CallStreams, ShowNoProgressInTheirOwnOutput) {
  const LyingServer server([](LyingConnection& connection) {
    connection.receive_request();
    connection.send(stream_head);
    for (int i = 0; i < 12; ++i) {
      connection.send("line\n");
      std::this_thread::sleep_for(100ms);
    }
  });
  const auto download = [&](Stream output) {
    return cordon({.arguments = {"call", server.url(), "task"},
                   .output = output,
                   .errors = Stream::terminal,
                   .environment = {{"TERM", "xterm"}}});
  };
  EXPECT_THAT(download(Stream::pipe).errors, HasSubstr("received  "));
  EXPECT_EQ(download(Stream::terminal).errors, "");
}

}  // namespace
}  // namespace cordon::e2e
