#include "cordon/server/stdio_runner.h"

#include <array>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/descriptor.h"
#include "cordon/server/testing/running_runner.h"

namespace cordon::server {
namespace {

using testing::execute;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A runner between two pipes, on a thread of its own.
class StdioRunnerTest : public ::testing::Test {
 protected:
  StdioRunnerTest() {
    int input[2];
    int output[2];
    if (pipe(input) != 0 || pipe(output) != 0) std::abort();
    to_runner_ = Descriptor(input[1]);
    from_runner_ = Descriptor(output[0]);
    thread_ = std::jthread([this, in = input[0], out = output[1]] {
      const Descriptor held_in(in);
      const Descriptor held_out(out);
      result_ = run_on_stdio(in, out, {}, [this] { has_ended_ = true; });
    });
  }

  void send(std::string_view text) const {
    ASSERT_EQ(write(to_runner_.number(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  // Until `end`, or the end.
  std::string read_until(std::string_view end) const {
    std::string text;
    std::array<char, 4'096> room;
    while (!text.contains(end)) {
      const ssize_t size = read(from_runner_.number(), room.data(), room.size());
      if (size <= 0) break;
      text.append(room.data(), static_cast<std::size_t>(size));
    }
    return text;
  }
  std::string read_all() const { return read_until("(never comes)"); }

  Descriptor to_runner_;
  Descriptor from_runner_;
  Result<> result_;
  bool has_ended_ = false;
  std::jthread thread_;
};

TEST_F(StdioRunnerTest, RunsOneExecutionWithItsCalls) {
  send(execute("(await tools.a(1)) + 1") + "\n");
  EXPECT_THAT(read_until("tool_call"), HasSubstr("started"));
  send(R"({"type":"tool_result","callId":"call-1","ok":true,"result":41})"
       "\n");
  EXPECT_THAT(read_all(), HasSubstr(R"("result":42)"));
  thread_.join();
  EXPECT_TRUE(result_);
  EXPECT_TRUE(has_ended_);
}

TEST_F(StdioRunnerTest, EndsWhereItsInputEndsBeforeAnExecute) {
  send("noise\n{}\n");
  to_runner_.close();
  EXPECT_THAT(read_all(), IsEmpty());
  thread_.join();
  EXPECT_TRUE(result_);
}

TEST_F(StdioRunnerTest, FinishesWhatComputesAfterTheEndOfItsInput) {
  send(execute("let n = 0; while (n < 1e6) n++; n"));
  to_runner_.close();
  EXPECT_THAT(read_all(), HasSubstr(R"("result":1000000)"));
}

TEST_F(StdioRunnerTest, EndsAGuestThatWaitsForAHostThatIsGone) {
  send(execute("await tools.a(1)") + "\n");
  to_runner_.close();
  EXPECT_THAT(read_all(), HasSubstr(R"("code":"internal_error")"));
}

TEST_F(StdioRunnerTest, HearsACancelWhileTheGuestComputes) {
  send(execute("for (;;);") + "\n");
  read_until("started");
  send(R"({"type":"cancel","id":"e"})"
       "\n");
  EXPECT_THAT(read_all(), HasSubstr(R"("code":"timeout")"));
}

}  // namespace
}  // namespace cordon::server
