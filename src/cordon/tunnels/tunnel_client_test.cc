#include "cordon/tunnel_client.h"

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/transport/http/testing/scripted_server.h"

namespace cordon {
namespace {

using namespace std::chrono_literals;
using transport::http::testing::ScriptedPeer;
using transport::http::testing::ScriptedServer;

// A request as a script sees it.
struct Seen {
  std::string head;
  std::string body;

  bool has(std::string_view line) const {
    return head.contains("\r\n" + std::string(line) + "\r\n");
  }
};

Seen read_request(ScriptedPeer& peer) {
  Seen seen{.head = peer.read_head(), .body = {}};
  const std::size_t at = seen.head.find("content-length: ");
  if (at != seen.head.npos) seen.body = peer.read_exactly(std::stoul(seen.head.substr(at + 16)));
  return seen;
}

std::string json_answer(const std::string& text, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status +
         "\r\ncontent-type: application/json\r\nx-runner-request-id: r-1\r\ncontent-length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

TunnelClientOptions options_for(const ScriptedServer& server) {
  return {.url = server.url() + "/__runner", .uses_proxies = false};
}
TunnelClient client_of(const ScriptedServer& server) {
  return *TunnelClient::create(options_for(server));
}

std::string text_of(const TunnelError& error) { return error.code + ": " + error.message; }
std::string text_of(const TunnelResult<Value>& result) {
  if (!result) return text_of(result.error());
  return result->is_string() ? std::string(result->as_string())
                             : std::to_string(result->as_number());
}

// What comes of one call, whatever it is, that is answered like this.
TunnelResult<Value> answer_to(const std::string& answer) {
  const ScriptedServer server([&](ScriptedPeer& peer) {
    read_request(peer);
    peer.send(answer);
  });
  TunnelClient client = client_of(server);
  return start(client.task("a.b", {}, {.timeout = 5s})).get();
}

std::string read_all(ByteSource& source) {
  std::string all;
  for (;;) {
    std::promise<Result<Bytes>> piece;
    source.read([&](Result<Bytes> bytes) { piece.set_value(std::move(bytes)); });
    const Result<Bytes> got = piece.get_future().get();
    if (!got) return all + ", then " + std::string(name_of(got.error().code));
    if (got->empty()) return all;
    all += as_text(*got);
  }
}

TEST(TunnelClient, CallsATaskAndReadsItsResult) {
  Seen seen;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    seen = read_request(peer);
    peer.send(json_answer(
        R"({"ok":true,"result":{"__type":"Date","value":"2026-01-02T00:00:00.000Z"}})"));
  });
  TunnelClientOptions options = options_for(server);
  options.token = "secret";
  options.headers = {{"x-always", "1"}, {"x-both", "client"}};
  TunnelClient client = *TunnelClient::create(options);
  const TunnelResult<Value> result =
      start(client.task("app.tasks.add/sub", Value::object({{"when", Value::date(0)}}),
                        {.headers = {{"x-both", "call"}},
                         .request_id = "id-1",
                         .contexts = {{"user", Value("me")}}}))
          .get();
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->kind(), Kind::date);
  EXPECT_TRUE(seen.head.starts_with("POST /__runner/task/app.tasks.add%2Fsub HTTP/1.1\r\n"))
      << seen.head;
  EXPECT_TRUE(seen.has("x-runner-token: secret"));
  EXPECT_TRUE(seen.has("x-runner-request-id: id-1"));
  EXPECT_TRUE(seen.has(R"(x-runner-context: {"user":"\"me\""})")) << seen.head;
  EXPECT_TRUE(seen.has("x-always: 1"));
  EXPECT_TRUE(seen.has("x-both: call"));
  EXPECT_FALSE(seen.has("x-both: client"));
  EXPECT_EQ(seen.body,
            R"({"input":{"when":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"}}})");
}

TEST(TunnelClient, SendsATokenAsBearerInAuthorization) {
  Seen seen;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    seen = read_request(peer);
    peer.send(json_answer(R"({"ok":true})"));
  });
  TunnelClientOptions options = options_for(server);
  options.token = "secret";
  options.token_header = "authorization";
  TunnelClient client = *TunnelClient::create(options);
  EXPECT_TRUE(start(client.emit("e")).get());
  EXPECT_TRUE(seen.has("authorization: Bearer secret")) << seen.head;
  EXPECT_EQ(seen.body, R"({"payload":{"__type":"Undefined","value":null}})");
}

TEST(TunnelClient, ShowsEachRequestToItsHook) {
  Seen seen;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    seen = read_request(peer);
    peer.send(json_answer(R"({"ok":true,"result":1})"));
  });
  TunnelClientOptions options = options_for(server);
  options.on_request = [](const TunnelRequest& request) -> Result<std::vector<TunnelHeader>> {
    if (request.id == "no") return fail(ErrorCode::permission_denied, "not this one");
    return std::vector<TunnelHeader>{
        {"x-signed", std::string(request.id) + std::string(request.body.value_or("none"))}};
  };
  TunnelClient client = *TunnelClient::create(options);
  EXPECT_EQ(text_of(start(client.task("t", Value(1))).get()), "1.000000");
  EXPECT_TRUE(seen.has(R"(x-signed: t{"input":1})")) << seen.head;
  EXPECT_EQ(text_of(start(client.task("no")).get()), "refused: not this one");
}

TEST(TunnelClient, GivesTypedErrorsBack) {
  const TunnelResult<Value> result = answer_to(json_answer(
      R"({"ok":false,"error":{"message":"none left","code":"INTERNAL_ERROR","id":"shop.out","data":{"n":2}}})",
      "500 Internal Server Error"));
  ASSERT_FALSE(result);
  const TunnelError& error = result.error();
  EXPECT_EQ(error.failure, TunnelFailure::answered);
  EXPECT_TRUE(error.is_typed());
  EXPECT_EQ(error.id, "shop.out");
  EXPECT_EQ(error.data, Value::object({{"n", 2}}));
  EXPECT_EQ(error.status, 500u);
  EXPECT_EQ(error.code, "INTERNAL_ERROR");
  EXPECT_EQ(error.request_id, "r-1");
  EXPECT_EQ(error.to_error().code_text(), "shop.out");
}

TEST(TunnelClient, TellsHowServersLie) {
  EXPECT_EQ(answer_to("").error().failure, TunnelFailure::bad_response);
  EXPECT_EQ(
      answer_to("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")
          .error()
          .failure,
      TunnelFailure::bad_response);
  EXPECT_EQ(answer_to("HTTP/1.1 204 No Content\r\n\r\n").error().failure,
            TunnelFailure::bad_response);
  EXPECT_EQ(answer_to(json_answer("{\"ok\":tru")).error().failure, TunnelFailure::bad_response);
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                      "content-length: 50\r\n\r\n{\"ok\":true}")
                .error()
                .failure,
            TunnelFailure::truncated);
  const TunnelResult<Value> moved =
      answer_to("HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n");
  EXPECT_EQ(moved.error().failure, TunnelFailure::redirect);
  EXPECT_EQ(moved.error().location, "http://elsewhere/");
  EXPECT_EQ(moved.error().status, 302u);
}

TEST(TunnelClient, BoundsAnswers) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    while (!read_request(peer).head.empty())
      peer.send(json_answer("{\"ok\":true,\"result\":\"" + std::string(5'000, 'x') + "\"}"));
  });
  TunnelClient client = client_of(server);
  EXPECT_EQ(start(client.task("a", {}, {.max_answer_bytes = 1'000})).get().error().failure,
            TunnelFailure::too_large);
  EXPECT_TRUE(start(client.task("a", {}, {.max_answer_bytes = 6'000})).get());
  std::size_t left = 3'000;
  const auto spend = [&](std::size_t bytes) {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  EXPECT_EQ(start(client.task("a", {}, {.spend = spend})).get().error().failure,
            TunnelFailure::too_large);
  left = 6'000;
  EXPECT_TRUE(start(client.task("a", {}, {.spend = spend})).get());
  left = 10;
  const TunnelResult<Value> unsent =
      start(client.task("a", Value("a long input"), {.spend = spend})).get();
  EXPECT_EQ(unsent.error().failure, TunnelFailure::too_large);
  EXPECT_FALSE(unsent.error().was_sent);
}

TEST(TunnelClient, RefusesWhatCannotBeSent) {
  const ScriptedServer server([](ScriptedPeer& peer) { peer.read_all(); });
  TunnelClient client = client_of(server);
  EXPECT_EQ(text_of(start(client.task("")).get()), "refused: a task or an event has an id");
  EXPECT_EQ(text_of(start(client.task("a", {}, {.headers = {{"x", "a\nb"}}})).get()),
            "refused: the header x has control characters");
  TunnelInput missing;
  const Value place = missing.add({.name = "m", .content = TunnelFile::Path{"/nowhere/at.all"}});
  missing.value = Value::object({{"file", place}});
  EXPECT_EQ(text_of(start(client.task("a", missing)).get()),
            "refused: the file m: No such file or directory");
  TunnelInput lost;
  (void)lost.add({.name = "lost", .content = Bytes{1}});
  EXPECT_EQ(text_of(start(client.task("a", lost)).get()),
            "refused: the file lost has no place in the input");
  EXPECT_EQ(server.connections(), 0u);

  EXPECT_FALSE(TunnelClient::create({.url = "ftp://a"}));
  EXPECT_FALSE(TunnelClient::create({.url = "http://u:p@a"}));
  EXPECT_FALSE(TunnelClient::create({.url = "http://a", .token = "a\nb"}));
}

TEST(TunnelClient, SendsFilesWhereTheValueHasThem) {
  std::string request;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    const std::string head = peer.read_head();
    const std::size_t at = head.find("boundary=") + 9;
    const std::string boundary = head.substr(at, head.find("\r\n", at) - at);
    request = peer.read_until("--" + boundary + "--\r\n");
    peer.send(json_answer(R"({"ok":true,"result":"got it"})"));
  });
  const std::string path = ::testing::TempDir() + "/tunnel_client_file";
  std::ofstream(path) << "from a file";
  class Once : public ByteSource {
   public:
    void read(Next next) override {
      const std::string_view text = std::exchange(left_, "");
      next(Bytes(text.begin(), text.end()));
    }
    void close() override {}

   private:
    std::string_view left_ = "from a stream";
  };
  TunnelClient client = client_of(server);
  TunnelInput input;
  const Value memory =
      input.add({.name = "m.txt", .type = "text/plain", .content = Bytes{'m', 'e', 'm'}});
  const Value file = input.add({.name = "f.txt", .content = TunnelFile::Path{path}});
  const Value stream = input.add({.name = "s.txt", .content = std::make_shared<Once>()});
  input.value = Value::object(
      {{"deep", Value::array({memory, file})}, {"stream", stream}, {"when", Value::date(0)}});
  EXPECT_EQ(text_of(start(client.task("a", input)).get()), "got it");
  EXPECT_TRUE(request.contains("name=\"__manifest\"")) << request;
  EXPECT_TRUE(request.contains(R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})"));
  // In chunks, since the size of the stream is not known.
  EXPECT_TRUE(request.contains("filename=\"m.txt\"\r\nContent-Type: text/plain\r\n\r\n"));
  EXPECT_TRUE(request.contains("\r\n3\r\nmem\r\n"));
  EXPECT_TRUE(request.contains("from a file"));
  EXPECT_TRUE(request.contains("from a stream"));
  std::remove(path.c_str());
}

TEST(TunnelClient, StreamsAnswers) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    read_request(peer);
    peer.send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\nconnection: close\r\n"
        "transfer-encoding: chunked\r\n\r\n");
    peer.drip("3\r\nabc\r\n3\r\ndef\r\n", 2ms, 4);
    if (peer.number == 0) peer.send("0\r\n\r\n");
  });
  TunnelClient client = client_of(server);
  TunnelResult<TunnelAnswer> answer = start(client.call("a")).get();
  ASSERT_TRUE(answer) << answer.error();
  const auto* const stream = std::get_if<TunnelStream>(&*answer);
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(stream->content_type, "text/csv");
  EXPECT_EQ(read_all(*stream->bytes), "abcdef");
  EXPECT_EQ(read_all(*stream->bytes), "");

  TunnelResult<TunnelAnswer> cut = start(client.call("a")).get();
  EXPECT_EQ(read_all(*std::get<TunnelStream>(*cut).bytes), "abcdef, then truncated");
}

TEST(TunnelClient, CollectsAStreamWhereAValueIsWanted) {
  const TunnelResult<Value> value =
      answer_to("HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\na,b");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->kind(), Kind::typed_array);
  EXPECT_EQ(as_text(value->as_bytes()), "a,b");
}

TEST(TunnelClient, AbortsAStreamThatIsDropped) {
  std::atomic<bool> is_gone = false;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    read_request(peer);
    peer.send("HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\na");
    peer.read_all();
    is_gone = true;
  });
  TunnelClient client = client_of(server);
  TunnelResult<TunnelAnswer> answer = start(client.call("a")).get();
  ASSERT_TRUE(answer);
  answer = TunnelAnswer(Value());
  for (int i = 0; i < 500 && !is_gone; ++i) std::this_thread::sleep_for(2ms);
  EXPECT_TRUE(is_gone);
}

TEST(TunnelClient, EndsACallThatIsStoppedOrLate) {
  std::atomic<int> gone = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_all();
    ++gone;
  });
  TunnelClient client = client_of(server);
  EXPECT_EQ(start(client.task("a", {}, {.timeout = 20ms})).get().error().failure,
            TunnelFailure::timeout);
  std::stop_source stop;
  auto future = start(client.task("a", {}, {.stop = stop.get_token()}));
  std::this_thread::sleep_for(10ms);
  stop.request_stop();
  EXPECT_EQ(future.get().error().failure, TunnelFailure::cancelled);
  EXPECT_EQ(start(client.task("a", {}, {.stop = stop.get_token()})).get().error().failure,
            TunnelFailure::cancelled);
  for (int i = 0; i < 500 && gone < 2; ++i) std::this_thread::sleep_for(2ms);
  EXPECT_EQ(gone, 2);
}

TEST(TunnelClient, EndsItsCallsWithItself) {
  const ScriptedServer server([](ScriptedPeer& peer) { peer.read_all(); });
  std::optional<TunnelClient> client = client_of(server);
  std::vector<std::future<TunnelResult<Value>>> futures;
  for (int i = 0; i < 100; ++i) futures.push_back(start(client->task("a")));
  client.reset();
  for (auto& future : futures) EXPECT_EQ(future.get().error().failure, TunnelFailure::cancelled);
}

TEST(TunnelClient, MayEndInsideOfAnAnswer) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    read_request(peer);
    peer.send(json_answer(R"({"ok":true,"result":1})"));
  });
  for (int i = 0; i < 20; ++i) {
    auto client = std::make_shared<std::optional<TunnelClient>>(client_of(server));
    std::promise<bool> done;
    (*client)->start({.id = "a"}, [&](TunnelResult<TunnelAnswer> answer) {
      client->reset();
      done.set_value(answer.has_value());
    });
    EXPECT_TRUE(done.get_future().get());
  }
}

TEST(TunnelClient, ServesManyThreads) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    for (Seen seen = read_request(peer); !seen.head.empty(); seen = read_request(peer))
      peer.send(json_answer("{\"ok\":true,\"result\":" + seen.body.substr(9)));
  });
  TunnelClient client = client_of(server);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const TunnelResult<Value> result = start(client.task("a", Value(t * 1'000 + i))).get();
        if (!result || result->as_number() != t * 1'000 + i) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(server.connections(), 8u);
}

TEST(TunnelClient, AsksForDiscoveryOnceUntilItIsWrong) {
  std::atomic<int> asked = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    for (Seen seen = read_request(peer); !seen.head.empty(); seen = read_request(peer)) {
      if (seen.head.starts_with("GET /__runner/discovery ")) {
        ++asked;
        // The first one breaks off.
        if (asked == 1) return (void)peer.send("HTTP/1.1 200 O");
        peer.send(json_answer(
            R"({"ok":true,"result":{"allowList":{"enabled":true,"tasks":["a"],"events":["e"]}}})"));
      } else {
        peer.send(json_answer(R"({"ok":false,"error":{"message":"no","code":"FORBIDDEN"}})",
                              "403 Forbidden"));
      }
    }
  });
  TunnelClient client = client_of(server);
  const TunnelDiscovery expected{.enabled = true, .tasks = {"a"}, .events = {"e"}};
  EXPECT_EQ(start(client.discover()).get(), expected);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(start(client.discover()).get(), expected);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(start(client.discover({}, TunnelClient::Known::asked_again)).get(), expected);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(start(client.task("gone")).get().error().code, "FORBIDDEN");
  EXPECT_EQ(start(client.discover()).get(), expected);
  EXPECT_EQ(asked, 4);
}

TEST(TunnelClient, SendsACallOnce) {
  std::atomic<int> seen = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    if (!read_request(peer).head.empty()) ++seen;
  });
  TunnelClient client = client_of(server);
  const TunnelResult<Value> result = start(client.task("a")).get();
  EXPECT_EQ(result.error().failure, TunnelFailure::bad_response);
  EXPECT_TRUE(result.error().was_sent);
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace cordon
