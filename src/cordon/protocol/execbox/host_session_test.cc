#include "cordon/protocol/execbox/host_session.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::execbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view done = R"({"type":"done","id":"x","ok":true,"durationMs":3,"logs":[]})";

HostExecute execute() {
  return {"x",
          "1 + 1",
          {.timeout = std::chrono::milliseconds(5),
           .memory_limit_bytes = 6,
           .max_log_lines = 7,
           .max_log_chars = 8},
          {HostManifest{
              "shop", {{"price", "price"}, {"a_b", "a-b", "Both."}}, "declare namespace shop {}"}}};
}

class ExecboxHostSession : public ::testing::Test {
 protected:
  explicit ExecboxHostSession(const HostLimits& limits = {})
      : session_(HostSession::create(execute(), limits).value()) {
    session_.sent(session_.output().size());
  }

  void hear(std::string_view line) { session_.on_bytes(std::string(line) + "\n"); }
  void call(std::string_view id, std::string_view input = "1") {
    hear(R"({"type":"tool_call","callId":")" + std::string(id) +
         R"(","providerName":"shop","safeToolName":"price","input":)" + std::string(input) + "}");
  }
  // What it says next, without the line end.
  std::string said() {
    std::string text(session_.output());
    session_.sent(text.size());
    if (text.ends_with('\n')) text.pop_back();
    return text;
  }
  // "ok RESULT" or "CODE: MESSAGE".
  std::string end() {
    if (!session_.end()) return "runs";
    if (const auto* error = std::get_if<Error>(&session_.end()->outcome)) return to_string(*error);
    return "ok " + to_json(std::get<Value>(session_.end()->outcome)).value_or("undefined");
  }

  HostSession session_;
};

std::string failed(std::string_view id, std::string_view code, std::string_view message) {
  return R"({"type":"tool_result","callId":")" + std::string(id) +
         R"(","ok":false,"error":{"code":")" + std::string(code) + R"(","message":")" +
         std::string(message) + R"("}})";
}

TEST(ExecboxHostSessionStart, SaysWhatIsToRunAndNothingMore) {
  const HostSession session = HostSession::create(execute()).value();
  EXPECT_EQ(session.output(),
            R"({"type":"execute","id":"x","code":"1 + 1","options":{"timeoutMs":5,)"
            R"("memoryLimitBytes":6,"maxLogLines":7,"maxLogChars":8},"providers":[{"name":"shop",)"
            R"("tools":{"price":{"safeName":"price","originalName":"price"},)"
            R"("a_b":{"safeName":"a_b","originalName":"a-b","description":"Both."}},)"
            R"("types":"declare namespace shop {}"}]})"
            "\n");
}

TEST(ExecboxHostSessionStart, RefusesWhatFitsIntoNoLine) {
  HostExecute large = execute();
  large.code.assign(1000, 'x');
  EXPECT_FALSE(HostSession::create(std::move(large), {.line_bytes = 500}));
}

TEST_F(ExecboxHostSession, TakesTheResultOfADone) {
  hear(R"({"type":"started","id":"x"})");
  hear(R"({"type":"done","id":"x","ok":true,"durationMs":3,"logs":["a"],"result":{"a":[1]}})");
  EXPECT_EQ(end(), R"(ok {"a":[1]})");
  EXPECT_THAT(session_.end()->logs, ElementsAre("a"));
  EXPECT_FALSE(session_.wants_input());
}

TEST_F(ExecboxHostSession, TakesNoResultForUndefinedAndWaitsForNoStarted) {
  hear(done);
  EXPECT_EQ(end(), "ok undefined");
}

TEST_F(ExecboxHostSession, KeepsTheSevenCodesOfAFailureAndTakesOthersForRuntimeErrors) {
  for (const char* code : {"timeout", "memory_limit", "validation_error", "tool_error",
                           "runtime_error", "serialization_error", "internal_error"}) {
    HostSession session = HostSession::create(execute()).value();
    session.on_bytes(R"({"type":"done","id":"x","ok":false,"durationMs":0,"logs":[],"error":)"
                     R"({"code":")" +
                     std::string(code) + "\",\"message\":\"why\"}}\n");
    EXPECT_EQ(to_string(std::get<Error>(session.end()->outcome)), std::string(code) + ": why");
  }
  hear(R"({"type":"done","id":"x","ok":false,"durationMs":0,"logs":[],"error":)"
       R"({"code":"cancelled","message":"why"}})");
  EXPECT_EQ(end(), "runtime_error: why");
}

TEST_F(ExecboxHostSession, BreaksOffAtADoneThatIsNone) {
  for (const char* rest :
       {R"("durationMs":1,"logs":[])", R"("ok":1,"durationMs":1,"logs":[])",
        R"("ok":true,"logs":[])", R"("ok":true,"durationMs":"1","logs":[])",
        R"("ok":true,"durationMs":1)", R"("ok":true,"durationMs":1,"logs":[1])",
        R"("ok":false,"durationMs":1,"logs":[])",
        R"("ok":false,"durationMs":1,"logs":[],"error":{"code":"timeout"}})",
        R"("ok":false,"durationMs":1,"logs":[],"error":{"code":1,"message":""})"}) {
    HostSession session = HostSession::create(execute()).value();
    session.on_bytes(R"({"type":"done","id":"x",)" + std::string(rest) + "}\n");
    if (!session.end()) continue;  // broken JSON is noise
    EXPECT_EQ(std::get<Error>(session.end()->outcome).code_text(), "runner_error") << rest;
  }
  hear(R"({"type":"done","id":"x","ok":true})");
  EXPECT_THAT(end(), HasSubstr("runner_error: the runner sent a done without"));
}

TEST_F(ExecboxHostSession, IgnoresWhatIsNotForIt) {
  for (const char* line :
       {"", "   ", "noise", "1", "[1]", "\"done\"", "{", R"({"type":"done"})",
        R"({"type":"done","id":"y","ok":true,"durationMs":3,"logs":[]})",
        R"({"type":"done","id":1})", R"({"type":"other","id":"x"})",
        R"({"type":"tool_call","callId":7,"providerName":"shop","safeToolName":"price"})",
        R"({"type":"tool_call","providerName":"shop","safeToolName":"price"})", "\xff\xfe"}) {
    hear(line);
    EXPECT_EQ(end(), "runs") << line;
    EXPECT_EQ(said(), "") << line;
    EXPECT_THAT(session_.take_calls(), IsEmpty()) << line;
  }
}

TEST_F(ExecboxHostSession, IgnoresAllThatComesAfterItsEnd) {
  hear(done);
  call("1");
  hear(R"({"type":"done","id":"x","ok":false,"durationMs":0,"logs":["late"]})");
  session_.on_end_of_input("gone");
  EXPECT_EQ(end(), "ok undefined");
  EXPECT_THAT(session_.take_calls(), IsEmpty());
  EXPECT_EQ(said(), "");
}

TEST_F(ExecboxHostSession, TakesCrLfAndALastLineWithoutItsEnd) {
  call("1");
  session_.on_bytes("{\"type\":\"noise\"}\r\n");
  session_.on_bytes(std::string(done) + "\r");
  EXPECT_EQ(end(), "runs");
  session_.on_end_of_input("it closed its output");
  EXPECT_EQ(end(), "ok undefined");
}

TEST_F(ExecboxHostSession, BreaksOffWhereTheInputEndsBeforeADone) {
  session_.on_bytes("{\"type\":");
  session_.on_end_of_input("the runner exited with code 3");
  EXPECT_EQ(end(), "runner_error: the runner exited with code 3");
}

TEST_F(ExecboxHostSession, AnswersCallsInTheOrderOfTheirEnds) {
  call("a", R"({"n":1})");
  hear(R"({"type":"tool_call","callId":"b","providerName":"shop","safeToolName":"a_b"})");
  const std::vector<HostCall> calls = session_.take_calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(to_json(calls[0].input), R"({"n":1})");
  EXPECT_EQ(calls[1].tool, 1U);
  EXPECT_TRUE(calls[1].input.is_undefined());
  session_.on_answer(calls[1].call, Value("second"));
  session_.on_answer(calls[0].call, Value());
  session_.on_answer(calls[0].call, Value("twice"));
  EXPECT_EQ(said(), R"({"type":"tool_result","callId":"b","ok":true,"result":"second"})"
                    "\n"
                    R"({"type":"tool_result","callId":"a","ok":true})");
}

TEST_F(ExecboxHostSession, SaysFailuresWithOneOfTheSevenCodes) {
  call("a");
  call("b");
  session_.on_answer(1, fail(Error{ErrorCode::tool_error, "sold \"out\"", "out_of_stock"}));
  EXPECT_EQ(said(), failed("a", "tool_error", R"(sold \"out\")"));
  session_.on_answer(2, fail(ErrorCode::validation_error, "no"));
  EXPECT_EQ(said(), failed("b", "validation_error", "no"));
}

TEST_F(ExecboxHostSession, ChecksValuesBeforeTheyLeave) {
  call("a");
  session_.on_answer(1, Value::object({{"when", Value::array({Value::date(0)})}}));
  EXPECT_EQ(said(), failed("a", "serialization_error",
                           "the tool returned a non-serializable value: a date at when[0]"));
  call("b");
  session_.on_answer(2, Value::bigint(1));
  EXPECT_EQ(said(), failed("b", "serialization_error",
                           "the tool returned a non-serializable value: a bigint"));
}

TEST_F(ExecboxHostSession, AnswersForToolsThatItDoesNotHave) {
  hear(R"({"type":"tool_call","callId":"a","providerName":"shop","safeToolName":"a-b"})");
  EXPECT_EQ(said(), failed("a", "internal_error", "Unknown tool shop.a-b"));
  hear(R"({"type":"tool_call","callId":"b","providerName":"shap","safeToolName":"price"})");
  EXPECT_EQ(said(), failed("b", "internal_error", "Unknown tool shap.price"));
  hear(R"({"type":"tool_call","callId":"c","providerName":"shop"})");
  EXPECT_EQ(said(), failed("c", "validation_error", "Invalid tool_call message: it names no tool"));
  EXPECT_THAT(session_.take_calls(), IsEmpty());
}

TEST_F(ExecboxHostSession, AnswersEachCallIdOnce) {
  call("a");
  call("a");
  EXPECT_EQ(session_.take_calls().size(), 1U);
  session_.on_answer(1, Value(1));
  said();
  call("a");
  EXPECT_THAT(session_.take_calls(), IsEmpty());
  EXPECT_EQ(said(), "");
}

TEST_F(ExecboxHostSession, AnswersACallThatCannotBeRead) {
  hear("{\"type\":\"tool_call\",\"callId\":\"a\",\"input\":\"\xff\"}");
  EXPECT_EQ(said(), failed("a", "serialization_error", "Tool call refused: it cannot be read"));
  std::string deep(1001, '[');
  deep.append(1001, ']');
  call("b", deep);
  EXPECT_EQ(said(),
            failed("b", "serialization_error", "Guest code returned a non-serializable value"));
}

TEST_F(ExecboxHostSession, RefusesAResultThatIsTooDeep) {
  for (const std::size_t levels : {std::size_t{1000}, std::size_t{1001}, std::size_t{150'000}}) {
    HostSession session = HostSession::create(execute()).value();
    session.on_bytes(R"({"type":"done","id":"x","ok":true,"durationMs":0,"logs":[],"result":)" +
                     std::string(levels, '[') + std::string(levels, ']') + "}\n");
    ASSERT_TRUE(session.end());
    const auto* error = std::get_if<Error>(&session.end()->outcome);
    EXPECT_EQ(error == nullptr, levels == 1000) << levels;
    if (error != nullptr) {
      EXPECT_TRUE(error->is(ErrorCode::serialization_error)) << levels;
    }
  }
}

TEST_F(ExecboxHostSession, SaysNothingAfterACancel) {
  call("a");
  session_.cancel();
  session_.cancel();
  EXPECT_EQ(said(), R"({"type":"cancel","id":"x"})");
  session_.on_answer(1, Value(1));
  call("b");
  hear(R"({"type":"tool_call","callId":"c","providerName":"no","safeToolName":"no"})");
  EXPECT_EQ(said(), "");
  EXPECT_THAT(session_.take_calls(), IsEmpty());
  EXPECT_EQ(end(), "runs");
  hear(R"({"type":"done","id":"x","ok":true,"durationMs":0,"logs":["late"]})");
  EXPECT_THAT(session_.end()->logs, ElementsAre("late"));
}

class ExecboxHostSessionWithSmallLimits : public ExecboxHostSession {
 protected:
  ExecboxHostSessionWithSmallLimits()
      : ExecboxHostSession(
            {.line_bytes = 1000, .unread_bytes = 2000, .pending_calls = 3, .calls = 100}) {}
};

TEST_F(ExecboxHostSessionWithSmallLimits, BreaksOffAtALineThatIsTooLongBeforeItsEnd) {
  session_.on_bytes(std::string(600, ' '));
  EXPECT_EQ(end(), "runs");
  session_.on_bytes(std::string(600, ' '));
  EXPECT_EQ(end(), "runner_error: the runner sent a line of more than 1000 bytes");
}

TEST_F(ExecboxHostSessionWithSmallLimits, LetsOnlySoManyCallsPend) {
  for (const char* id : {"a", "b", "c", "d"}) call(id);
  EXPECT_EQ(session_.take_calls().size(), 3U);
  EXPECT_EQ(said(), failed("d", "runtime_error", "More than 3 tool calls are pending"));
}

TEST_F(ExecboxHostSessionWithSmallLimits, IsNotReadWhileItDoesNotReadItsAnswers) {
  for (const char* id : {"a", "b", "c"}) call(id);
  const Value large(std::string(900, 'x'));
  session_.on_answer(1, large);
  session_.on_answer(2, large);
  EXPECT_TRUE(session_.wants_input());
  session_.on_answer(3, large);
  EXPECT_FALSE(session_.wants_input());
  session_.sent(1500);
  session_.sent(500);
  EXPECT_TRUE(session_.wants_input());
  call("d");
  session_.on_answer(4, Value(std::string(2000, 'x')));
  EXPECT_THAT(session_.output(),
              HasSubstr("the tool returned a non-serializable value: it is larger than 1000"));
}

TEST_F(ExecboxHostSessionWithSmallLimits, BreaksOffWhereRefusalsPileUp) {
  for (int i = 0; i < 100 && !session_.end(); ++i)
    hear(R"({"type":"tool_call","callId":")" + std::to_string(i) + R"("})");
  EXPECT_EQ(end(), "runner_error: the runner does not read its answers");
}

TEST_F(ExecboxHostSessionWithSmallLimits, RemembersOnlySoManyCalls) {
  for (int i = 0; i < 101; ++i) {
    hear(R"({"type":"tool_call","callId":")" + std::to_string(i) + R"("})");
    said();
  }
  EXPECT_EQ(end(), "runner_error: the runner made more than 100 tool calls");
}

TEST(ExecboxHostSessionCuts, DoesTheSameWhereverTheBytesAreCut) {
  const std::string wire =
      R"({"type":"started","id":"x"})"
      "\r\n"
      R"({"type":"tool_call","callId":"a","providerName":"shop","safeToolName":"price"})"
      "\nnoise\n"
      R"({"type":"tool_call","callId":"b","providerName":"no","safeToolName":"price"})"
      "\n"
      R"({"type":"done","id":"x","ok":true,"durationMs":3,"logs":["é"],"result":"🙂"})"
      "\nrest";
  const auto run = [&](std::size_t cut) {
    HostSession session = HostSession::create(execute()).value();
    session.on_bytes(std::string_view(wire).substr(0, cut));
    std::string text = std::string(session.output()) + std::to_string(session.take_calls().size());
    session.on_bytes(std::string_view(wire).substr(cut));
    if (!session.end()) return std::string("no end");
    return to_json(std::get<Value>(session.end()->outcome)).value() + session.end()->logs.at(0);
  };
  for (std::size_t cut = 0; cut <= wire.size(); ++cut) EXPECT_EQ(run(cut), "\"🙂\"é") << cut;
}

}  // namespace
}  // namespace cordon::execbox
