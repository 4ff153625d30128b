#include "cordon/server.h"

#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace cordon {
namespace {

ServerOptions local() {
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.auth.tokens = {"secret"};
  options.threads = 1;
  return options;
}

Result<Value> same(Value input) { return input; }

TEST(Server, TakesTasksOfEveryShape) {
  Server server(local());
  server.task("plain", same)
      .task("any value", [](Value) { return 7; })
      .task("typed", [](Value) { return TypedError{"id", "message"}; })
      .task("stoppable", [](Value input, std::stop_token) -> Result<Value> { return input; })
      .task("call", [](TaskCall& call) -> Result<Value> { return call.contexts; })
      .task("answer", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; })
      .task("coroutine", [](Value input) -> Coroutine<Result<Value>> { co_return input; })
      .task("call coroutine",
            [](TaskCall& call) -> Coroutine<TaskAnswer> { co_return TaskAnswer(call.input); })
      .task("reply", [](TaskCall call, TaskReply reply) { reply(call.input); })
      .task_blocking("blocking", same)
      .task_blocking("stoppable blocking",
                     [](Value input, std::stop_token) -> Result<Value> { return input; })
      .event("event", same)
      .event("call event", [](TaskCall& call) -> Result<Value> { return call.input; })
      .validator("validator", [](TaskCall& call) -> Result<Value> { return call.headers; });
  EXPECT_TRUE(server.open());
}

TEST(Server, ThrowsWhereSomethingIsRegisteredAfterItIsOpen) {
  Server server(local());
  server.task("early", same);
  ASSERT_TRUE(server.open());
  EXPECT_THROW(server.task("late", same), std::logic_error);
  EXPECT_THROW(server.task("late", [](TaskCall&) -> Result<Value> { return 1; }), std::logic_error);
  EXPECT_THROW(server.task_blocking("late", same), std::logic_error);
  EXPECT_THROW(server.event("late", same), std::logic_error);
  EXPECT_THROW(server.validator("late", same), std::logic_error);
  EXPECT_THROW(server.input_schema("early", Value(true)), std::logic_error);
}

TEST(Server, FailsToRunBeforeItIsOpenAndTwice) {
  Server server(local());
  server.stop();
  EXPECT_EQ(server.run().error().message, "run() comes before open()");
  EXPECT_TRUE(server.urls().empty());
  ASSERT_TRUE(server.open());
  EXPECT_EQ(server.open().error().code, ErrorCode::already_exists);
  server.stop();
  EXPECT_TRUE(server.run()) << "it was stopped before, and so returns at once";
  EXPECT_EQ(server.run().error().code, ErrorCode::already_exists);
}

TEST(Server, OpensAgainAfterItFailed) {
  Server taken(local());
  ASSERT_TRUE(taken.open());
  const std::string url = taken.urls().front();
  ServerOptions options = local();
  options.listen = {url.substr(7, url.find('/', 7) - 7)};
  Server server(options);
  server.task("kept", same);
  EXPECT_FALSE(server.open());
  EXPECT_NO_THROW(server.task("added", same));
  EXPECT_EQ(server.run().error().code, ErrorCode::invalid_argument);
}

TEST(Server, TellsWhatItCannotServeWhenItOpens) {
  ServerOptions none = local();
  none.threads = 0;
  EXPECT_EQ(Server(none).open().error().message, "threads: at least 1 is needed");

  Server twice(local());
  twice.task("a", same).task("a", same);
  EXPECT_EQ(twice.open().error().code, ErrorCode::already_exists);

  Server unknown(local());
  unknown.input_schema("nobody", Value(true));
  EXPECT_EQ(unknown.open().error().code, ErrorCode::not_found);

  ServerOptions asks = local();
  asks.auth.validators = {"nobody"};
  EXPECT_EQ(Server(asks).open().error().code, ErrorCode::not_found);
}

// What a reply sends: "dropped", or what its answer is.
std::vector<std::string> sent_by(const std::function<void(TaskReply)>& act) {
  std::vector<std::string> sent;
  act(TaskReply([&sent](std::optional<TaskAnswer> answer) {
    const Value* const value = answer ? std::get_if<Value>(&*answer) : nullptr;
    sent.emplace_back(!answer ? "dropped" : value != nullptr ? debug_text(*value) : "failure");
  }));
  return sent;
}

TEST(TaskReply, AnswersOnceAndTellsWhereItGoesUnused) {
  static_assert(!std::is_copy_constructible_v<TaskReply>);
  using Sent = std::vector<std::string>;
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(7); }), Sent{"7"});
  EXPECT_EQ(sent_by([](TaskReply reply) {
              reply(Value(true));
              reply(Value(false));
            }),
            Sent{"true"});
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(TaskAnswer(TypedError{"id", "text"})); }),
            Sent{"failure"});
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(Result<Value>(fail(ErrorCode::io, "no"))); }),
            Sent{"failure"});
  EXPECT_EQ(sent_by([](const TaskReply&) {}), Sent{"dropped"});
  EXPECT_EQ(sent_by([](TaskReply reply) { const TaskReply other = std::move(reply); }),
            Sent{"dropped"});
}

}  // namespace
}  // namespace cordon
