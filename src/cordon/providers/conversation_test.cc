#include "cordon/providers/conversation.h"

#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/providers/testing/guest_program.h"

namespace cordon::providers {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Instant in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

class ConversationTest : public testing::Test {
 protected:
  // Before anything is sent, with the rules as they are then.
  void start(duplex::Limits limits = {}) {
    Result<std::unique_ptr<PluginLink>> link = PluginLink::start(guest_link(limits));
    ASSERT_TRUE(link.has_value()) << guest_program();
    conversation_ = std::make_unique<Conversation>(*std::move(link), rules_);
  }

  SentCall send(CallRequest request) {
    request.deadline = in(30s);
    Result<SentCall> sent = conversation_->send(request);
    EXPECT_TRUE(sent.has_value());
    return sent.value_or(SentCall());
  }

  // The next thing to tell, whatever happens before it.
  Result<GuestEvent> event() {
    while (true) {
      Result<std::optional<GuestEvent>> next = conversation_->next(in(30s));
      if (!next) return std::unexpected(next.error());
      if (*next) return **std::move(next);
    }
  }

  Result<Value> answer_of(CallRequest request) {
    const SentCall sent = send(std::move(request));
    const Result<GuestEvent> told = event();
    if (!told) return std::unexpected(told.error());
    const auto* answer = std::get_if<CallAnswer>(&*told);
    EXPECT_NE(answer, nullptr);
    if (answer == nullptr) return Value();
    EXPECT_EQ(answer->id, sent.id);
    return answer->result;
  }

  CallbackRules rules_;
  std::unique_ptr<Conversation> conversation_;
};

CallRequest call_back(const std::string& name, const Value& params = 1) {
  return {.function = "callBack", .params = Value::object({{"name", name}, {"params", params}})};
}

TEST_F(ConversationTest, TellsTheAnswersOfCalls) {
  start();
  EXPECT_FALSE(conversation_->has_answered());
  EXPECT_EQ(*answer_of({.function = "add", .params = Value::array({1, 2})}), Value(3));
  EXPECT_TRUE(conversation_->has_answered());
  const Result<Value> failed = answer_of({.function = "divide", .params = Value::array({1, 0})});
  EXPECT_EQ(failed.error(), (Error{ErrorCode::tool_error, "Division by zero"}));
  EXPECT_EQ(conversation_->calls_made(), 2u);
  EXPECT_EQ(conversation_->figures().frames_out, 2u);
}

TEST_F(ConversationTest, TellsTheChunksOfAStreamAndItsEnd) {
  start();
  const SentCall sent = send({.function = "listItems", .stream_param = "toolStreamId"});
  std::vector<Value> chunks;
  bool is_over = false;
  while (!is_over) {
    Result<GuestEvent> told = event();
    ASSERT_TRUE(told.has_value());
    if (auto* piece = std::get_if<StreamPiece>(&*told)) {
      EXPECT_EQ(piece->stream, sent.stream);
      EXPECT_GT(piece->memory_bytes, 0u);
      chunks.push_back(piece->value);
    } else if (auto* over = std::get_if<StreamOver>(&*told)) {
      EXPECT_FALSE(over->error.has_value());
      is_over = true;
    }
  }
  EXPECT_THAT(chunks, testing::ElementsAre(Value("Hammer"), Value("Wrench")));
}

TEST_F(ConversationTest, TellsWhyAStreamFailed) {
  start();
  send({.function = "lostItems", .stream_param = "toolStreamId"});
  std::optional<Error> error;
  while (!error) {
    Result<GuestEvent> told = event();
    ASSERT_TRUE(told.has_value());
    if (auto* over = std::get_if<StreamOver>(&*told)) error = over->error;
  }
  EXPECT_EQ(*error, (Error{ErrorCode::io, "Connection lost"}));
}

TEST_F(ConversationTest, RunsCallbacksByNameAndByReference) {
  rules_.tools = {echo_tool("echo")};
  start();
  EXPECT_EQ(*answer_of(call_back("echo", 7)), Value(7));
  CallRequest by_reference = call_back("", 20);
  by_reference.callbacks = {
      {"name", [](const Value& input, Reply reply) { reply(Value(input.value_or(0) + 1)); }}};
  EXPECT_EQ(*answer_of(by_reference), Value(21));
}

TEST_F(ConversationTest, EndsAGuestThatCallsWhatItMayNot) {
  rules_.tools = {echo_tool("echo")};
  start();
  EXPECT_TRUE(answer_of(call_back("other")).error().is(ErrorCode::unauthorized_callback));
  EXPECT_TRUE(conversation_->has_ended_quietly());
}

TEST_F(ConversationTest, AnswersACallbackThatIsLateWithAnError) {
  std::vector<Reply> kept;
  rules_.tools = {{"slow", [&](const Value&, Reply reply) { kept.push_back(std::move(reply)); }}};
  rules_.timeout = 20ms;
  start();
  EXPECT_EQ(answer_of(call_back("slow")).error(),
            (Error{ErrorCode::tool_error, "the callback failed"}));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept.front().stop_token().stop_requested());
}

TEST_F(ConversationTest, HoldsCallbacksToTheirContract) {
  const auto object = [](const char* text) { return *from_json(text); };
  PluginOptions options;
  options.callback_functions["checked"] = {.params = object(R"({"type": "string"})"),
                                           .result = object(R"({"minLength": 3})")};
  const Result<PluginContract> contract = PluginContract::create(options);
  ASSERT_TRUE(contract.has_value());
  rules_ = {.tools = {echo_tool("checked")}, .contract = &*contract};
  start();
  EXPECT_EQ(*answer_of(call_back("checked", "long")), Value("long"));
  EXPECT_FALSE(answer_of(call_back("checked", 1)).has_value()) << "the params are no text";
  EXPECT_FALSE(answer_of(call_back("checked", "s")).has_value()) << "the result is too short";
  EXPECT_EQ(*answer_of({.function = "add", .params = Value::array({1, 2})}), Value(3))
      << "the guest may go on";
}

TEST_F(ConversationTest, EndsAGuestWithTooManyOpenCallbacks) {
  rules_.tools = {echo_tool("echo")};
  start({.open_callbacks = 0});
  // It wants no answer, and is work all the same.
  const Result<Value> result =
      answer_of({.function = "notify", .params = Value::object({{"name", "echo"}})});
  EXPECT_EQ(result.error(), (Error{ErrorCode::too_large, "more than 0 open callbacks"}));
}

TEST_F(ConversationTest, ReadsStreamsToTheGuest) {
  start();
  int left = 100;
  const auto next = [&]() -> Result<std::optional<Value>> {
    if (left == 0) return std::nullopt;
    return Value(left--);
  };
  EXPECT_EQ(*answer_of({.function = "sum", .streams = {{"stream", next}}}), Value(5050));
  EXPECT_FALSE(conversation_->is_busy());
  const auto fails = []() -> Result<std::optional<Value>> { return fail(ErrorCode::io, "gone"); };
  EXPECT_EQ(answer_of({.function = "sum", .streams = {{"stream", fails}}}).error().message,
            "the stream failed");
}

TEST_F(ConversationTest, RefusesParamsThatHaveNoMembers) {
  start();
  const Result<SentCall> sent = conversation_->send(
      {.function = "listItems", .params = Value::array({1}), .stream_param = "toolStreamId"});
  EXPECT_TRUE(sent.error().is(ErrorCode::invalid_argument));
  EXPECT_EQ(conversation_->calls_made(), 0u);
}

TEST_F(ConversationTest, ComesBackWhenItIsWokenOrTheTimeHasCome) {
  start();
  std::thread other([&] { conversation_->wake(); });
  EXPECT_FALSE(conversation_->next(in(30s)).value().has_value());
  other.join();
  EXPECT_FALSE(conversation_->next(in(1ms)).value().has_value());
}

TEST_F(ConversationTest, HearsAWakeThatCameBeforeItWaits) {
  start();
  conversation_->wake();
  EXPECT_FALSE(conversation_->next(std::nullopt).value().has_value());
}

TEST_F(ConversationTest, NoticesAProcessThatEndedWhileNobodyLooked) {
  start();
  EXPECT_FALSE(conversation_->has_ended_quietly());
  ::kill(conversation_->process(), SIGKILL);
  for (int i = 0; i < 3000 && !conversation_->has_ended_quietly(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(conversation_->has_ended_quietly());
  EXPECT_TRUE(conversation_->next(in(30s)).error().is(ErrorCode::exited));
}

TEST_F(ConversationTest, StopsCallbacksWhenItGoes) {
  std::vector<Reply> kept;
  rules_.tools = {{"slow", [&](const Value&, Reply reply) { kept.push_back(std::move(reply)); }}};
  start();
  send(call_back("slow"));
  while (kept.empty()) ASSERT_TRUE(conversation_->next(in(30s)).has_value());
  const std::stop_token stop = kept.front().stop_token();
  EXPECT_FALSE(stop.stop_requested());
  EXPECT_TRUE(conversation_->is_busy());
  conversation_.reset();
  EXPECT_TRUE(stop.stop_requested());
  kept.clear();  // an answer that comes now goes nowhere
}

}  // namespace
}  // namespace cordon::providers
