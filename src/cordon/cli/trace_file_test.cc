#include "cordon/cli/trace_file.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/cli/testing/sample_call.h"

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::system_clock::time_point start{std::chrono::seconds(1'700'000'000)};

Report report() {
  Report made;
  made.duration = 8ms;
  made.error = Error{ErrorCode::runtime_error, "no"};
  made.calls = {answered_call(20),
                {.provider = "shop", .tool = "stock", .started = 4ms},
                {.provider = "shop",
                 .tool = "price",
                 .started = 7ms,
                 .took = 500us,
                 .answered = true,
                 .error = "tool_error: sold out"}};
  made.logs = {{LogLevel::warn, "careful", 1ms}};
  return made;
}

Value made(TraceFormat format) { return trace_as_value({report(), "main.js", start, 5}, format); }

const Value* named(const std::vector<Value>& events, std::string_view name, int nth = 0) {
  for (const Value& event : events) {
    if (event["name"] == Value(name) && nth-- == 0) return &event;
  }
  return nullptr;
}

std::vector<Value> items(ValueView array) {
  std::vector<Value> all;
  for (const ValueView item : array.items()) all.push_back(Value::copy_of(item));
  return all;
}

TEST(TraceFile, HasTheFormatThatIsWanted) {
  EXPECT_TRUE(made(TraceFormat::chrome).contains("traceEvents"));
  EXPECT_FALSE(made(TraceFormat::chrome).contains("resourceSpans"));
  EXPECT_FALSE(made(TraceFormat::otel).contains("traceEvents"));
  EXPECT_TRUE(made(TraceFormat::both).contains("traceEvents"));
  EXPECT_TRUE(made(TraceFormat::both).contains("resourceSpans"));
}

TEST(TraceFile, HasACompleteEventForEachCallAndOverlappingOnesInLanesOfTheirOwn) {
  const Value trace = made(TraceFormat::chrome);
  const std::vector<Value> events = items(trace.find("traceEvents"));
  const Value* program = named(events, "main.js");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ((*program)["dur"], Value(8000));
  const Value* first = named(events, "shop.price");
  const Value* open = named(events, "shop.stock");
  const Value* last = named(events, "shop.price", 1);
  ASSERT_TRUE(first != nullptr && open != nullptr && last != nullptr);
  EXPECT_EQ((*first)["ph"], Value("X"));
  EXPECT_EQ((*first)["ts"], Value(2000));
  EXPECT_EQ((*first)["dur"], Value(4000));
  EXPECT_EQ((*first)["args"]["inputBytes"], Value(17));
  EXPECT_EQ((*open)["dur"], Value(4000)) << "until the end";
  EXPECT_NE((*open)["tid"], (*first)["tid"]);
  EXPECT_EQ((*last)["tid"], (*first)["tid"]);
  EXPECT_EQ((*last)["args"]["error"], Value("tool_error: sold out"));
  const Value* log = named(events, "warn");
  ASSERT_NE(log, nullptr);
  EXPECT_EQ((*log)["ph"], Value("i"));
  EXPECT_EQ((*log)["ts"], Value(1000));
  EXPECT_EQ((*log)["args"]["text"], Value("careful"));
}

TEST(TraceFile, HasASpanForEachCallBelowThatOfTheProgram) {
  const Value trace = made(TraceFormat::otel);
  const std::vector<Value> spans =
      items(trace.find("resourceSpans").at(0).find("scopeSpans").at(0).find("spans"));
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[0]["name"], Value("main.js"));
  EXPECT_FALSE(spans[0].contains("parentSpanId"));
  EXPECT_EQ(spans[0]["status"]["code"], Value(2));
  EXPECT_EQ(spans[0]["startTimeUnixNano"], Value("1700000000000000000"));
  EXPECT_EQ(spans[0]["endTimeUnixNano"], Value("1700000000008000000"));
  EXPECT_EQ(spans[1]["startTimeUnixNano"], Value("1700000000002000000"));
  EXPECT_EQ(spans[1]["status"]["code"], Value(1));
  EXPECT_EQ(spans[2]["status"]["message"], Value("not answered"));
  EXPECT_EQ(spans[3]["status"]["message"], Value("tool_error: sold out"));
  std::set<std::string> ids;
  for (const Value& span : spans) {
    EXPECT_EQ(span["traceId"].as_string().size(), 32u);
    EXPECT_EQ(span["spanId"].as_string().size(), 16u);
    EXPECT_EQ(span["traceId"], spans[0]["traceId"]);
    ids.insert(std::string(span["spanId"].as_string()));
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(spans[3]["parentSpanId"], spans[0]["spanId"]);
}

}  // namespace
}  // namespace cordon::cli
