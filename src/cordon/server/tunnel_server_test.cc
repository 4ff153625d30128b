#include "cordon/server/tunnel_server.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/server/plain_function.h"
#include "cordon/transport/http/testing/raw_client.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transport::http::testing::RawClient;

// A task that answers when the test says so.
class WaitingTask final : public TaskHandler {
 public:
  explicit WaitingTask(ShardContext shard) : shard_(std::move(shard)) {}

  void call(TaskCall, std::function<void(TaskAnswer)> done) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(done));
  }
  bool is_called() {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }
  void answer() {
    const std::lock_guard lock(mutex_);
    for (auto& done : std::exchange(waiting_, {}))
      shard_.post([done = std::move(done)] { done(TaskAnswer(Value("late"))); });
  }

 private:
  const ShardContext shard_;
  std::mutex mutex_;
  std::vector<std::function<void(TaskAnswer)>> waiting_;
};

class TunnelServerTest : public ::testing::Test {
 protected:
  ~TunnelServerTest() override {
    if (server_) server_->stop();
  }

  std::shared_ptr<TunnelRules> rules(const std::string& id) {
    auto made = std::make_shared<TunnelRules>(options_);
    made->allow_open_exposure = true;
    made->tasks.push_back({id, [](const ShardContext&) -> Result<std::shared_ptr<TaskHandler>> {
                             return std::make_shared<PlainFunction>(
                                 [](Value input) { return TaskAnswer(std::move(input)); });
                           }});
    made->tasks.push_back(
        {"wait", [this](const ShardContext& shard) -> Result<std::shared_ptr<TaskHandler>> {
           auto task = std::make_shared<WaitingTask>(shard);
           waiting_.push_back(task);
           return task;
         }});
    return made;
  }
  void serve() {
    server_ = *TunnelServer::create({.server = options_}, rules("same"));
    thread_ = std::jthread([this] { server_->run(); });
  }
  RawClient connect() const {
    const std::string url = server_->urls().front();
    const std::size_t colon = url.rfind(':');
    return RawClient(static_cast<std::uint16_t>(std::stoul(url.substr(colon + 1))));
  }
  static std::string post(const std::string& id, const std::string& body = R"({"input":1})") {
    return "POST /__runner/task/" + id +
           " HTTP/1.1\r\nHost: a\r\nX-Runner-Token: secret\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 5'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    return condition();
  }
  bool is_called() const {
    return std::ranges::any_of(waiting_, [](const auto& task) { return task->is_called(); });
  }
  void answer() const {
    for (const auto& task : waiting_) task->answer();
  }

  ServerOptions options_ = [] {
    ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    options.auth.tokens = {"secret"};
    options.threads = 2;
    return options;
  }();
  std::vector<std::shared_ptr<WaitingTask>> waiting_;
  std::unique_ptr<TunnelServer> server_;
  std::jthread thread_;
};

TEST_F(TunnelServerTest, SharesItsConnectionsAmongItsThreads) {
  serve();
  std::vector<RawClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(connect());
    clients.back().send(post("same"));
    EXPECT_THAT(clients.back().read_until("}"), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_EQ(server_->connections(), 6u);
  for (const transport::http::HttpFigures* const figures : server_->figures())
    EXPECT_EQ(figures->connections, 3u);
}

TEST_F(TunnelServerTest, LetsRequestsFinishWhenItStops) {
  serve();
  RawClient idle = connect();
  idle.send(post("same"));
  idle.read_until("}");
  RawClient busy = connect();
  busy.send(post("wait"));
  ASSERT_TRUE(eventually([&] { return is_called(); }));
  server_->stop();
  idle.read_all();
  EXPECT_TRUE(idle.has_ended);
  EXPECT_TRUE(eventually([&] { return connect().descriptor() < 0; })) << "nobody new comes in";
  answer();
  const std::string text = busy.read_all();
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(text, HasSubstr("connection: close"));
  thread_.join();
}

TEST_F(TunnelServerTest, EndsRequestsThatTakeLongerThanItWaits) {
  options_.drain_timeout = 50ms;
  serve();
  RawClient busy = connect();
  busy.send(post("wait"));
  ASSERT_TRUE(eventually([&] { return is_called(); }));
  server_->stop();
  EXPECT_EQ(busy.read_all(), "");
  EXPECT_TRUE(busy.has_ended);
  thread_.join();
}

TEST_F(TunnelServerTest, TakesNewRulesWhileItRuns) {
  serve();
  RawClient client = connect();
  client.send(post("same"));
  EXPECT_THAT(client.read_until("}"), StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(server_->reload(rules("other")));
  // The thread hears of it between two requests.
  EXPECT_TRUE(eventually([&] {
    client.send(post("other"));
    return client.read_until("}").starts_with("HTTP/1.1 200 ");
  }));
  client.send(post("same"));
  EXPECT_THAT(client.read_until("}"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(TunnelServerTest, SaysWhereItIsReached) {
  const std::string path = ::testing::TempDir() + "/tunnel_server_test.sock";
  options_.listen = {"127.0.0.1:0", "unix:" + path};
  options_.base_path = "tunnel/";
  serve();
  const std::vector<std::string> urls = server_->urls();
  ASSERT_EQ(urls.size(), 2u);
  EXPECT_THAT(urls[0], ::testing::MatchesRegex("http://127.0.0.1:[0-9]+/tunnel"));
  EXPECT_EQ(urls[1], "unix:" + path);
}

TEST_F(TunnelServerTest, LetsNoMoreInThanItsLimitSays) {
  options_.connections.max = 2;
  serve();
  std::vector<RawClient> clients;
  for (int i = 0; i < 2; ++i) {
    clients.push_back(connect());
    clients.back().send(post("same"));
    clients.back().read_until("}");
  }
  RawClient third = connect();
  EXPECT_THAT(third.read_all(), StartsWith("HTTP/1.1 503 "));
}

}  // namespace
}  // namespace cordon::server
