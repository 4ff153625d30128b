#include "cordon/providers/remote_tasks.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::providers {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A tunnel whose answers the test gives.
class FakeTunnel : public RemoteTunnel {
 public:
  struct State {
    std::mutex mutex;
    std::deque<std::pair<RemoteCall, Done>> calls;
    std::deque<Listed> asked;
    std::size_t asked_count = 0;
  };
  explicit FakeTunnel(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void call(RemoteCall call, Done done) override {
    const std::lock_guard lock(state_->mutex);
    state_->calls.emplace_back(std::move(call), std::move(done));
  }
  void discover(Listed listed) override {
    const std::lock_guard lock(state_->mutex);
    ++state_->asked_count;
    state_->asked.push_back(std::move(listed));
  }

 private:
  std::shared_ptr<State> state_;
};

// One execution, as a tool sees it.
class Caller final : public CallSink {
 public:
  void answer(std::uint64_t call, Result<Value> result) override {
    const std::lock_guard lock(mutex);
    answers.emplace_back(call, std::move(result));
    changed.notify_all();
  }
  std::stop_token stop_token() override { return stop.get_token(); }

  Error error_of(std::uint64_t call) {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return find(call) != nullptr; });
    const Result<Value>* const found = find(call);
    if (found == nullptr) return {ErrorCode::none, "there is no answer"};
    return found->has_value() ? Error{ErrorCode::none, "it succeeded"} : found->error();
  }
  const Result<Value>* find(std::uint64_t call) const {
    const auto found =
        std::ranges::find(answers, call, &std::pair<std::uint64_t, Result<Value>>::first);
    return found == answers.end() ? nullptr : &found->second;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::pair<std::uint64_t, Result<Value>>> answers;
  std::stop_source stop;
};

class RemoteTasksTest : public testing::Test {
 protected:
  void make(RemoteTasksOptions options = {.name = "remote"}) {
    options.timer = std::make_shared<tools::CallTimer>();
    tasks = RemoteTasks::create(std::make_unique<FakeTunnel>(state), std::move(options));
  }
  void list(std::vector<std::string> ids, bool is_enabled = true) {
    bool is_done = false;
    tasks->discover([&] { is_done = true; });
    answer_discovery(RemoteListing{is_enabled, std::move(ids)});
    EXPECT_TRUE(is_done);
  }
  void answer_discovery(std::expected<RemoteListing, RemoteFailure> listing) {
    auto listed = std::move(state->asked.front());
    state->asked.pop_front();
    listed(std::move(listing));
  }
  static std::vector<std::string> names_of(const Provider& provider) {
    std::vector<std::string> names;
    for (const Tool& tool : provider.tools()) names.push_back(tool.name);
    return names;
  }
  std::uint64_t call(const Provider& provider, const std::string& name, Value input = {}) {
    return call_by(caller, provider, name, std::move(input));
  }
  std::uint64_t call_by(const std::shared_ptr<Caller>& who, const Provider& provider,
                        const std::string& name, Value input = {}) {
    provider.find(name)(std::move(input), Reply(who, ++last));
    return last;
  }
  std::pair<RemoteCall, RemoteTunnel::Done> take_call() {
    auto call = std::move(state->calls.front());
    state->calls.pop_front();
    return call;
  }
  void answer_call(std::expected<Value, RemoteFailure> answer) {
    auto [made, done] = take_call();
    done(std::move(answer));
  }
  static void wait_past_pause() { std::this_thread::sleep_for(milliseconds(120)); }

  std::shared_ptr<FakeTunnel::State> state = std::make_shared<FakeTunnel::State>();
  std::shared_ptr<Caller> caller = std::make_shared<Caller>();
  std::shared_ptr<RemoteTasks> tasks;
  std::uint64_t last = 0;
};

TEST_F(RemoteTasksTest, AreToolsByTheirSafeNames) {
  make();
  list({"app.tasks.add", "app_tasks_add", "shop.buy"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  EXPECT_EQ(provider.name(), "remote");
  EXPECT_TRUE(provider.takes_all_values());
  EXPECT_THAT(names_of(provider), ElementsAre("app_tasks_add", "app_tasks_add__2", "shop_buy"));
  EXPECT_EQ(provider.tools()[0].original_name, "app.tasks.add");
  EXPECT_FALSE(provider.any_tool());

  call(provider, "app_tasks_add__2", Value::date(5));
  ASSERT_EQ(state->calls.size(), 1u);
  EXPECT_EQ(state->calls[0].first.id, "app_tasks_add");
  EXPECT_EQ(state->calls[0].first.input, Value::date(5));
  answer_call(Value(3));
  EXPECT_EQ(*caller->find(1), Value(3));
}

TEST_F(RemoteTasksTest, AreTheAllowedOnesAlone) {
  make({.name = "remote", .allow = {{"app.*"}}});
  list({"app.add", "shop.buy"});
  const Provider provider = tasks->provider(RemoteTasks::Names::open);
  EXPECT_THAT(names_of(provider), ElementsAre("app_add"));
  for (const char* name : {"shop_buy", "shop.buy"}) {
    wait_past_pause();
    const auto refused = call(provider, name);
    answer_discovery(RemoteListing{true, {"app.add", "shop.buy"}});
    EXPECT_EQ(caller->error_of(refused).message,
              std::string("the tunnel \"remote\" has no task that is called ") + name);
  }
  EXPECT_THAT(state->calls, IsEmpty());
}

TEST_F(RemoteTasksTest, AreAskedForAgainWhereTheTunnelWasSilent) {
  make();
  tasks->discover([] {});
  EXPECT_TRUE(tasks->silence());
  answer_discovery(std::unexpected(RemoteFailure{.fault = RemoteFault::unreachable}));
  EXPECT_EQ(tasks->silence()->fault, RemoteFault::unreachable);
  const Provider provider = tasks->provider(RemoteTasks::Names::open);
  EXPECT_THAT(names_of(provider), IsEmpty());

  // At once, though the tunnel has just been asked: a server that calls itself was not there yet.
  const auto down = call(provider, "app_add");
  EXPECT_EQ(state->asked.size(), 1u);
  answer_discovery(std::unexpected(RemoteFailure{.fault = RemoteFault::unreachable}));
  EXPECT_EQ(caller->error_of(down).code, ErrorCode::tool_error);
  EXPECT_EQ(caller->error_of(down).message, "the tunnel \"remote\" cannot be reached");

  const auto soon = call(provider, "app_add");
  EXPECT_EQ(caller->error_of(soon).message, "the tunnel \"remote\" cannot be reached");
  wait_past_pause();
  const auto up = call(provider, "app_add", Value(1));
  const auto unknown = call(provider, "app_sub");
  EXPECT_EQ(state->asked.size(), 1u) << "both wait for the same answer";
  answer_discovery(RemoteListing{true, {"app.add"}});
  answer_call(Value(2));
  EXPECT_EQ(*caller->find(up), Value(2));
  EXPECT_THAT(caller->error_of(unknown).message, HasSubstr("has no task that is called app_sub"));
  EXPECT_FALSE(tasks->silence());
}

TEST_F(RemoteTasksTest, SayThatTheyAreTooMany) {
  make();
  tasks->discover([] {});
  std::vector<std::string> ids;
  ids.reserve(10'001);
  for (int i = 0; i < 10'000; ++i) ids.push_back("t" + std::to_string(i));
  answer_discovery(RemoteListing{true, ids});
  EXPECT_EQ(tasks->overflow(), "");
  ids.emplace_back("one.more");
  tasks->discover([] {});
  answer_discovery(RemoteListing{true, ids});
  const std::string_view said =
      "lists more than 10000 tasks, so the others cannot be called; tunnels.remote.allow can name "
      "those that are needed";
  EXPECT_EQ(tasks->overflow(), "the tunnel \"remote\" " + std::string(said));
  const auto past = call(tasks->provider(RemoteTasks::Names::open), "one_more");
  answer_discovery(RemoteListing{true, ids});
  EXPECT_THAT(caller->error_of(past).message, HasSubstr(said));
}

TEST_F(RemoteTasksTest, AskOnceForManyCallsOfASilentTunnel) {
  make();
  const Provider provider = tasks->provider(RemoteTasks::Names::open);
  call(provider, "first");
  answer_discovery(std::unexpected(RemoteFailure{.fault = RemoteFault::timeout}));
  for (int i = 0; i < 1000; ++i) call(provider, "name" + std::to_string(i));
  EXPECT_LE(state->asked_count, 3u);
}

TEST_F(RemoteTasksTest, FollowTheListOfTheTunnel) {
  make();
  list({"app.add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::open);
  std::this_thread::sleep_for(milliseconds(1'050));
  const auto gone = call(provider, "app_add");
  answer_call(std::unexpected(RemoteFailure{RemoteFault::not_exposed, "Task app.add not exposed"}));
  EXPECT_EQ(caller->error_of(gone).message, "Task app.add not exposed");
  ASSERT_EQ(state->asked.size(), 1u) << "the answer says that the list has changed";
  answer_discovery(RemoteListing{true, {"app.sum"}});
  call(provider, "app_sum");
  EXPECT_EQ(take_call().first.id, "app.sum");
}

TEST_F(RemoteTasksTest, MayBeNamedWhereTheTunnelListsNothing) {
  make({.name = "remote", .allow = {{"app.add", "shop.*"}}});
  list({}, false);
  const Provider provider = tasks->provider(RemoteTasks::Names::open);
  EXPECT_THAT(names_of(provider), ElementsAre("app_add"));
  call(provider, "shop.buy");
  EXPECT_EQ(take_call().first.id, "shop.buy");
  const auto unknown = call(provider, "shop_buy");
  answer_discovery(RemoteListing{false, {}});
  EXPECT_THAT(caller->error_of(unknown).message, HasSubstr("tunnels.remote.allow"));
  // One that the tunnel says it does not have is not shown.
  wait_past_pause();
  list({"shop.buy"});
  EXPECT_THAT(names_of(tasks->provider(RemoteTasks::Names::listed)), ElementsAre("shop_buy"));
}

TEST_F(RemoteTasksTest, MayBeNamedWhereDiscoveryIsSwitchedOff) {
  make({.name = "remote", .allow = {{"app.add"}}});
  tasks->discover([] {});
  answer_discovery(std::unexpected(RemoteFailure{RemoteFault::not_exposed, "Not Found"}));
  EXPECT_FALSE(tasks->silence());
  EXPECT_TRUE(tasks->knows_all());
  EXPECT_THAT(names_of(tasks->provider(RemoteTasks::Names::listed)), ElementsAre("app_add"));
}

TEST_F(RemoteTasksTest, FailInTheWordsOfTheServer) {
  make();
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  const auto typed = call(provider, "add");
  answer_call(std::unexpected(
      RemoteFailure{RemoteFault::answered, "none is left", "app.errors.none", Value::date(7)}));
  const Error error = caller->error_of(typed);
  EXPECT_EQ(error.code, ErrorCode::tool_error);
  EXPECT_EQ(error.own_code, "");
  EXPECT_EQ(error.message, "none is left");
  ASSERT_NE(error.typed, nullptr);
  EXPECT_EQ(error.typed->id, "app.errors.none");
  EXPECT_EQ(error.typed->data, Value::date(7));

  const auto silent = call(provider, "add");
  answer_call(std::unexpected(RemoteFailure{}));
  EXPECT_EQ(caller->error_of(silent).message, "the tunnel \"remote\" refused the call");
  EXPECT_EQ(caller->error_of(silent).typed, nullptr);
}

TEST_F(RemoteTasksTest, FailInOurWordsWhereTheServerSaidNothing) {
  for (const auto fault :
       {RemoteFault::unreachable, RemoteFault::timeout, RemoteFault::tls, RemoteFault::no_answer,
        RemoteFault::bad_response, RemoteFault::truncated, RemoteFault::too_large,
        RemoteFault::redirect, RemoteFault::cancelled}) {
    const Error error =
        failure_of({fault, "<html>http://secret.example</html>", "id", Value(1)}, "t");
    EXPECT_EQ(error.code, ErrorCode::tool_error);
    EXPECT_TRUE(error.message.starts_with("the tunnel \"t\" ")) << error.message;
    EXPECT_FALSE(error.message.contains("html")) << error.message;
    EXPECT_EQ(error.typed, nullptr);
  }
  EXPECT_EQ(failure_of({RemoteFault::refused, "a function"}, "t").message,
            "the tunnel \"t\" was not called: a function");
}

TEST_F(RemoteTasksTest, AreCalledAsOftenAsOneExecutionMay) {
  make({.name = "remote", .limits = {.max_calls = 2}});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  call(provider, "add");
  call(provider, "add");
  const auto third = call(provider, "add");
  EXPECT_EQ(caller->error_of(third).message,
            "the tunnel \"remote\" may be called 2 times in one execution");
  EXPECT_EQ(state->calls.size(), 2u);
  call_by(std::make_shared<Caller>(), provider, "add");
  EXPECT_EQ(state->calls.size(), 3u);
}

TEST_F(RemoteTasksTest, ExchangeAsManyBytesAsOneExecutionMay) {
  make({.name = "remote", .limits = {.max_bytes = 100}});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  const auto one = call(provider, "add");
  const auto other = call(provider, "add");
  auto [first, first_done] = take_call();
  auto [second, second_done] = take_call();
  EXPECT_TRUE(first.spend(60));
  EXPECT_TRUE(second.spend(40));
  EXPECT_FALSE(second.spend(1)) << "it is shared by calls at once";
  second_done(std::unexpected(RemoteFailure{.fault = RemoteFault::too_large}));
  first_done(Value(1));
  EXPECT_EQ(*caller->find(one), Value(1));
  EXPECT_EQ(caller->error_of(other).message,
            "one execution may send to the tunnel \"remote\" and get from it 100 bytes");
  const auto third = call(provider, "add");
  EXPECT_THAT(caller->error_of(third).message, HasSubstr("100 bytes"));
  EXPECT_THAT(state->calls, IsEmpty()) << "nothing is sent any more";
}

TEST_F(RemoteTasksTest, HoldNoMoreAtOnceThanMayBeKept) {
  make({.name = "remote", .limits = {.max_held_bytes = 100}});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  call(provider, "add");
  const auto other = call(provider, "add");
  auto [first, first_done] = take_call();
  auto [second, second_done] = take_call();
  EXPECT_TRUE(first.spend(90));
  EXPECT_FALSE(second.spend(20));
  second_done(std::unexpected(RemoteFailure{.fault = RemoteFault::too_large}));
  EXPECT_EQ(caller->error_of(other).message, "too much data in pending calls of tunnels");
  first_done(Value());
  call(provider, "add");
  EXPECT_TRUE(take_call().first.spend(100)) << "what was answered is held no longer";
}

TEST_F(RemoteTasksTest, WaitForAPlace) {
  make({.name = "remote", .max_running = 4});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  for (int i = 0; i < 10'000; ++i) call(provider, "add", Value(i));
  EXPECT_EQ(state->calls.size(), 2u);
  const auto other = std::make_shared<Caller>();
  const auto late = call_by(other, provider, "add");
  EXPECT_EQ(state->calls.size(), 3u) << "whoever calls ten thousand times is not alone";
  while (!state->calls.empty()) answer_call(Value(1));
  EXPECT_EQ(caller->answers.size(), 10'000u);
  EXPECT_EQ(*other->find(late), Value(1));
}

TEST_F(RemoteTasksTest, AreNotWaitedForLongerThanTheyMay) {
  make({.name = "remote", .timeout = milliseconds(50), .max_running = 1});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  const auto running = call(provider, "add");
  const auto waiting = call(provider, "add");
  EXPECT_EQ(caller->error_of(running).message, "the tunnel \"remote\" did not answer within 50 ms");
  EXPECT_EQ(caller->error_of(waiting).message, "the tunnel \"remote\" did not answer within 50 ms");
  auto [made, done] = take_call();
  EXPECT_TRUE(made.stop.stop_requested());
  done(std::unexpected(RemoteFailure{.fault = RemoteFault::cancelled}));
  EXPECT_THAT(state->calls, IsEmpty()) << "the one that waited is not sent any more";
}

TEST_F(RemoteTasksTest, AreAbortedWithTheirExecution) {
  make({.name = "remote", .max_running = 1});
  list({"add"});
  const Provider provider = tasks->provider(RemoteTasks::Names::listed);
  call(provider, "add");
  call(provider, "add");
  caller->stop.request_stop();
  auto [made, done] = take_call();
  EXPECT_TRUE(made.stop.stop_requested());
  done(std::unexpected(RemoteFailure{.fault = RemoteFault::cancelled}));
  EXPECT_THAT(state->calls, IsEmpty());
  EXPECT_EQ(caller->answers.size(), 2u);
  // Nothing is sent for one that has ended already.
  call(provider, "add");
  EXPECT_THAT(state->calls, IsEmpty());
}

}  // namespace
}  // namespace cordon::providers
