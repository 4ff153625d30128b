#include "cordon/providers/one_call.h"

#include <atomic>
#include <limits>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/providers/testing/guest_program.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;

OneCallOptions options_of(CallRequest request) {
  return {.link = guest_link(),
          .request = std::move(request),
          .started = std::chrono::steady_clock::now(),
          .timeout = 30s};
}

Result<Value> run(OneCallOptions options) {
  Result<std::unique_ptr<OneCall>> call = OneCall::start(std::move(options));
  if (!call) return std::unexpected(call.error());
  return (*call)->run();
}

Result<Value> run(const std::string& function, Value params = {}) {
  return run(options_of({.function = function, .params = std::move(params)}));
}

TEST(OneCall, GivesTheAnswerOfTheFunction) {
  EXPECT_EQ(*run("add", Value::array({1, 2})), Value(3));
  EXPECT_TRUE(run("nothing").value().is_undefined());
  EXPECT_EQ(run("divide", Value::array({1, 0})).error(),
            (Error{ErrorCode::tool_error, "Division by zero"}));
}

TEST(OneCall, CountsAnAnswerOnlyOnceTheGuestHasLeftInPeace) {
  EXPECT_TRUE(run("answerTwice").error().is(ErrorCode::unknown_id));
  EXPECT_TRUE(run("printAfter").error().is(ErrorCode::bad_version));
}

TEST(OneCall, EndsAGuestThatBreaksTheProtocol) {
  EXPECT_TRUE(run("print").error().is(ErrorCode::bad_version));
  EXPECT_TRUE(run("badFrame").error().is(ErrorCode::bad_frame));
  EXPECT_TRUE(run("answerUnasked").error().is(ErrorCode::unknown_id));
  EXPECT_TRUE(run("exit", Value::array({3})).error().is(ErrorCode::exited));
}

TEST(OneCall, EndsAGuestThatTakesTooLong) {
  OneCallOptions options = options_of({.function = "hang"});
  options.timeout = 100ms;
  const Result<Value> result = run(std::move(options));
  EXPECT_TRUE(result.error().is(ErrorCode::timeout));
}

TEST(OneCall, GivesOutTheChunksOfItsStream) {
  OneCallOptions options = options_of({.function = "listItems", .stream_param = "toolStreamId"});
  std::vector<Value> chunks;
  options.on_chunk = [&](const Value& chunk) -> Result<> {
    chunks.push_back(chunk);
    return {};
  };
  EXPECT_TRUE(run(std::move(options)).has_value());
  EXPECT_THAT(chunks, testing::ElementsAre(Value("Hammer"), Value("Wrench")));

  EXPECT_EQ(run(options_of({.function = "lostItems", .stream_param = "toolStreamId"})).error(),
            (Error{ErrorCode::io, "Connection lost"}));
}

TEST(OneCall, IsEndedWhereNobodyReadsItsStream) {
  OneCallOptions options = options_of({.function = "listItems", .stream_param = "toolStreamId"});
  options.on_chunk = [](const Value&) -> Result<> { return fail(ErrorCode::closed, "no reader"); };
  EXPECT_EQ(run(std::move(options)).error(), (Error{ErrorCode::closed, "no reader"}));
}

TEST(OneCall, AnswersCallbacks) {
  OneCallOptions options = options_of(
      {.function = "callBack", .params = Value::object({{"name", "echo"}, {"params", 7}})});
  options.callbacks.tools = {echo_tool("echo")};
  EXPECT_EQ(*run(std::move(options)), Value(7));
}

TEST(OneCall, FinishesWhatTheGuestAskedForWithoutWaiting) {
  std::atomic<bool> is_done = false;
  std::thread later;
  OneCallOptions options =
      options_of({.function = "notify", .params = Value::object({{"name", "note"}})});
  const auto note = [&](const Value&, Reply reply) {
    later = std::thread([&is_done, reply = std::move(reply)]() mutable {
      std::this_thread::sleep_for(400ms);  // longer than a guest may take to leave
      is_done = true;
      reply(Value());
    });
  };
  options.callbacks.tools = {{"note", note}};
  EXPECT_TRUE(run(std::move(options)).has_value());
  EXPECT_TRUE(is_done);
  later.join();
}

TEST(OneCall, WithoutAnAnswerWaitsForTheEndOfTheGuest) {
  const auto send = [](const std::string& function, const Value& params) {
    return run(
        options_of({.function = function, .params = params, .answer = duplex::Answer::none}));
  };
  EXPECT_TRUE(send("logEvent", {}).has_value());
  EXPECT_TRUE(send("exit", Value::array({3})).error().is(ErrorCode::exited));
  EXPECT_TRUE(send("answerLogged", {}).error().is(ErrorCode::unknown_id));
}

TEST(OneCall, TellsWhatCannotBeSentFromWhatIsTooLarge) {
  OneCallOptions large = options_of({.function = "echo", .params = std::string(5000, 'x')});
  large.link.limits.frame_bytes = 4096;
  EXPECT_TRUE(run(std::move(large)).error().is(ErrorCode::too_large));
  EXPECT_TRUE(run("echo", Value::array({std::numeric_limits<double>::infinity()}))
                  .error()
                  .is(ErrorCode::invalid_argument));
}

TEST(OneCall, PassesOnWhatTheGuestWritesToItsStandardError) {
  OneCallOptions options = options_of({.function = "logEvent"});
  std::string errors;
  options.link.on_errors = [&](std::string_view text) { errors += text; };
  EXPECT_TRUE(run(std::move(options)).has_value());
  EXPECT_EQ(errors, "logged\n");
}

TEST(OneCall, SaysWhyTheProcessCannotBeStarted) {
  OneCallOptions options = options_of({.function = "add"});
  options.link.command = {"no-such-program-at-all"};
  const Result<Value> result = run(std::move(options));
  EXPECT_TRUE(result.error().is(ErrorCode::unavailable));
  EXPECT_THAT(result.error().message, testing::HasSubstr("no-such-program-at-all"));
}

}  // namespace
}  // namespace cordon::providers
