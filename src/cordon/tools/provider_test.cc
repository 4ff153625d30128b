#include "cordon/provider.h"

#include <atomic>
#include <condition_variable>
#include <latch>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Stands where an execution does.
class Answers final : public CallSink, public std::enable_shared_from_this<Answers> {
 public:
  void answer(std::uint64_t call, Result<Value> result) override {
    const std::lock_guard lock(mutex_);
    all_[call].push_back(std::move(result));
    changed_.notify_all();
  }
  std::stop_token stop_token() override { return stop.get_token(); }

  Reply reply(std::uint64_t call) { return Reply(shared_from_this(), call); }
  // The one answer to a call; waits for it.
  Result<Value> to(std::uint64_t call) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, 10s, [&] { return all_.contains(call); })) {
      return cordon::fail(ErrorCode::timeout, "no answer came");
    }
    EXPECT_EQ(all_[call].size(), 1u) << "answers to one call";
    return all_[call].front();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return all_.size();
  }

  std::stop_source stop;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::vector<Result<Value>>> all_;
};

Coroutine<int> one_more(int number) { co_return number + 1; }

class ProviderTest : public testing::Test {
 protected:
  Result<Value> call(const Provider& provider, std::size_t tool, Value input = {}) {
    provider.tools().at(tool).function(std::move(input), answers->reply(++last_call));
    return answers->to(last_call);
  }
  std::vector<std::string> names(const Provider& provider) {
    std::vector<std::string> all;
    for (const Tool& tool : provider.tools()) all.push_back(tool.name);
    return all;
  }

  std::shared_ptr<Answers> answers = std::make_shared<Answers>();
  std::uint64_t last_call = 0;
};

TEST_F(ProviderTest, MakesNamesThatAGuestCanWrite) {
  Provider provider("my tools");
  provider.add("scrape-url", [](Value) -> Result<Value> { return Value(); });
  provider.add("scrape_url", [](Value) -> Result<Value> { return Value(); });
  provider.add("scrape url", [](Value) -> Result<Value> { return Value(); });
  provider.add("delete", [](Value) -> Result<Value> { return Value(); });
  EXPECT_EQ(provider.name(), "my_tools");
  EXPECT_THAT(names(provider),
              ElementsAre("scrape_url", "scrape_url__2", "scrape_url__3", "delete_"));
}

TEST_F(ProviderTest, AnswersWithWhatTheFunctionGives) {
  Provider provider("p");
  provider.add("twice", [](Value input) -> Result<Value> { return input.value_or(0) * 2; });
  provider.add("fails", [](Value) -> Result<Value> {
    return fail(ErrorCode::invalid_argument, "no number");
  });
  EXPECT_EQ(call(provider, 0, 21).value(), Value(42));
  EXPECT_EQ(call(provider, 1).error(), (Error{ErrorCode::invalid_argument, "no number"}));
}

TEST_F(ProviderTest, MakesAnExceptionAFailureOfTheCall) {
  Provider provider("p");
  provider.add("throws", [](Value) -> Result<Value> { throw std::runtime_error("broken"); });
  provider.add("throws_odd", [](Value) -> Result<Value> { throw 42; });
  provider.add("task_throws", [](Value) -> Coroutine<Result<Value>> {
    throw std::runtime_error("in a task");
    co_return Value();
  });
  provider.add_blocking("late",
                        [](Value) -> Result<Value> { throw std::runtime_error("elsewhere"); });
  EXPECT_EQ(call(provider, 0).error(), (Error{ErrorCode::tool_error, "broken"}));
  EXPECT_EQ(call(provider, 1).error().code, ErrorCode::tool_error);
  EXPECT_EQ(call(provider, 2).error(), (Error{ErrorCode::tool_error, "in a task"}));
  EXPECT_EQ(call(provider, 3).error(), (Error{ErrorCode::tool_error, "elsewhere"}));
}

TEST_F(ProviderTest, RunsCoroutines) {
  Provider provider("p");
  provider.add("add", [](Value input) -> Coroutine<Result<Value>> {
    const int sum = co_await one_more(input.value_or(0));
    co_return Value(sum);
  });
  EXPECT_EQ(call(provider, 0, 41).value(), Value(42));
}

TEST_F(ProviderTest, RunsBlockingFunctionsElsewhereAndAtOnce) {
  Provider provider("p");
  std::mutex mutex;
  std::condition_variable met;
  int present = 0;
  // Each waits until all three are there: with fewer threads than three none would come back.
  provider.add_blocking("meet", [&](Value) -> Result<Value> {
    std::unique_lock lock(mutex);
    ++present;
    met.notify_all();
    const bool all = met.wait_for(lock, 10s, [&] { return present == 3; });
    return Value(all && std::this_thread::get_id() != std::thread::id());
  });
  for (std::uint64_t i = 1; i <= 3; ++i) {
    provider.tools()[0].function(Value(), answers->reply(i));
  }
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(answers->to(i).value(), Value(true));
}

TEST_F(ProviderTest, HandsTheStopTokenOn) {
  Provider provider("p");
  provider.add("stopped", [](Value, std::stop_token stop) -> Result<Value> {
    return Value(stop.stop_requested());
  });
  std::atomic<int> begun = 0;
  provider.add_blocking("wait", [&](Value, std::stop_token stop) -> Result<Value> {
    ++begun;
    while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    return Value("gave up");
  });
  EXPECT_EQ(call(provider, 0).value(), Value(false));
  provider.tools()[1].function(Value(), answers->reply(77));
  while (begun == 0) std::this_thread::yield();
  answers->stop.request_stop();
  EXPECT_EQ(answers->to(77).value(), Value("gave up"));
  EXPECT_EQ(call(provider, 0).value(), Value(true));

  provider.tools()[1].function(Value(), answers->reply(78));
  EXPECT_FALSE(answers->to(78).has_value()) << "a call that nobody waits for is not made";
  EXPECT_EQ(begun, 1);
}

TEST_F(ProviderTest, IsAHandle) {
  Provider provider("p");
  Provider same = provider;
  same.add("a", [](Value) -> Result<Value> { return Value(1); });
  same.describe("a", "gives one");
  ASSERT_EQ(provider.tools().size(), 1u);
  EXPECT_EQ(provider.tools()[0].rules.description, "gives one");
}

TEST_F(ProviderTest, KeepsWhatItsToolsNeed) {
  auto resource = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = resource;
  {
    Provider provider("p");
    provider.keep(std::move(resource));
    const Provider copy = provider;
    provider = Provider("other");
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(ProviderTest, MayDieWhileABlockingCallOfItsRuns) {
  std::latch started(1);
  {
    Provider provider("p");
    provider.add_blocking("slow", [&started](Value) -> Result<Value> {
      started.count_down();
      std::this_thread::sleep_for(30ms);
      return Value("done");
    });
    provider.tools()[0].function(Value(), answers->reply(1));
    started.wait();
  }
  EXPECT_EQ(answers->to(1).value(), Value("done"));
}

TEST_F(ProviderTest, FindsItsToolsByName) {
  Provider provider = Provider::with_exact_names("p");
  provider.add("a", [](Value) -> Result<Value> { return "first"; });
  provider.add("a", [](Value) -> Result<Value> { return "last"; });
  EXPECT_FALSE(provider.find("b"));
  EXPECT_FALSE(provider.any_tool());
  provider.find("a")(Value(), answers->reply(1));
  EXPECT_EQ(answers->to(1).value(), Value("last"));
}

TEST_F(ProviderTest, HasAFunctionForAnyOtherName) {
  Provider provider("p");
  provider.add("a", [](Value) -> Result<Value> { return "added"; });
  provider.add_any_blocking([](const std::string& tool, const Value& input) -> Result<Value> {
    if (tool == "throws") throw std::runtime_error("it threw");
    return tool + std::to_string(input.value_or(0));
  });
  EXPECT_EQ(provider.tools().size(), 1u) << "which nobody lists";
  provider.find("a")(Value(), answers->reply(1));
  provider.find("b")(7, answers->reply(2));
  provider.any_tool()("throws", Value(), answers->reply(3));
  EXPECT_EQ(answers->to(1).value(), Value("added"));
  EXPECT_EQ(answers->to(2).value(), Value("b7"));
  EXPECT_EQ(answers->to(3).error().message, "it threw");
}

TEST_F(ProviderTest, LetsAQueuedCallGoWhereNobodyWantsItsAnswer) {
  Provider provider("p");
  std::atomic<int> called = 0;
  provider.add_any_blocking([&called](const std::string&, const Value&) -> Result<Value> {
    ++called;
    return 1;
  });
  answers->stop.request_stop();
  provider.find("x")(Value(), answers->reply(1));
  EXPECT_FALSE(answers->to(1).has_value());
  EXPECT_EQ(called, 0);
}

using ReplyTest = ProviderTest;

TEST_F(ReplyTest, AnswersOnce) {
  {
    Reply reply = answers->reply(1);
    reply(Value(1));
    reply(Value(2));
  }
  EXPECT_EQ(answers->to(1).value(), Value(1));
}

TEST_F(ReplyTest, AnswersThatTheToolFailedWhereItIsDropped) {
  {
    const Reply reply = answers->reply(1);
  }
  EXPECT_EQ(answers->to(1).error().code, ErrorCode::tool_error);
}

TEST_F(ReplyTest, AnswersNothingFromWhereItWasMovedAway) {
  {
    Reply reply = answers->reply(1);
    const Reply moved = std::move(reply);
    EXPECT_EQ(answers->count(), 0u);
  }
  EXPECT_FALSE(answers->to(1).has_value());
}

}  // namespace
}  // namespace cordon
