// `cordon serve` for whoever operates it: logs, figures, certificates.

#include <algorithm>
#include <csignal>
#include <string>

#include "../e2e/conversation.h"
#include "../e2e/cordon_command.h"
#include "../e2e/process.h"
#include "serve_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ServeOperations : public Serve {};

TEST_F(ServeOperations, TellsWhoeverOperatesIt) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const auto operations = [&](const std::string& path) {
    return curl({"--unix-socket", folder_.path() + "/operations.sock", "http://o" + path});
  };
  EXPECT_EQ(operations("/healthz"), "ok\n 200");
  EXPECT_TRUE(becomes([&] { return operations("/readyz") == "ready\n 200"; }));
  EXPECT_THAT(operations("/secrets"), EndsWith(" 404"));
  call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})");
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  call(url, "unknown", "{}", "traceparent: 00-" + trace + "-b7ad6b7169203331-01");
  EXPECT_THAT(call(url, "app.tasks.fail?key=hunter3", "{}"),
              testing::AllOf(HasSubstr("Internal Error"), Not(HasSubstr("hunter2"))));
  // A request is counted and logged after its answer.
  EXPECT_TRUE(
      becomes([&] { return operations("/metrics").contains("duration_seconds_count 3\n"); }));
  EXPECT_TRUE(becomes([&] { return std::ranges::count(access_log(), '\n') == 3; }));
  const std::string metrics = operations("/metrics");
  EXPECT_THAT(metrics, HasSubstr("cordon_requests_total{status=\"200\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("cordon_requests_total{status=\"500\"} 1\n"));
  // The validator that was asked is one of them.
  EXPECT_THAT(metrics, HasSubstr("cordon_executions_total{end=\"ok\"} 2\n"));
  EXPECT_THAT(metrics, HasSubstr("cordon_sandboxes{state=\"running\"} 0\n"));

  const std::string log = access_log();
  EXPECT_THAT(log,
              HasSubstr(R"("method":"POST","path":"/__runner/task/app.tasks.add","status":200)"));
  for (const char* secret : {"secret", "hunter2", "hunter3"})
    EXPECT_THAT(log, Not(HasSubstr(secret)));
  EXPECT_THAT(log, HasSubstr("\"traceId\":\"" + trace + "\""));
  const std::string first = log.substr(0, log.find('\n'));
  EXPECT_TRUE(from_json(first)) << first;
}

TEST_F(ServeOperations, WritesLogsOfScriptsAndReasonsOfFailuresToItsErrors) {
  const auto errors_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"serve", "--config", config(), "--listen", "unix:" + folder_.path() + "/s"});
    return run(cordon_program(),
               {.arguments = std::move(arguments), .meanwhile = [&](pid_t process) {
                  const std::string answer =
                      curl({"--unix-socket", folder_.path() + "/s",
                            "http://t/__runner/task/app.tasks.fail", "-H", "x-runner-token: secret",
                            "-H", "x-runner-request-id: r1", "-d", "{}"});
                  if (!answer.ends_with(" 500")) return false;
                  kill(process, SIGTERM);
                  return true;
                }});
  };
  const Ended plain = errors_of({});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_THAT(
      plain.errors,
      HasSubstr(
          R"("level":"warn","event":"script","id":"app.tasks.fail","message":"careful","requestId":"r1")"));
  EXPECT_THAT(plain.errors, HasSubstr("hunter2"));
  EXPECT_THAT(plain.errors, Not(HasSubstr("\"stack\"")));
  EXPECT_THAT(errors_of({"--dev"}).errors, HasSubstr("\"stack\":"));
}

TEST_F(ServeOperations, TakesAClientThatLeavesAStreamForNoFailure) {
  folder_.file("fail.js",
               "export default async function* () { for (;;) yield new Uint8Array(65536) }");
  const std::string socket = folder_.path() + "/s";
  const Ended ended = run(
      cordon_program(),
      {.arguments = {"serve", "--config", config(), "--listen", "unix:" + socket},
       .meanwhile = [&](pid_t process) {
         const std::string answer =
             curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
                   "x-runner-token: secret", "-d", "{}", "-m", "0.2", "-o", "/dev/null"});
         if (answer != " 200") return false;
         EXPECT_TRUE(becomes([&] { return access_log().contains("\"code\":\"REQUEST_ABORTED\""); }))
             << access_log();
         kill(process, SIGTERM);
         return true;
       }});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.errors, Not(HasSubstr("\"failure\"")));
}

}  // namespace
}  // namespace cordon::e2e
