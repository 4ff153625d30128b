// What a connection of the runner lets in, and when it ends one.

#include "cordon/server/runner_connection.h"

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/server/testing/running_runner.h"

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using testing::execute;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::options_of;
using testing::RawClient;
using testing::Running;

RunnerServerOptions lines() { return options_of({"tcp:127.0.0.1:0"}); }

TEST(RunnerConnection, ServesNobodyWhoseFirstLineIsNoObject) {
  Running running(lines());
  for (const std::string first :
       {"[]\n", "5\n", "\"\"\n", "\n", "{\n", "{} {}\n", "GET / HTTP/1.1"}) {
    RawClient page = running.connect();
    page.send(first + execute("1") + "\n");
    EXPECT_THAT(page.read_all(), IsEmpty()) << first;
    EXPECT_TRUE(page.has_ended) << first;
  }
  RawClient silent = running.connect();
  silent.send("P");
  silent.read_all();
  EXPECT_TRUE(silent.has_ended) << "a line end is not waited for";
}

TEST(RunnerConnection, IgnoresNoiseBehindAFirstObject) {
  Running running(lines());
  RawClient client = running.connect();
  client.send("  {}\nnoise\n\n" + execute("6 * 7") + "\n");
  EXPECT_THAT(client.read_all(), HasSubstr(R"("result":42)"));
}

TEST(RunnerConnection, AsksForItsTokenFirst) {
  RunnerServerOptions options = lines();
  options.token = "open sesame";
  Running running(options);
  RawClient friendly = running.connect();
  friendly.send(R"({"type":"auth","token":"open sesame"})"
                "\n" +
                execute("6 * 7") + "\n");
  EXPECT_THAT(friendly.read_all(), HasSubstr(R"("result":42)"));
  for (const std::string first : {R"({"type":"auth","token":"open"})", R"({"type":"auth"})",
                                  R"({"type":"auth","token":["open sesame"]})", "{}"}) {
    RawClient stranger = running.connect();
    stranger.send(first + "\n" + execute("1") + "\n");
    EXPECT_THAT(stranger.read_all(), IsEmpty()) << first;
  }
  RawClient verbose = running.connect();
  verbose.send(R"({"type":"auth","token":")" + std::string(100'000, 'x') + "\"}\n");
  verbose.read_all();
  EXPECT_TRUE(verbose.has_ended) << "a stranger's line is short";
}

TEST(RunnerConnection, AnswersAPeerThatHasSaidAllItHadToSay) {
  Running running(lines());
  RawClient client = running.connect();
  client.send(execute("6 * 7"));  // without a line end
  client.end_output();
  EXPECT_THAT(client.read_all(), HasSubstr(R"("result":42)"));
  EXPECT_TRUE(client.has_ended);
}

TEST(RunnerConnection, EndsOneThatStaysIdle) {
  RunnerServerOptions options = options_of({"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"});
  options.idle_timeout = 100ms;
  Running running(options);
  for (const std::size_t listener : {0u, 1u}) {
    RawClient idle = running.connect(listener);
    EXPECT_THAT(idle.read_all(), IsEmpty());
    EXPECT_TRUE(idle.has_ended);
  }
  RawClient busy = running.connect();
  busy.send(execute("await tools.a(1)") + "\n");
  busy.read_until("tool_call");
  EXPECT_THAT(busy.read_some(400ms), IsEmpty());
  EXPECT_FALSE(busy.has_ended) << "it waits for its host";
}

TEST(RunnerConnection, EndsOneThatLetsItsOutputPileUp) {
  RunnerServerOptions options = lines();
  options.pending_output_bytes = 1'000'000;
  Running running(options);
  RawClient client = running.connect();
  client.send(execute("const s = 'x'.repeat(1 << 20); for (let i = 0; i < 40; i++) "
                      "tools.a(s).catch(() => {}); await tools.a()") +
              "\n");
  std::this_thread::sleep_for(300ms);
  std::size_t received = 0;
  while (!client.has_ended) received += client.read_some(5s).size();
  EXPECT_LT(received, 40u << 20);
}

TEST(RunnerConnection, EndsTheGuestWithThePeer) {
  RunnerServerOptions options = lines();
  options.threads = 1;
  options.executions = 1;
  Running running(options);
  RawClient gone = running.connect();
  gone.send(execute("for (;;);") + "\n");
  gone.read_until("started");
  // One that only ends its side may still read the answer.
  gone.reset();
  // There is one sandbox only.
  RawClient next = running.connect();
  next.send(execute("6 * 7") + "\n");
  EXPECT_THAT(next.read_all(20s), HasSubstr(R"("result":42)"));
}

}  // namespace
}  // namespace cordon::server
