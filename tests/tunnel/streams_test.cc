// Octet-streams in and out, streamed results, clients that go, deadlines.

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

using namespace std::chrono_literals;

const std::string octets = std::string(token) + "content-type: application/octet-stream\r\n";

// So many pieces of 64 KiB, and then an error or the end.
class Pieces final : public ByteSource {
 public:
  Pieces(int count, bool fails, std::atomic<bool>* is_closed = nullptr)
      : left_(count), fails_(fails), is_closed_(is_closed) {}
  void read(Next next) override {
    if (left_-- > 0) return next(Bytes(65536, 'x'));
    if (fails_) return next(fail(ErrorCode::io, "the disk is gone"));
    next(Bytes());
  }
  void close() override {
    if (is_closed_ != nullptr) *is_closed_ = true;
  }

 private:
  int left_;
  bool fails_;
  std::atomic<bool>* is_closed_;
};

struct Seen {
  std::atomic<bool> is_closed = false;
  std::promise<void> aborted;
  std::promise<void> called;
};

void set_up(Server& server, Seen& seen) {
  server.task("echo", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("count", [](TaskCall& call) -> Coroutine<Result<Value>> {
    double bytes = 0;
    for (;;) {
      Result<Bytes> piece = co_await next_piece(*call.body);
      if (!piece) co_return fail(piece.error());
      if (piece->empty()) break;
      bytes += static_cast<double>(piece->size());
    }
    co_return Value::object({{"bytes", bytes}, {"inputIsUndefined", call.input.is_undefined()}});
  });
  server.task("push", [&seen](TaskCall& call) -> TaskAnswer {
    const int count = call.input["count"].value_or(0);
    const bool fails = call.input["fails"].value_or(false);
    return StreamedResult{std::make_shared<Pieces>(count, fails, &seen.is_closed)};
  });
  server.task("csv", [](TaskCall&) -> TaskAnswer {
    return StreamedResult{std::make_shared<Pieces>(1, false), "text/csv"};
  });
  server.task("ignore", [](Value) -> Result<Value> { return "done"; });
  server.task("wait", [&seen](TaskCall call, TaskReply reply) {
    seen.called.set_value();
    // Another thread answers when the request was given up.
    std::thread([&seen, call = std::move(call), reply = std::move(reply)]() mutable {
      while (!call.aborted.stop_requested()) std::this_thread::sleep_for(1ms);
      seen.aborted.set_value();
      reply(Value("too late"));
    }).detach();
  });
  server.task("elsewhere", [](TaskCall, TaskReply reply) {
    std::thread([reply = std::move(reply)]() mutable { reply("from another thread"); }).detach();
  });
}

class TunnelStreams : public testing::Test {
 protected:
  Seen seen_;
  RunningServer server_{{.auth = {.tokens = {"secret"}}},
                        [this](Server& server) { set_up(server, seen_); }};
};

TEST_F(TunnelStreams, BytesComeBackWhileTheClientStillSends) {
  HttpPeer peer(server_.port());
  peer.send("POST /__runner/task/echo HTTP/1.1\r\nhost: x\r\n" + octets +
            "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n");
  const std::string first = peer.receive_until("abc");
  EXPECT_TRUE(first.starts_with("HTTP/1.1 200 ")) << first;
  EXPECT_TRUE(first.contains("content-type: application/octet-stream\r\n")) << first;
  EXPECT_TRUE(first.contains("X-Frame-Options: DENY\r\n")) << first;
  peer.send("4\r\ndefg\r\n");
  peer.receive_until("defg");
  peer.send("0\r\n\r\n");
  peer.receive_until("0\r\n\r\n");
}

TEST_F(TunnelStreams, LargeBodiesAreReadAndEchoed) {
  const std::string body(8 << 20, 'y');
  const Response counted = server_.ask("POST", "/__runner/task/count", octets, body);
  EXPECT_EQ(counted.body, R"({"ok":true,"result":{"bytes":8388608,"inputIsUndefined":true}})");
  HttpPeer peer(server_.port());
  std::jthread sender([&] {
    peer.send("POST /__runner/task/echo HTTP/1.1\r\nhost: x\r\n" + octets +
              "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  });
  const Response echoed = peer.receive();
  EXPECT_TRUE(echoed.is_whole);
  EXPECT_TRUE(echoed.body == body);
}

TEST_F(TunnelStreams, ATaskNeedNotReadItsBody) {
  HttpPeer peer(server_.port());
  for (int i = 0; i < 3; ++i) {
    peer.send("POST /__runner/task/ignore HTTP/1.1\r\nhost: x\r\n" + octets +
              "content-length: 100000\r\n\r\n" + std::string(100000, 'z'));
    EXPECT_EQ(peer.receive().body, R"({"ok":true,"result":"done"})");
  }
}

TEST_F(TunnelStreams, ResultsAreStreamed) {
  const Response response = server_.post("/__runner/task/push", R"({"count":50})");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(response.headers.at("transfer-encoding"), "chunked");
  EXPECT_TRUE(response.is_whole);
  EXPECT_EQ(response.body.size(), 50U * 65536);
  EXPECT_EQ(server_.post("/__runner/task/csv", "").headers.at("content-type"), "text/csv");
}

TEST_F(TunnelStreams, AnErrorBeforeTheFirstByteIsAnEnvelope) {
  const Response response = server_.post("/__runner/task/push", R"({"fails":true})");
  EXPECT_EQ(response.status, 500U);
  EXPECT_EQ(response.body,
            R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}})");
}

TEST_F(TunnelStreams, AnErrorAfterItLeavesTheAnswerUnfinished) {
  const Response response = server_.post("/__runner/task/push", R"({"count":2,"fails":true})");
  EXPECT_EQ(response.status, 200U);
  EXPECT_FALSE(response.is_whole);
}

TEST_F(TunnelStreams, AClientThatGoesClosesTheStream) {
  {
    HttpPeer peer(server_.port());
    const std::string body = R"({"count":1000000000})";
    peer.send("POST /__runner/task/push HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
              "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    peer.receive_until("xxxx");
    peer.vanish();
  }
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!seen_.is_closed && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(seen_.is_closed);
}

TEST_F(TunnelStreams, AClientThatGoesStopsItsTask) {
  HttpPeer peer(server_.port());
  peer.send("POST /__runner/task/wait HTTP/1.1\r\nhost: x\r\n" + std::string(token) + "\r\n");
  seen_.called.get_future().wait();
  peer.vanish();
  EXPECT_EQ(seen_.aborted.get_future().wait_for(10s), std::future_status::ready);
}

TEST_F(TunnelStreams, AHalfClosedClientIsTold) {
  HttpPeer peer(server_.port());
  peer.send("POST /__runner/task/wait HTTP/1.1\r\nhost: x\r\n" + std::string(token) + "\r\n");
  peer.end_output();
  const Response response = peer.receive();
  EXPECT_EQ(response.status, 499U);
  EXPECT_EQ(response.body,
            R"({"ok":false,"error":{"message":"Client Closed Request","code":"REQUEST_ABORTED"}})");
  seen_.aborted.get_future().wait();
}

TEST_F(TunnelStreams, AnswersMayComeFromAnyThread) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(server_.post("/__runner/task/elsewhere", "").body,
              R"({"ok":true,"result":"from another thread"})");
}

TEST(TunnelDeadline, CoversTheTaskAndTheBody) {
  Seen seen;
  RunningServer server({.auth = {.tokens = {"secret"}}, .deadline = 100ms},
                       [&](Server& made) { set_up(made, seen); });
  const auto began = std::chrono::steady_clock::now();
  const Response late = server.post("/__runner/task/wait", "{}");
  EXPECT_EQ(late.status, 500U);
  EXPECT_EQ(late.body,
            R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}})");
  HttpPeer peer(server.port());
  peer.send("POST /__runner/task/ignore HTTP/1.1\r\nhost: x\r\n" + std::string(token) +
            "content-length: 10\r\n\r\n{");
  EXPECT_EQ(peer.receive().status, 500U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  EXPECT_EQ(server.post("/__runner/task/ignore", "{}").status, 200U);
  seen.aborted.get_future().wait();
}

TEST(TunnelStop, WaitsForWhatIsUnderWay) {
  std::promise<void> called;
  auto server = std::make_unique<RunningServer>(
      ServerOptions{.auth = {.tokens = {"secret"}}}, [&](Server& made) {
        made.task("slow", [&](TaskCall, TaskReply reply) {
          called.set_value();
          std::thread([reply = std::move(reply)]() mutable {
            std::this_thread::sleep_for(100ms);
            reply("finished");
          }).detach();
        });
      });
  HttpPeer peer(server->port());
  peer.send("POST /__runner/task/slow HTTP/1.1\r\nhost: x\r\n" + std::string(token) + "\r\n");
  called.get_future().wait();
  server.reset();
  EXPECT_EQ(peer.receive().body, R"({"ok":true,"result":"finished"})");
}

}  // namespace
}  // namespace cordon::tunnel_test
