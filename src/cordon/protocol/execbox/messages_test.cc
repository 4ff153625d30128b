#include "cordon/protocol/execbox/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"

namespace cordon::execbox {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

HostMessage read(std::string_view json) {
  const Result<Value> value = json::decode(json);
  EXPECT_TRUE(value.has_value()) << json;
  return read_message(value.value_or(Value()), {});
}

std::string execute_with(const std::string& options, const std::string& providers = "[]") {
  return R"({"type":"execute","id":"e","code":"1","options":)" + options + R"(,"providers":)" +
         providers + "}";
}

std::string options_with(const std::string& number) {
  return R"({"timeoutMs":)" + number + R"(,"memoryLimitBytes":)" + number + R"(,"maxLogLines":)" +
         number + R"(,"maxLogChars":)" + number + "}";
}

TEST(ExecboxMessages, ReadAnExecute) {
  const HostMessage message = read(
      R"({"type":"execute","id":"exec-1","code":"a","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,
      "maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"key":{"safeName":"echo",
      "originalName":"e-cho","description":"Echo"},"other":{"safeName":"echo"},"b":{"safeName":"b"}},"types":"…"}],"more":1})");
  const auto* execute = std::get_if<Execute>(&message);
  ASSERT_NE(execute, nullptr);
  EXPECT_EQ(execute->id, "exec-1");
  EXPECT_EQ(execute->code, "a");
  EXPECT_EQ(execute->options.timeout, 1000ms);
  EXPECT_EQ(execute->options.memory_limit_bytes, 67108864u);
  EXPECT_EQ(execute->options.max_log_lines, 100u);
  EXPECT_EQ(execute->options.max_log_chars, 64000u);
  ASSERT_EQ(execute->providers.size(), 1u);
  EXPECT_EQ(execute->providers[0].name, "tools");
  EXPECT_THAT(execute->providers[0].safe_names, ElementsAre("echo", "b"));
}

TEST(ExecboxMessages, RefuseNamesThatEachRecordedCallWouldRepeat) {
  const std::string longest(max_name_bytes, 'n');
  const auto reason_of = [](const std::string& provider, const std::string& tool) {
    const HostMessage message = read(execute_with(
        options_with("1"),
        R"([{"name":")" + provider + R"(","tools":{"a":{"safeName":")" + tool + R"("}}}])"));
    const auto* const refused = std::get_if<MalformedExecute>(&message);
    return refused == nullptr ? std::string() : refused->reason;
  };
  EXPECT_EQ(reason_of(longest, longest), "");
  EXPECT_THAT(reason_of(longest + "n", "t"), HasSubstr("providers[0].name is too long"));
  EXPECT_THAT(reason_of("p", longest + "n"), HasSubstr("a safeName that is too long"));
}

TEST(ExecboxMessages, BringAnyNumberIntoItsRange) {
  struct Case {
    const char* number;
    std::chrono::milliseconds timeout;
    std::uint64_t memory;
    std::size_t lines;
  };
  const Ceilings ceilings;
  const Case cases[] = {
      {"0", 1ms, 0, 0},
      {"-5", 1ms, 0, 0},
      {"-1e300", 1ms, 0, 0},
      {"0.5", 1ms, 0, 0},
      {"7.5", 8ms, 7, 7},
      {"1e300", ceilings.timeout, ceilings.memory_bytes, ceilings.log_lines},
      {"1e400", ceilings.timeout, ceilings.memory_bytes, ceilings.log_lines},
  };
  for (const Case& one : cases) {
    const HostMessage message = read(execute_with(options_with(one.number)));
    const auto* execute = std::get_if<Execute>(&message);
    ASSERT_NE(execute, nullptr) << one.number;
    EXPECT_EQ(execute->options.timeout, one.timeout) << one.number;
    EXPECT_EQ(execute->options.memory_limit_bytes, one.memory) << one.number;
    EXPECT_EQ(execute->options.max_log_lines, one.lines) << one.number;
  }
}

TEST(ExecboxMessages, TellWhatIsWrongWithAnExecute) {
  const std::string good = options_with("1");
  const std::pair<std::string, const char*> cases[] = {
      {R"({"type":"execute","id":"e"})", "code must be a string"},
      {R"({"type":"execute","id":"e","code":5})", "code must be a string"},
      {R"({"type":"execute","id":"e","code":"1"})", "options must be an object"},
      {execute_with("null"), "options must be an object"},
      {execute_with("{}"), "options.timeoutMs must be a number"},
      {execute_with(options_with("\"1000\"")), "options.timeoutMs must be a number"},
      {execute_with(options_with("null")), "options.timeoutMs must be a number"},
      {R"({"type":"execute","id":"e","code":"1","options":)" + good + "}",
       "providers must be an array"},
      {execute_with(good, "{}"), "providers must be an array"},
      {execute_with(good, "[1]"), "providers[0] must be an object"},
      {execute_with(good, R"([{"tools":{}}])"), "providers[0].name must be a string"},
      {execute_with(good, R"([{"name":"a"}])"), "providers[0].tools must be an object"},
      {execute_with(good, R"([{"name":"a","tools":[]}])"), "providers[0].tools must be an object"},
      {execute_with(good, R"([{"name":"a","tools":{},"types":1}])"), "types must be a string"},
      {execute_with(good, R"([{"name":"a","tools":{"x":{}}}])"), "providers[0].tools.x"},
      {execute_with(good, R"([{"name":"a","tools":{"x":{"safeName":1}}}])"), "safeName"},
      {execute_with(good, R"([{"name":"a","tools":{"x":null}}])"), "safeName"},
  };
  for (const auto& [text, words] : cases) {
    const HostMessage message = read(text);
    const auto* malformed = std::get_if<MalformedExecute>(&message);
    ASSERT_NE(malformed, nullptr) << text;
    EXPECT_EQ(malformed->id, "e");
    EXPECT_THAT(malformed->reason, HasSubstr(words));
  }
}

TEST(ExecboxMessages, LimitProvidersAndTools) {
  std::string providers = "[{\"name\":\"a\",\"tools\":{}}";
  for (std::size_t i = 0; i < max_providers; ++i) providers += R"(,{"name":"a","tools":{}})";
  EXPECT_TRUE(std::holds_alternative<MalformedExecute>(
      read(execute_with(options_with("1"), providers + "]"))));
  std::string tools = R"([{"name":"a","tools":{"x":{"safeName":"x"})";
  for (std::size_t i = 0; i < max_tools; ++i) {
    tools += R"(,"t)" + std::to_string(i) + R"(":{"safeName":"x"})";
  }
  EXPECT_TRUE(std::holds_alternative<MalformedExecute>(
      read(execute_with(options_with("1"), tools + "}}]"))));
}

TEST(ExecboxMessages, TakeTheRestForNoise) {
  for (
      const char* text :
      {"null",
       "1",
       "\"execute\"",
       "[]",
       "{}",
       R"({"type":1})",
       R"({"type":"execute"})",
       R"({"type":"execute","id":1,"code":"1"})",
       R"({"type":"cancel"})",
       R"({"type":"cancel","id":null})",
       R"({"type":"EXECUTE","id":"e"})",
       R"({"type":"done","id":"e","ok":true})",
       R"({"type":"tool_result"})",
       R"({"type":"tool_result","callId":1,"ok":true})",
       R"({"type":"tool_result","callId":"call-1"})",
       R"({"type":"tool_result","callId":"call-1","ok":"yes"})",
       R"({"type":"tool_result","callId":"call-1","ok":false})",
       R"({"type":"tool_result","callId":"call-1","ok":false,"error":"no"})",
       R"({"type":"tool_result","callId":"call-1","ok":false,"error":{"code":"tool_error"}})",
       R"({"type":"tool_result","callId":"call-1","ok":false,"error":{"code":1,"message":"m"}})"}) {
    EXPECT_TRUE(std::holds_alternative<Noise>(read(text))) << text;
  }
}

TEST(ExecboxMessages, ReadAResultThatIsNotThereAsUndefined) {
  const HostMessage message = read(R"({"type":"tool_result","callId":"call-1","ok":true})");
  const auto* result = std::get_if<ToolResult>(&message);
  ASSERT_NE(result, nullptr);
  EXPECT_TRUE(std::get<Value>(result->outcome).is_undefined());
}

TEST(ExecboxMessages, WriteWhatAHostReads) {
  std::string out;
  write_started(out, "a\"\n\xED\xA0\x80");
  ASSERT_TRUE(write_tool_call(out, "call-1", "p", "t", Value::object({{"a", 1}})));
  ASSERT_TRUE(write_tool_call(out, "call-2", "p", "t", Value()));
  write_done(out, {"e", 3ms, {"l\n1", ""}, Value(true)});
  write_done(out, {"e", 3ms, {}, Value()});
  write_done(out, {"e", 3ms, {}, Error{ErrorCode::tool_error, "m"}});
  EXPECT_EQ(
      out,
      "{\"type\":\"started\",\"id\":\"a\\\"\\n\\ud800\"}\n"
      "{\"type\":\"tool_call\",\"callId\":\"call-1\",\"providerName\":\"p\",\"safeToolName\":"
      "\"t\",\"input\":{\"a\":1}}\n"
      "{\"type\":\"tool_call\",\"callId\":\"call-2\",\"providerName\":\"p\",\"safeToolName\":"
      "\"t\"}\n"
      "{\"type\":\"done\",\"id\":\"e\",\"ok\":true,\"durationMs\":3,\"logs\":[\"l\\n1\",\"\"],"
      "\"result\":true}\n"
      "{\"type\":\"done\",\"id\":\"e\",\"ok\":true,\"durationMs\":3,\"logs\":[]}\n"
      "{\"type\":\"done\",\"id\":\"e\",\"ok\":false,\"durationMs\":3,\"logs\":[],\"error\":{"
      "\"code\":\"tool_error\",\"message\":\"m\"}}\n");
}

TEST(ExecboxMessages, WriteNothingOfAnInputThatCannotBeWritten) {
  std::string out = "before";
  EXPECT_FALSE(write_tool_call(out, "call-1", "p", "t", Value::bigint(1)));
  EXPECT_EQ(out, "before");
  write_done(out, {"e", 0ms, {"l"}, Value::array({1, Value::bigint(1)})});
  EXPECT_EQ(out,
            "before{\"type\":\"done\",\"id\":\"e\",\"ok\":false,\"durationMs\":0,\"logs\":[\"l\"],"
            "\"error\":{\"code\":\"serialization_error\",\"message\":\"Guest code returned a "
            "non-serializable value\"}}\n");
}

TEST(ExecboxMessages, WriteWhatIsKnownOfAFailure) {
  std::string out;
  write_done(out, {.id = "e",
                   .logs = {},
                   .outcome = Error{ErrorCode::runtime_error, "m"},
                   .diagnostics = {.name = "TypeError",
                                   .file = "a\nb.js",
                                   .line = 3,
                                   .column = 9,
                                   .hint = "did you mean x?",
                                   .place = "a[1]",
                                   .stack = "    at f (a.js:3:9)\n",
                                   .suggestions = {"x", "y"}}});
  EXPECT_EQ(out, R"({"type":"done","id":"e","ok":false,"durationMs":0,"logs":[],)"
                 R"("error":{"code":"runtime_error","message":"m","name":"TypeError",)"
                 R"("location":{"file":"a\nb.js","line":3,"column":9},"hint":"did you mean x?",)"
                 R"("place":"a[1]","stack":"    at f (a.js:3:9)\n","suggestions":["x","y"]}})"
                 "\n");
}

TEST(ExecboxMessages, CutWhatIsKnownOfAFailure) {
  for (const char* unit : {"x", "\n", "😀", "\xED\xA0\x80"}) {
    std::string text;
    while (text.size() < 100'000) text += unit;
    std::string out;
    write_done(out, {.id = "e",
                     .logs = {},
                     .outcome = Error{ErrorCode::runtime_error, "m"},
                     .diagnostics = {.name = text,
                                     .file = text,
                                     .line = 1,
                                     .column = 1,
                                     .hint = text,
                                     .place = text,
                                     .stack = text,
                                     .suggestions = std::vector<std::string>(100, text)}});
    EXPECT_LT(out.size(), 40'000u);
    EXPECT_THAT(out, testing::HasSubstr("…"));
    EXPECT_TRUE(json::decode(out).has_value());
  }
}

TEST(ExecboxDiagnosticsOfDone, ComeThroughAsTheyWere) {
  const Diagnostics known{.name = "TypeError",
                          .file = "p.js",
                          .line = 3,
                          .column = 14,
                          .hint = "write it",
                          .reason = "a symbol",
                          .place = "a[1]",
                          .stack = "    at f (p.js:3:14)\n",
                          .suggestions = {"price", "prices"},
                          .causes = {{"Error", "one", "    at p.js:1:1\n"}, {"", "two", ""}}};
  std::string out;
  write_done(out, {"e", 3ms, {}, Error{ErrorCode::runtime_error, "m"}, known});
  const Value done = json::decode(out).value();
  const Diagnostics read = read_diagnostics(done.find("error"));
  EXPECT_EQ(read.name, known.name);
  EXPECT_EQ(read.file, known.file);
  EXPECT_EQ(read.line, known.line);
  EXPECT_EQ(read.column, known.column);
  EXPECT_EQ(read.hint, known.hint);
  EXPECT_EQ(read.reason, known.reason);
  EXPECT_EQ(read.place, known.place);
  EXPECT_EQ(read.stack, known.stack);
  EXPECT_EQ(read.suggestions, known.suggestions);
  ASSERT_EQ(read.causes.size(), 2U);
  EXPECT_EQ(read.causes[0].name + read.causes[0].message + read.causes[0].stack,
            "Errorone    at p.js:1:1\n");
  EXPECT_EQ(read.causes[1].name + read.causes[1].message + read.causes[1].stack, "two");
}

TEST(ExecboxDiagnosticsOfDone, MayBeAnything) {
  for (const char* json :
       {"{}", "[]", "1", R"({"name":1,"location":"here","hint":[],"stack":{},"cause":"c"})",
        R"({"suggestions":"s","location":{"line":-1,"column":1},"cause":{"message":1}})",
        R"({"suggestions":[1,[]],"location":{"line":1.5,"column":1}})",
        R"({"location":{"line":1,"column":1e300}})",
        R"({"location":{"line":4294967297,"column":0}})"}) {
    const Diagnostics read = read_diagnostics(json::decode(json).value());
    EXPECT_EQ(read.line, 0U) << json;
    EXPECT_EQ(read.name + read.hint + read.stack, "") << json;
    EXPECT_TRUE(read.suggestions.empty() && read.causes.empty()) << json;
  }
  const std::string large = "\"" + std::string(100'000, 'x') + "\"";
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"message":)" + large + R"(,"cause":)";
  const Diagnostics read =
      read_diagnostics(json::decode(R"({"stack":)" + large + R"(,"hint":)" + large +
                                    R"(,"cause":)" + deep + "1" + std::string(100, '}') + "}")
                           .value());
  EXPECT_LE(read.stack.size(), 4000U);
  EXPECT_LE(read.hint.size(), 1000U);
  EXPECT_EQ(read.causes.size(), 8U);
  EXPECT_LE(read.causes[7].message.size(), 1000U);
}

}  // namespace
}  // namespace cordon::execbox
