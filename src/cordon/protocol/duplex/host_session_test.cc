#include "cordon/protocol/duplex/host_session.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"

namespace cordon::duplex {
namespace {

using namespace std::chrono_literals;

// Counts up: every id differs, and every test gets the same ones.
RandomSource counting() {
  return [next = std::uint32_t{0}](std::span<std::uint8_t> bytes) mutable {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next++ / 7);
  };
}

// A session, and a guest that is written by hand.
class Conversation {
 public:
  explicit Conversation(const Limits& given = {}) : limits(given), session(given, counting()) {}

  void guest_sends(const Message& message) {
    Bytes bytes;
    ASSERT_TRUE(write_message(bytes, message, limits).has_value());
    session.receive(bytes);
  }

  std::string call(std::string_view name = "f", const CallOptions& options = {}) {
    const Result<std::string> id = session.call(name, {}, options);
    EXPECT_TRUE(id.has_value());
    return id.value_or("");
  }

  // What the host wrote since the last time.
  std::vector<Message> sent() {
    FrameReader reader(limits.frame_bytes);
    reader.feed(session.output());
    session.output().clear();
    std::vector<Message> all;
    while (true) {
      const auto payload = reader.next();
      if (!payload || !*payload) break;
      all.push_back(*read_message(**payload, limits));
    }
    EXPECT_EQ(reader.pending_bytes(), 0u);
    return all;
  }

  template <class T>
  T receives() {
    auto message = session.next();
    EXPECT_TRUE(message.has_value()) << message.error().message;
    EXPECT_TRUE(message && *message) << "nothing came";
    if (!message || !*message || !std::holds_alternative<T>(**message)) {
      ADD_FAILURE() << "another message came";
      return T{};
    }
    return std::get<T>(**message);
  }

  ErrorCode ends() {
    const auto message = session.next();
    EXPECT_FALSE(message.has_value()) << "it goes on";
    EXPECT_FALSE(session.next().has_value()) << "the end is for ever";
    EXPECT_EQ(session.pending_calls(), 0u);
    EXPECT_TRUE(session.output().empty());
    EXPECT_FALSE(session.call("more", {}).has_value());
    return message ? ErrorCode::exited : message.error().code;
  }

  Limits limits;
  HostSession session;
};

TEST(DuplexHostSession, ACallAndItsResponse) {
  Conversation talk;
  const Result<std::string> id = talk.session.call("add", Value::array({1, 2}));
  const auto sent = talk.sent();
  ASSERT_EQ(sent.size(), 1u);
  const auto& call = std::get<FunctionCall>(sent[0]);
  EXPECT_EQ(call.id, *id);
  EXPECT_EQ(call.function_name, "add");
  EXPECT_EQ(call.params, Value::array({1, 2}));
  EXPECT_TRUE(call.expects_response);
  talk.guest_sends(FunctionResponse{*id, 3});
  EXPECT_EQ(talk.receives<FunctionResponse>().result, Value(3));
  EXPECT_EQ(talk.session.pending_calls(), 0u);
}

TEST(DuplexHostSession, ACallAndItsError) {
  Conversation talk;
  const std::string id = talk.call();
  talk.guest_sends(FunctionError{id, "Division by zero"});
  EXPECT_EQ(talk.receives<FunctionError>().error, "Division by zero");
}

TEST(DuplexHostSession, CallsInterleave) {
  Conversation talk;
  const std::string first = talk.call();
  const std::string second = talk.call();
  talk.guest_sends(FunctionResponse{second});
  talk.guest_sends(FunctionError{first, "no"});
  EXPECT_EQ(talk.receives<FunctionResponse>().id, second);
  EXPECT_EQ(talk.receives<FunctionError>().id, first);
}

TEST(DuplexHostSession, IdsAreUnique) {
  Conversation talk;
  std::set<std::string> ids;
  HostSession session({}, [](std::span<std::uint8_t> bytes) {
    static std::uint64_t state = 88172645463325252u;
    for (std::uint8_t& byte : bytes) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      byte = static_cast<std::uint8_t>(state >> 32);
    }
  });
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(ids.insert(session.new_id()).second);
}

TEST(DuplexHostSession, FireAndForgetTakesNoAnswer) {
  const Message answers[] = {FunctionResponse{}, FunctionError{"", "no"}};
  for (Message answer : answers) {
    Conversation talk;
    const std::string id = talk.call("log", {.answer = Answer::none});
    const auto sent = talk.sent();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_FALSE(std::get<FunctionCall>(sent[0]).expects_response);
    EXPECT_EQ(talk.session.pending_calls(), 0u);
    std::visit([&](auto& message) { message.id = id; }, answer);
    talk.guest_sends(answer);
    EXPECT_EQ(talk.ends(), ErrorCode::unknown_id);
  }
}

TEST(DuplexHostSession, AnUnknownIdOfEveryKindEndsTheGuest) {
  const Message messages[] = {FunctionResponse{"x"}, FunctionError{"x", "e"}, StreamChunk{"x", 1},
                              StreamEnd{"x"}, StreamError{"x", "e"}};
  for (const Message& message : messages) {
    Conversation talk;
    talk.call();
    talk.guest_sends(message);
    EXPECT_EQ(talk.ends(), ErrorCode::unknown_id);
  }
}

TEST(DuplexHostSession, ASecondAnswerIsAnUnknownId) {
  Conversation talk;
  const std::string id = talk.call();
  talk.guest_sends(FunctionResponse{id});
  talk.guest_sends(FunctionResponse{id});
  talk.receives<FunctionResponse>();
  EXPECT_EQ(talk.ends(), ErrorCode::unknown_id);
}

TEST(DuplexHostSession, AnAllowedCallbackIsAnsweredOnce) {
  Conversation talk;
  talk.session.allow("getProductDetails");
  talk.guest_sends(FunctionCall{"d1", "getProductDetails", Value::object({{"productId", "p-42"}})});
  EXPECT_EQ(talk.receives<FunctionCall>().params["productId"], "p-42");
  ASSERT_TRUE(talk.session.respond("d1", Value("Broccoli")).has_value());
  ASSERT_TRUE(talk.session.respond("d1", Value("again")).has_value());
  const auto sent = talk.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(std::get<FunctionResponse>(sent[0]).result, "Broccoli");
}

TEST(DuplexHostSession, AFailedCallbackIsAnError) {
  Conversation talk;
  talk.session.allow("f");
  talk.guest_sends(FunctionCall{"d1", "f"});
  talk.receives<FunctionCall>();
  ASSERT_TRUE(talk.session.respond_error("d1", "out of stock").has_value());
  EXPECT_EQ(std::get<FunctionError>(talk.sent().at(0)).error, "out of stock");
}

TEST(DuplexHostSession, ACallbackThatExpectsNoAnswerGetsNone) {
  Conversation talk;
  talk.session.allow("log");
  talk.guest_sends(FunctionCall{"d1", "log", {}, false});
  EXPECT_FALSE(talk.receives<FunctionCall>().expects_response);
  ASSERT_TRUE(talk.session.respond("d1", Value(1)).has_value());
  ASSERT_TRUE(talk.session.respond_error("d1", "no").has_value());
  EXPECT_TRUE(talk.session.output().empty());
}

TEST(DuplexHostSession, AnUnauthorizedCallbackEndsTheGuest) {
  for (const bool expects_response : {true, false}) {
    Conversation talk;
    talk.session.allow("read");
    talk.guest_sends(FunctionCall{"d1", "write", {}, expects_response});
    EXPECT_EQ(talk.ends(), ErrorCode::unauthorized_callback);
  }
}

TEST(DuplexHostSession, TwoOpenCallbacksWithOneIdAreAViolation) {
  for (const bool expects_response : {true, false}) {
    Conversation talk;
    talk.session.allow("f");
    talk.guest_sends(FunctionCall{"d1", "f"});
    talk.guest_sends(FunctionCall{"d1", "f", {}, expects_response});
    talk.receives<FunctionCall>();
    EXPECT_EQ(talk.ends(), ErrorCode::bad_message);
  }
}

TEST(DuplexHostSession, EachDirectionHasItsOwnIds) {
  Conversation talk;
  talk.session.allow("f");
  const std::string id = talk.call();
  talk.guest_sends(FunctionCall{id, "f"});
  talk.guest_sends(FunctionResponse{id, 1});
  EXPECT_EQ(talk.receives<FunctionCall>().id, id);
  EXPECT_EQ(talk.receives<FunctionResponse>().id, id);
  talk.sent();
  ASSERT_TRUE(talk.session.respond(id, Value(2)).has_value());
  EXPECT_EQ(std::get<FunctionResponse>(talk.sent().at(0)).result, Value(2));
}

TEST(DuplexHostSession, ACallbackByReferenceLivesUntilItsCallSettles) {
  Conversation talk;
  const std::string id = talk.call("each", {.references = {"cb_7"}});
  talk.guest_sends(FunctionCall{"1", "cb_7", {}, false});
  talk.guest_sends(FunctionResponse{id});
  talk.guest_sends(FunctionCall{"2", "cb_7", {}, false});
  talk.receives<FunctionCall>();
  talk.receives<FunctionResponse>();
  EXPECT_EQ(talk.ends(), ErrorCode::unauthorized_callback);
}

TEST(DuplexHostSession, AStreamFlowsBeforeAndAfterTheResponse) {
  Conversation talk;
  const std::string stream = talk.session.new_id();
  ASSERT_TRUE(talk.session.open_incoming(stream).has_value());
  const std::string id = talk.call("listItems");
  talk.guest_sends(StreamChunk{stream, "Hammer"});
  talk.guest_sends(FunctionResponse{id});
  talk.guest_sends(StreamChunk{stream, "Wrench"});
  talk.guest_sends(StreamEnd{stream});
  EXPECT_EQ(talk.receives<StreamChunk>().chunk, "Hammer");
  talk.receives<FunctionResponse>();
  EXPECT_EQ(talk.receives<StreamChunk>().chunk, "Wrench");
  EXPECT_EQ(talk.receives<StreamEnd>().id, stream);
  talk.guest_sends(StreamChunk{stream, "Late"});
  EXPECT_EQ(talk.ends(), ErrorCode::unknown_id);
}

TEST(DuplexHostSession, NothingComesAfterAStreamError) {
  Conversation talk;
  ASSERT_TRUE(talk.session.open_incoming("t1").has_value());
  talk.guest_sends(StreamError{"t1", "Connection lost"});
  talk.guest_sends(StreamEnd{"t1"});
  EXPECT_EQ(talk.receives<StreamError>().error, "Connection lost");
  EXPECT_EQ(talk.ends(), ErrorCode::unknown_id);
}

TEST(DuplexHostSession, AStreamToTheGuestIsWrittenUntilItsEnd) {
  Conversation talk;
  ASSERT_TRUE(talk.session.open_outgoing("t1").has_value());
  ASSERT_TRUE(talk.session.send_chunk("t1", Value(1)).has_value());
  ASSERT_TRUE(talk.session.send_end("t1").has_value());
  EXPECT_FALSE(talk.session.send_chunk("t1", Value(2)).has_value());
  EXPECT_EQ(talk.sent().size(), 2u);
  talk.guest_sends(StreamChunk{"t1", 1});
  EXPECT_EQ(talk.ends(), ErrorCode::unknown_id) << "the guest has no part in it";
}

TEST(DuplexHostSession, TheEarliestDeadlineOfWhatIsPendingEndsTheGuest) {
  Conversation talk;
  const Instant start{};
  const std::string first = talk.call("a", {.deadline = start + 10ms});
  talk.call("b", {.deadline = start + 30ms});
  EXPECT_EQ(talk.session.deadline(), start + 10ms);
  talk.guest_sends(FunctionResponse{first});
  talk.receives<FunctionResponse>();
  EXPECT_EQ(talk.session.deadline(), start + 30ms);
  EXPECT_TRUE(talk.session.on_time(start + 29ms).has_value());
  const auto late = talk.session.on_time(start + 30ms);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  EXPECT_EQ(talk.ends(), ErrorCode::timeout);
}

TEST(DuplexHostSession, AnExitEndsWhatIsPending) {
  Conversation talk;
  talk.call();
  EXPECT_EQ(talk.session.on_exit("code 3").code, ErrorCode::exited);
  EXPECT_EQ(talk.ends(), ErrorCode::exited);
}

TEST(DuplexHostSession, TheFirstViolationIsTheOne) {
  Conversation talk;
  talk.session.receive(as_bytes("noise"));
  EXPECT_EQ(talk.ends(), ErrorCode::bad_version);
  EXPECT_EQ(talk.session.on_exit("killed").code, ErrorCode::bad_version);
}

TEST(DuplexHostSession, OpenCallbacksHaveALimit) {
  Conversation talk({.open_callbacks = 2});
  talk.session.allow("f");
  for (const char* id : {"1", "2", "3"}) talk.guest_sends(FunctionCall{id, "f"});
  talk.receives<FunctionCall>();
  talk.receives<FunctionCall>();
  EXPECT_EQ(talk.ends(), ErrorCode::too_large);
}

TEST(DuplexHostSession, AnswersThatTheGuestDoesNotReadHaveALimit) {
  Conversation talk({.unread_answer_bytes = 1000});
  talk.session.allow("f");
  const auto ask_and_answer = [&](const char* id, std::size_t bytes) {
    talk.guest_sends(FunctionCall{id, "f"});
    talk.receives<FunctionCall>();
    EXPECT_TRUE(talk.session.respond(id, Value(std::string(bytes, 'x'))).has_value());
  };
  ask_and_answer("1", 2000);
  EXPECT_TRUE(talk.session.next().has_value()) << "one of any size";
  EXPECT_EQ(talk.sent().size(), 1u);
  ask_and_answer("2", 600);
  EXPECT_TRUE(talk.session.next().has_value());
  ask_and_answer("3", 600);
  EXPECT_EQ(talk.ends(), ErrorCode::too_large);
}

TEST(DuplexHostSession, AMessageIsCountedByWhatItTakesHere) {
  Conversation talk({.frame_bytes = std::size_t{4} << 20});
  talk.session.allow("f");
  const Value numbers = Value::array_from(std::vector<Value>(100'000, Value(1)));
  talk.guest_sends(FunctionCall{"1", "f", numbers});
  talk.receives<FunctionCall>();
  EXPECT_GE(talk.session.message_memory(), 1'600'000u);
  EXPECT_LE(talk.session.message_memory(), 2'000'000u);
  talk.guest_sends(FunctionCall{"2", "f", Value(std::string(100'000, 'x'))});
  talk.receives<FunctionCall>();
  EXPECT_LE(talk.session.message_memory(), 300'000u);
  // Less than the largest frame, and more than there is room for.
  const Value many = Value::array_from(std::vector<Value>(3'000'000, Value(1)));
  talk.guest_sends(FunctionCall{"3", "f", many});
  EXPECT_EQ(talk.ends(), ErrorCode::too_large);
}

TEST(DuplexHostSession, CountsFramesAndBytes) {
  Conversation talk;
  const std::string id = talk.call();
  const std::size_t written = talk.session.output().size();
  talk.guest_sends(FunctionResponse{id});
  talk.receives<FunctionResponse>();
  EXPECT_EQ(talk.session.figures().frames_out, 1u);
  EXPECT_EQ(talk.session.figures().bytes_out, written);
  EXPECT_EQ(talk.session.figures().frames_in, 1u);
  EXPECT_GT(talk.session.figures().bytes_in, 20u);
}

}  // namespace
}  // namespace cordon::duplex
