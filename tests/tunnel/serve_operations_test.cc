// `cordon serve` for its operator: logs, figures, certificates.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

class ServeOperations : public Serve {
 protected:
  // What it writes to standard error while `ask` asks it on a socket of its own.
  std::string errors_while(const std::function<void(const std::string& socket)>& ask,
                           std::vector<std::string> arguments = {}) const {
    const std::string socket = folder_.path() + "/s";
    arguments.insert(arguments.begin(),
                     {"serve", "--config", config(), "--listen", "unix:" + socket});
    const Ended ended =
        run(cordon_program(), {.arguments = std::move(arguments), .meanwhile = [&](pid_t process) {
                                 const bool is_there =
                                     curl({"--unix-socket", socket, "http://t/"}) != " 000";
                                 if (!is_there) return false;
                                 ask(socket);
                                 kill(process, SIGTERM);
                                 return true;
                               }});
    EXPECT_EQ(ended.exit_code, 0);
    return ended.errors;
  }
};

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
  const auto ask = [&](const std::string& socket) {
    EXPECT_THAT(curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
                      "x-runner-token: secret", "-H", "x-runner-request-id: r1", "-d", "{}"}),
                EndsWith(" 500"));
  };
  const std::string lines = errors_while(ask);
  EXPECT_THAT(
      lines,
      HasSubstr(
          R"("level":"warn","event":"script","id":"app.tasks.fail","message":"careful","requestId":"r1")"));
  EXPECT_THAT(lines, HasSubstr("hunter2"));
  EXPECT_THAT(lines, HasSubstr(R"("error":"runtime_error","location":{"file":"fail.js","line":)"));
  EXPECT_THAT(lines, Not(HasSubstr("\"stack\"")));
  EXPECT_THAT(errors_while(ask, {"--dev"}), HasSubstr("\"stack\":"));
}

TEST_F(ServeOperations, LogsWhoWasRefusedAndNeverTheToken) {
  const auto ask = [&](const std::string& socket) {
    EXPECT_THAT(
        curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.add?token=hunter3", "-H",
              "x-runner-token: hunter2", "-H", "x-runner-request-id: r1", "-d", "{}"}),
        EndsWith(" 401"));
    EXPECT_THAT(curl({"--unix-socket", socket, "http://t/__runner/task/app.auth", "-H",
                      "x-runner-token: secret", "-H", "x-runner-request-id: r2", "-d", "{}"}),
                EndsWith(" 403"));
  };
  const std::string lines = errors_while(ask);
  EXPECT_THAT(lines, HasSubstr(R"("level":"warn","event":"refused",)"));
  EXPECT_THAT(lines, HasSubstr(R"("method":"POST","path":"/__runner/task/app.tasks.add",)"
                               R"("status":401,"code":"UNAUTHORIZED","requestId":"r1")"));
  EXPECT_THAT(lines, HasSubstr(R"("status":403,"code":"FORBIDDEN","requestId":"r2")"));
  EXPECT_THAT(lines, Not(HasSubstr("hunter")));
  EXPECT_THAT(lines, Not(HasSubstr("secret")));
}

TEST_F(ServeOperations, LogsWhichLimitAnInputOrAnAnswerPassed) {
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0, "\"limits\": { \"response\": 100000 },\n    ");
  folder_.file("cordon.json", text);
  folder_.file("fail.js", "export default (input) => new Array(input);");
  std::string patterns = "[";
  for (int i = 0; i < 51; ++i) {
    patterns += (i == 0 ? "" : ",") + (R"({"__type":"RegExp","value":{"pattern":"p)" +
                                       std::to_string(i) + R"(","flags":""}})");
  }
  patterns += "]";
  const std::string lines = errors_while([&](const std::string& socket) {
    const auto ask = [&](const std::string& body) {
      return curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
                   "x-runner-token: secret", "-d", body});
    };
    EXPECT_THAT(ask("1000"), EndsWith("]} 200"));
    EXPECT_THAT(ask("5000"), EndsWith(" 500"));
    EXPECT_THAT(ask(patterns), testing::AllOf(HasSubstr("INVALID_JSON"), EndsWith(" 400")));
  });
  EXPECT_THAT(lines, HasSubstr("the answer cannot be written: too_large"));
  EXPECT_THAT(lines, HasSubstr(R"("status":400,"code":"INVALID_JSON","message":"Too many RegExp )"
                               R"(patterns (50))"));
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

TEST_F(ServeOperations, LeadsFromEveryLineToItsRequestAndItsTrace) {
  folder_.file(
      "shop.js",
      "export function price({ id }, { requestId, traceparent }) {\n"
      "  console.log('asked for', id);\n"
      "  return { requestId, trace: traceparent.slice(3, 35), isSame: traceparent === id };\n"
      "}\n");
  folder_.file("buy.js",
               "export default async (input, { headers }) => {\n"
               "  console.log('buys');\n"
               "  throw new Error(JSON.stringify(await shop.price({ id: headers.traceparent })));\n"
               "};\n");
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  const std::string parent = "00-" + trace + "-b7ad6b7169203331-01";
  const auto ask = [&](const std::string& socket) {
    EXPECT_THAT(curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.buy", "-H",
                      "x-runner-token: secret", "-H", "x-runner-request-id: r1", "-H",
                      "traceparent: " + parent, "-d", "{}"}),
                EndsWith(" 500"));
  };
  const std::string marks = R"("requestId":"r1","traceId":")" + trace + "\"}";
  const std::string lines = errors_while(ask);
  EXPECT_THAT(lines, HasSubstr(R"("id":"app.tasks.buy","message":"buys",)" + marks));
  EXPECT_THAT(lines,
              HasSubstr(R"("id":"shop.price","message":"asked for )" + parent + "\"," + marks));
  // A span of its own in the same trace.
  EXPECT_THAT(lines, HasSubstr(R"({\"requestId\":\"r1\",\"trace\":\")" + trace +
                               R"(\",\"isSame\":false}","error":"runtime_error",)"
                               R"("location":{"file":"buy.js","line":3,"column":9},)" +
                               marks));
  EXPECT_THAT(access_log(), HasSubstr(marks));

  std::string text = configuration;
  text.replace(text.find("\"format\": \"json\", "), 18, "");
  folder_.file("cordon.json", text);
  const std::string plain = errors_while(ask);
  for (const char* line : {" log app.tasks.buy: buys", " log shop.price: asked for ",
                           " error app.tasks.buy: {\"requestId\""}) {
    const std::size_t found = plain.find(line);
    ASSERT_NE(found, std::string::npos) << plain;
    EXPECT_THAT(plain.substr(found, plain.find('\n', found) - found),
                EndsWith(" request=r1 trace=" + trace));
  }
}

TEST_F(ServeOperations, SaysOnceHowManyLinesOfACallAreLeftOut) {
  const std::string text = configuration;
  folder_.file("cordon.json", "{ \"limits\": { \"maxLogLines\": 3 }," + text.substr(1));
  folder_.file("shop.js",
               "export function price() { for (let i = 0; i < 13; ++i) console.log('tool', i); }");
  folder_.file("buy.js",
               "export default async () => {\n"
               "  for (let i = 0; i < 1003; ++i) console.log('task', i);\n"
               "  await shop.price();\n"
               "};\n");
  const std::string lines = errors_while([&](const std::string& socket) {
    EXPECT_THAT(curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.buy", "-H",
                      "x-runner-token: secret", "-d", "{}"}),
                EndsWith(" 200"));
  });
  EXPECT_THAT(lines, HasSubstr("task 2"));
  EXPECT_THAT(lines, Not(HasSubstr("task 3")));
  EXPECT_THAT(lines, HasSubstr(R"("level":"warn","event":"script","id":"app.tasks.buy",)"
                               R"("message":"1000 lines more left out: )"));
  EXPECT_THAT(lines, HasSubstr(R"("level":"warn","event":"script","id":"shop.price",)"
                               R"("message":"10 lines more left out: )"));
}

TEST_F(ServeOperations, LogsWhatAScriptHasLeftOpen) {
  folder_.file("fail.js", "export default async () => { setTimeout(() => console.log('x'), 1e6) }");
  const std::string lines = errors_while([&](const std::string& socket) {
    curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
          "x-runner-token: secret", "-d", "{}"});
  });
  EXPECT_THAT(lines, HasSubstr(R"("level":"warn","event":"script","id":"app.tasks.fail",)"
                               R"("message":"the program ended before a timer was due)"));
}

TEST_F(ServeOperations, SaysThatADeadlineCutAStream) {
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0, "\"deadlineMs\": 300,\n    ");
  folder_.file("cordon.json", text);
  folder_.file("fail.js",
               "export default async function* () { yield 'begins'; "
               "await new Promise((done) => setTimeout(done, 1e8)); }");
  const std::string lines = errors_while([&](const std::string& socket) {
    EXPECT_EQ(curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
                    "x-runner-token: secret", "-d", "{}"}),
              "begins 200");
  });
  EXPECT_THAT(lines, HasSubstr(R"("status":200,"message":"the server's deadline has passed")"));
}

// A self-signed certificate and its key.
void make_certificate(const std::string& folder, const std::string& name) {
  const Ended made = run(
      "/usr/bin/openssl",
      {.arguments = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                     "-nodes", "-days", "2", "-subj", "/CN=" + name, "-keyout", folder + "/key.pem",
                     "-out", folder + "/certificate.pem"}});
  ASSERT_EQ(made.exit_code, 0) << made.errors;
}

TEST_F(ServeOperations, TakesANewCertificateAndKeepsItsConnections) {
  make_certificate(folder_.path(), "first");
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0,
               "\"tls\": { \"certificate\": \"certificate.pem\", \"key\": \"key.pem\" },\n    ");
  folder_.file("cordon.json", text);
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  ASSERT_THAT(url, testing::StartsWith("https://127.0.0.1:"));
  const std::string address = url.substr(8, url.find('/', 8) - 8);
  const auto subject = [&] {
    const std::string command = "openssl s_client -connect " + address + " </dev/null 2>&1";
    return run("/bin/sh", {.arguments = {"-c", command}}).output;
  };
  EXPECT_THAT(subject(), HasSubstr("CN = first"));

  // A connection that asks before the new certificate comes, and after it.
  const std::string request =
      "GET /__runner/discovery HTTP/1.1\\r\\nHost: a\\r\\nx-runner-token: secret\\r\\n";
  const std::string conversation =
      "(printf '" + request + "\\r\\n'; sleep 2; printf '" + request +
      "Connection: close\\r\\n\\r\\n') | openssl s_client -quiet -connect " + address + " 2>&1";
  std::string answers;
  std::thread client([&] { answers = run("/bin/sh", {.arguments = {"-c", conversation}}).output; });
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  make_certificate(folder_.path(), "second");
  kill(server.process(), SIGHUP);
  EXPECT_TRUE(becomes([&] { return subject().contains("CN = second"); })) << subject();
  client.join();
  EXPECT_THAT(answers, HasSubstr("CN = first"));
  const std::size_t first = answers.find("HTTP/1.1 200");
  EXPECT_NE(answers.find("HTTP/1.1 200", first + 1), std::string::npos) << answers;

  // One that cannot be used changes nothing.
  folder_.file("certificate.pem", "nothing");
  kill(server.process(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_THAT(subject(), HasSubstr("CN = second"));
}

TEST_F(ServeOperations, CountsCallsOfPluginsAndLogsWhatTheyWrite) {
  setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  std::filesystem::copy_file(CORDON_TEST_GUEST_WASM, folder_.path() + "/guest.wasm");
  folder_.file("cordon.json", R"({
    "plugins": { "one": { "wasm": "guest.wasm", "timeoutMs": 20000 } },
    "tasks": { "log": { "plugin": "one", "function": "logEvent" },
               "exit": { "plugin": "one", "function": "exit" } },
    "server": { "auth": { "token": "secret" }, "expose": { "tasks": ["log", "exit"] },
                "log": { "format": "json" }, "metrics": { "listen": "unix:operations.sock" } }
  })");
  const std::string lines = errors_while([&](const std::string& socket) {
    for (const auto& [task, status] :
         {std::pair("log", " 200"), {"exit", " 500"}, {"log", " 200"}}) {
      EXPECT_THAT(curl({"--unix-socket", socket, std::string("http://t/__runner/task/") + task,
                        "-H", "x-runner-token: secret", "-d", R"({"input":[3]})"}),
                  EndsWith(status));
    }
    const std::string metrics =
        curl({"--unix-socket", folder_.path() + "/operations.sock", "http://o/metrics"});
    for (const char* figure :
         {"calls_total{plugin=\"one\"} 3\n", "failures_total{plugin=\"one\"} 1\n",
          "starts_total{plugin=\"one\"} 2\n", "restarts_total{plugin=\"one\"} 1\n"})
      EXPECT_THAT(metrics, HasSubstr(std::string("\ncordon_plugin_") + figure));
  });
  EXPECT_THAT(lines,
              HasSubstr(R"("level":"info","event":"plugin","id":"one","message":"logged"})"));
}

}  // namespace
}  // namespace cordon::e2e
