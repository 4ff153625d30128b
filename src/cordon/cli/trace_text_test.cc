#include "cordon/cli/trace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/cli/testing/sample_call.h"

namespace cordon::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Terminal plain{false};

Report report() {
  Report made;
  made.kind = ReportKind::result;
  made.duration = 8ms;
  made.computing_time = 500us;
  made.calls = {answered_call(20'480),
                {.provider = "shop",
                 .tool = "stock",
                 .started = 4ms,
                 .took = 2ms,
                 .answered = true,
                 .error = "tool_error: sold out"},
                {.provider = "shop", .tool = "hold", .started = 4ms}};
  made.logs = {{LogLevel::warn, "careful\x1b[2J\nnow", 1ms}};
  return made;
}

TEST(TraceText, DrawsCallsAndLogsOnOneAxis) {
  EXPECT_EQ(
      trace_text(report(), plain),
      "trace\n"
      "      0.00 ms  program     |================================|  8.00 ms, of which its own "
      "0.50\n"
      "      1.00 ms  [warn]      |    .                           |  careful\\x1b[2J\\x0anow\n"
      "      2.00 ms  shop.price  |        ================        |  4.00 ms  17 B out, 20.0 "
      "KiB in\n"
      "      4.00 ms  shop.stock  |                ========        |  2.00 ms  0 B out  failed: "
      "tool_error: sold out\n"
      "      4.00 ms  shop.hold   |                ================|  not answered  0 B out\n");
}

TEST(TraceText, HasTheErrorOfAProgramThatFailed) {
  Report failed = report();
  failed.kind = ReportKind::failure;
  failed.error.code = ErrorCode::timeout;
  EXPECT_THAT(trace_text(failed, plain), HasSubstr("timeout"));
}

TEST(TraceText, EndsSomewhere) {
  Report large = report();
  large.calls = std::vector<CallRecord>(10'000, large.calls[0]);
  large.calls[0].tool = std::string(1000, 'x');
  const std::string text = trace_text(large, plain);
  EXPECT_THAT(text, HasSubstr("and 9802 more"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(40, 'x'))));
  EXPECT_THAT(trace_text({}, plain), HasSubstr("program"));
}

}  // namespace
}  // namespace cordon::cli
