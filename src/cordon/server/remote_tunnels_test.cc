#include "cordon/server/remote_tunnels.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/base64.h"
#include "cordon/engine.h"
#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/transport/http/testing/scripted_server.h"

namespace cordon::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using transport::http::testing::ScriptedPeer;
using transport::http::testing::ScriptedServer;

constexpr std::string_view listing =
    R"({"ok":true,"result":{"allowList":{"enabled":true,"tasks":["app.tasks.add","shop.buy"],"events":[]}}})";

std::string json_answer(std::string_view text, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status +
         "\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(text.size()) +
         "\r\n\r\n" + std::string(text);
}

struct Seen {
  std::string head;
  std::string body;
};

// Lists its tasks, and then answers every call with what the test says.
class Remote {
 public:
  explicit Remote(std::function<void(ScriptedPeer&, const Seen&)> answer)
      : server_([this, answer = std::move(answer)](ScriptedPeer& peer) {
          for (std::string head = peer.read_head(); !head.empty(); head = peer.read_head()) {
            Seen seen{std::move(head), {}};
            const std::size_t at = seen.head.find("content-length: ");
            if (at != seen.head.npos)
              seen.body = peer.read_exactly(std::stoul(seen.head.substr(at + 16)));
            if (seen.head.contains("/discovery ")) {
              ++discoveries;
              peer.send(json_answer(listing));
              continue;
            }
            ++calls;
            answer(peer, seen);
          }
        }) {}
  explicit Remote(std::string answer)
      : Remote([answer = std::move(answer)](ScriptedPeer& peer, const Seen&) {
          peer.send(answer);
          peer.end_output();
        }) {}

  std::string url() const { return server_.url() + "/__runner"; }
  std::atomic<int> discoveries = 0;
  std::atomic<int> calls = 0;

 private:
  ScriptedServer server_;
};

class RemoteTunnelsTest : public testing::Test {
 protected:
  static config::TunnelTarget target(const std::string& url) {
    config::TunnelTarget made;
    made.url = url;
    made.token = "hunter2-token";
    return made;
  }
  static Provider provider_of(
      config::TunnelTarget tunnel,
      providers::RemoteTasks::Names names = providers::RemoteTasks::Names::open) {
    config::Configuration configuration;
    configuration.tunnels.emplace_back("remote", std::move(tunnel));
    const Result<RemoteTunnels> tunnels = RemoteTunnels::create(configuration);
    EXPECT_TRUE(tunnels.has_value());
    tunnels->discover();
    return tunnels->all()[0].second->provider(names);
  }
  Report run(const Provider& provider, std::string_view code, ExecuteOptions options = {}) {
    options.providers = {provider};
    return engine.execute(code, std::move(options)).get();
  }
  // What a call ends with that is answered like this.
  Report failure_of(const std::string& answer) {
    const Remote remote(answer);
    return run(provider_of(target(remote.url())), "await remote.app_tasks_add({a: 1})");
  }

  Engine engine = *Engine::create_one_shot();
};

TEST_F(RemoteTunnelsTest, CallTasksWithValuesOfAllKinds) {
  std::string body;
  const Remote remote([&](ScriptedPeer& peer, const Seen& seen) {
    body = seen.body;
    peer.send(json_answer(
        R"({"ok":true,"result":{"at":{"__type":"Date","value":"1970-01-01T00:00:00.005Z"},)"
        R"("map":{"__type":"Map","value":[[1,{"__type":"BigInt","value":"7"}]]}}})"));
  });
  const Report report =
      run(provider_of(target(remote.url())),
          "const r = await remote.app_tasks_add({when: new Date(0), ids: new Set([1n])});"
          "[r.at.getTime(), r.map.get(1) === 7n, Object.keys(remote)]");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({5, true, Value::array({"app_tasks_add", "shop_buy"})}));
  EXPECT_THAT(body, HasSubstr(R"("when":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"})"));
  EXPECT_THAT(body, HasSubstr(R"("__type":"Set")"));
}

TEST_F(RemoteTunnelsTest, SendTheTokenAndHeadersAsTheyAreAsked) {
  std::string head;
  const Remote remote([&](ScriptedPeer& peer, const Seen& seen) {
    head = seen.head;
    peer.send(json_answer(R"({"ok":true,"result":1})"));
  });
  config::TunnelTarget tunnel = target(remote.url());
  tunnel.headers = {{"x-team", "blue"}};
  ASSERT_TRUE(run(provider_of(tunnel), "await remote.app_tasks_add()").ok());
  EXPECT_THAT(head, HasSubstr("POST /__runner/task/app.tasks.add HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nx-runner-token: hunter2-token\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nx-team: blue\r\n"));
  tunnel.header = "authorization";
  ASSERT_TRUE(run(provider_of(tunnel), "await remote.app_tasks_add()").ok());
  EXPECT_THAT(head, HasSubstr("\r\nauthorization: Bearer hunter2-token\r\n"));
}

TEST_F(RemoteTunnelsTest, SignTheCallsOfLanes) {
  Seen seen;
  const Remote remote([&](ScriptedPeer& peer, const Seen& made) {
    seen = made;
    peer.send(json_answer(R"({"ok":true,"result":1})"));
  });
  config::TunnelTarget tunnel = target(remote.url());
  config::SignedLane lane;
  lane.tasks = {"app.*"};
  lane.secret = "a secret of thirty-two bytes, ok";
  lane.key_id = "2026";
  tunnel.lanes.emplace_back("sums", lane);
  const Provider provider = provider_of(tunnel);
  ASSERT_TRUE(run(provider, "await remote.app_tasks_add({a: 1})").ok());
  const std::string mark = "\r\nauthorization: Bearer ";
  const std::size_t at = seen.head.find(mark);
  ASSERT_NE(at, seen.head.npos) << seen.head;
  const std::string token =
      seen.head.substr(at + mark.size(), seen.head.find("\r\n", at + 2) - at - mark.size());
  EXPECT_EQ(std::ranges::count(token, '.'), 2);
  EXPECT_THAT(seen.head, HasSubstr("\r\nx-runner-token: hunter2-token\r\n")) << "it is one more";
  ASSERT_TRUE(run(provider, "await remote.shop_buy()").ok());
  EXPECT_THAT(seen.head, Not(HasSubstr("authorization")));
}

TEST_F(RemoteTunnelsTest, GiveTheWordsOfTheServerAndItsTypedErrors) {
  const Remote remote([&](ScriptedPeer& peer, const Seen&) {
    peer.send(json_answer(
        R"({"ok":false,"error":{"message":"none is left","code":"INTERNAL_ERROR","id":"shop.errors.none",)"
        R"("data":{"at":{"__type":"Date","value":"1970-01-01T00:00:00.005Z"}}}})",
        "500 Internal Server Error"));
  });
  const Provider provider = provider_of(target(remote.url()));
  const Report report = run(provider,
                            "remote.shop_buy().catch((e) => [e.code, e.message, e.id, "
                            "e.data.at.getTime(), e instanceof Error])");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result,
            Value::array({"tool_error", "none is left", "shop.errors.none", 5, true}));
  const Report uncaught = run(provider, "await remote.shop_buy()");
  EXPECT_EQ(uncaught.error.code, ErrorCode::tool_error);
  EXPECT_TRUE(uncaught.error.from_tool);
  EXPECT_EQ(uncaught.error.message, "none is left");
}

TEST_F(RemoteTunnelsTest, TellOfServersThatLieInOurOwnWords) {
  const std::string page = "<html>secret page at http://10.0.0.7/ of hunter2-token</html>";
  const auto html = [&](const std::string& status) {
    return "HTTP/1.1 " + status +
           "\r\ncontent-type: text/html\r\ncontent-length: " + std::to_string(page.size()) +
           "\r\n\r\n" + page;
  };
  const std::string json = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const std::vector<std::string> answers = {
      html("200 OK"),
      html("502 Bad Gateway"),
      html("404 Not Found"),
      "HTTP/1.1 302 Found\r\nlocation: http://10.0.0.7/hunter2-token\r\ncontent-length: 0\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n",
      json + "content-length: 1000\r\n\r\n{\"ok\":tr",
      json + "transfer-encoding: chunked\r\n\r\n5\r\n{\"ok\"\r\n",
      json + "content-length: 3\r\n\r\n[1]",
      json + "content-length: 9\r\n\r\n{\"ok\":1}}",
      json + "content-length: 0\r\n\r\n",
      "SSH-2.0-OpenSSH hunter2-token\r\n\r\n",
      "",
  };
  for (const std::string& answer : answers) {
    const Report report = failure_of(answer);
    EXPECT_EQ(report.error.code, ErrorCode::tool_error) << answer;
    EXPECT_THAT(report.error.message, HasSubstr("the tunnel \"remote\" ")) << answer;
    for (const char* secret : {"hunter2", "10.0.0.7", "127.0.0.1", "html"})
      EXPECT_THAT(report.error.message, Not(HasSubstr(secret))) << answer;
  }
}

TEST_F(RemoteTunnelsTest, TellOfServersThatGiveNoAnswer) {
  for (const char* answer : {"", "SSH-2.0-OpenSSH\r\n\r\n"}) {
    EXPECT_EQ(failure_of(answer).error.message,
              "the tunnel \"remote\" gave no answer: it hung up, or does not speak HTTP");
  }
  EXPECT_EQ(failure_of(json_answer("[1]")).error.message,
            "the tunnel \"remote\" gave an answer that is not a tunnel's");
}

TEST_F(RemoteTunnelsTest, DoNotRepeatSecretsThatTheServerRepeats) {
  const Remote remote([&](ScriptedPeer& peer, const Seen&) {
    peer.send(json_answer(
        R"({"ok":false,"error":{"message":"bad token hunter2-token, hunter2-token","code":"UNAUTHORIZED"}})",
        "401 Unauthorized"));
  });
  const Report report = run(provider_of(target(remote.url())), "await remote.app_tasks_add()");
  EXPECT_EQ(report.error.message, "bad token …, …");
}

TEST_F(RemoteTunnelsTest, LeaveOutDataInWhichTheServerRepeatsThem) {
  const Remote remote(json_answer(
      R"({"ok":false,"error":{"message":"no","code":"X","id":"a.no","data":{"seen":["hunter2-token"]}}})",
      "500 Internal Server Error"));
  const Report report = run(provider_of(target(remote.url())),
                            "await remote.app_tasks_add().catch((e) => [e.message, e.id, e.data])");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({"no", "a.no", nullptr}));
}

TEST_F(RemoteTunnelsTest, CutWordsWithoutEnd) {
  const std::string text =
      R"({"ok":false,"error":{"message":")" + std::string(300'000, 'x') + R"(","code":"X"}})";
  const Report report = failure_of(json_answer(text, "500 Internal Server Error"));
  EXPECT_EQ(report.error.message.size(), (std::size_t{16} << 10) + 3);
}

TEST_F(RemoteTunnelsTest, CollectAStreamAsBytes) {
  const Remote remote(
      std::string("HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n"
                  "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
  const Report report = run(provider_of(target(remote.url())),
                            "const b = await remote.app_tasks_add();"
                            "[b instanceof Uint8Array, new TextDecoder().decode(b)]");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value::array({true, "abcde"}));
}

TEST_F(RemoteTunnelsTest, CountBytesBeforeTheyAreKept) {
  const Remote remote([&](ScriptedPeer& peer, const Seen&) {
    peer.send(
        "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\n"
        "content-length: 1000000000\r\n\r\n");
    while (peer.send(std::string(65'536, 'x'))) {
    }
  });
  config::TunnelTarget tunnel = target(remote.url());
  tunnel.max_bytes = 200'000;
  const Report report = run(provider_of(tunnel),
                            "const first = await remote.app_tasks_add().catch((e) => e.message);"
                            "[first, await remote.app_tasks_add().catch((e) => e.message)]");
  ASSERT_TRUE(report.ok()) << report.error.message;
  const std::string past =
      "one execution may send to the tunnel \"remote\" and get from it 200000 bytes";
  EXPECT_EQ(report.result.at(0), past);
  // What is left may be too little for the next.
  EXPECT_EQ(report.result.at(1), past);
  // A request that is too large is not sent.
  const int before = remote.calls;
  EXPECT_EQ(
      run(provider_of(tunnel), "await remote.app_tasks_add('x'.repeat(300000))").error.message,
      past);
  EXPECT_EQ(remote.calls, before);
}

TEST_F(RemoteTunnelsTest, AreNotWaitedForWithoutEnd) {
  const Remote remote([&](ScriptedPeer& peer, const Seen&) {
    peer.drip(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n" +
            std::string(100'000, ' '),
        milliseconds(20));
  });
  config::TunnelTarget tunnel = target(remote.url());
  tunnel.timeout = milliseconds(200);
  const auto before = std::chrono::steady_clock::now();
  const Report report = run(provider_of(tunnel), "await remote.app_tasks_add()");
  EXPECT_EQ(report.error.message, "the tunnel \"remote\" did not answer within 200 ms");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(3));
}

TEST_F(RemoteTunnelsTest, AbortTheRequestsOfAnExecutionThatEnds) {
  std::atomic<bool> is_over = false;
  const Remote remote([&](ScriptedPeer& peer, const Seen&) {
    peer.read_all();
    is_over = true;
  });
  const Provider provider = provider_of(target(remote.url()));
  ExecuteOptions options;
  options.limits.time.total = milliseconds(300);
  EXPECT_EQ(run(provider, "await remote.app_tasks_add()", options).error.code, ErrorCode::timeout);
  for (int i = 0; i < 400 && !is_over; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(is_over) << "the connection is closed";
}

TEST_F(RemoteTunnelsTest, ThatAreDownStopNothing) {
  std::string url;
  {
    const ScriptedServer gone([](ScriptedPeer&) {});
    url = gone.url();
  }
  const Report report = run(provider_of(target(url)),
                            "[1 + 1, await remote.anything().catch((e) => e.code + ': ' + "
                            "e.message)]");
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result,
            Value::array({2, "tool_error: the tunnel \"remote\" cannot be reached"}));
}

TEST_F(RemoteTunnelsTest, ThatAreSilentAreAllWaitedForAtOnce) {
  const ScriptedServer silent([](ScriptedPeer& peer) { peer.read_all(); });
  config::Configuration configuration;
  for (const char* name : {"a", "b", "c", "d"}) {
    config::TunnelTarget tunnel = target(silent.url());
    tunnel.discovery_timeout = milliseconds(400);
    configuration.tunnels.emplace_back(name, tunnel);
  }
  const Result<RemoteTunnels> tunnels = RemoteTunnels::create(configuration);
  ASSERT_TRUE(tunnels.has_value());
  const auto before = std::chrono::steady_clock::now();
  tunnels->discover();
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(1200));
  for (const auto& [name, tasks] : tunnels->all()) {
    EXPECT_EQ(silence_text(*tasks), "the tunnel \"" + name +
                                        "\" did not answer in time, so the names of its tasks are "
                                        "not known");
  }
}

TEST_F(RemoteTunnelsTest, TakeTenThousandCallsAtOnce) {
  const Remote remote([&](ScriptedPeer& peer, const Seen& seen) {
    const std::size_t at = seen.body.find(':') + 1;
    peer.send(json_answer(
        "{\"ok\":true,\"result\":" + seen.body.substr(at, seen.body.size() - at - 1) + "}"));
  });
  const Report report = run(provider_of(target(remote.url())),
                            "const all = await Promise.all(Array.from({length: 10000}, (_, i) => "
                            "remote.app_tasks_add(i))); all.every((r, i) => r === i) && all.length",
                            {.limits = {.time = {.total = std::chrono::seconds(60)}}});
  ASSERT_TRUE(report.ok()) << report.error.message;
  EXPECT_EQ(report.result, Value(10'000));
}

TEST_F(RemoteTunnelsTest, NameWhatIsWrongInTheirSettings) {
  config::Configuration configuration;
  configuration.tunnels.emplace_back("remote", target("ftp://a"));
  EXPECT_THAT(RemoteTunnels::create(configuration).error().message,
              testing::StartsWith("tunnels.remote: "));
}

}  // namespace
}  // namespace cordon::server
