// `cordon run --runner` with our own runner over every transport, and with what can be wrong.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "conversation.h"
#include "cordon_command.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* shop =
    "export const price = ({amount}) => amount * 250;\n"
    "export const fail = () => { throw new RangeError('sold out') };\n"
    "export const hang = () => new Promise(() => {});\n";

// A runner that listens as long as this lives.
class Listening {
 public:
  explicit Listening(const std::string& address, const std::vector<std::string>& more = {})
      : conversation_(cordon_program(), arguments(address, more)),
        address_(conversation_.receive().value_or("it ended")) {}
  const std::string& address() const { return address_; }

 private:
  static std::vector<std::string> arguments(const std::string& address,
                                            const std::vector<std::string>& more) {
    std::vector<std::string> all = {"runner", "--listen", address};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Conversation conversation_;
  std::string address_;
};

class RemoteRun : public ::testing::Test {
 protected:
  Ended run(const std::string& runner, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"run", "--runner", runner});
    return cordon({.arguments = std::move(arguments), .folder = folder_.path()});
  }
  Ended run(std::vector<std::string> arguments) const { return run(own_, std::move(arguments)); }
  Value json(std::vector<std::string> arguments, int code) const {
    arguments.insert(arguments.begin(), "--json");
    const Ended ended = run(std::move(arguments));
    EXPECT_EQ(ended.exit_code, code) << ended.errors;
    return from_json(ended.output).value_or(Value());
  }
  std::string refusal(const std::string& runner, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"-e", "1"});
    const Ended ended = run(runner, std::move(more));
    EXPECT_EQ(ended.exit_code, 64) << ended.errors;
    EXPECT_EQ(ended.output, "");
    return ended.errors;
  }

  const Folder folder_;
  const std::string own_ = "'" + cordon_program() + "' runner";
  const std::string provider_ = "shop=" + folder_.file("shop.js", shop);
};

TEST_F(RemoteRun, WorksOverEveryTransport) {
  const std::vector<std::string> program = {
      "--provider", provider_, "--input",
      "[2]",        "-e",      "console.log('hi'); (await shop.price({amount: input[0]})) + 1"};
  const auto expect = [&](const std::string& runner) {
    const Ended ended = run(runner, program);
    EXPECT_EQ(ended.output, "501\n") << runner;
    EXPECT_EQ(ended.errors, "[log] hi\n") << runner;
    EXPECT_EQ(ended.exit_code, 0) << runner;
  };
  expect(own_);
  const Listening on_unix("unix:" + folder_.path() + "/s");
  expect(on_unix.address());
  const Listening on_tcp("tcp:127.0.0.1:0");
  expect(on_tcp.address());
  expect("tcp:" + on_tcp.address().substr(on_tcp.address().rfind(':') + 1));
  expect("tcp:localhost" + on_tcp.address().substr(on_tcp.address().rfind(':')));
  const Listening on_websocket("ws://127.0.0.1:0/runner");
  expect(on_websocket.address());
}

TEST_F(RemoteRun, CarriesLargeMessagesOverEveryTransport) {
  const std::vector<std::string> program = {
      "--provider", "e=" + folder_.file("e.js", "export const echo = (x) => x;"), "-e",
      "const text = 'é'.repeat(3 << 20); (await Promise.all([1, 2, 3].map(() => e.echo(text))))"
      ".every((one) => one === text)"};
  const Listening on_unix("unix:" + folder_.path() + "/s");
  const Listening on_websocket("ws://127.0.0.1:0/runner");
  for (const std::string& runner : {own_, on_unix.address(), on_websocket.address()})
    EXPECT_EQ(run(runner, program).output, "true\n") << runner;
}

TEST_F(RemoteRun, ShowsItsToken) {
  setenv("CORDON_TEST_TOKEN", "s3cret", 1);
  setenv("CORDON_TEST_OTHER", "other", 1);
  for (const char* address : {"tcp:127.0.0.1:0", "ws://127.0.0.1:0/"}) {
    const Listening server(address, {"--token-env", "CORDON_TEST_TOKEN"});
    EXPECT_EQ(run(server.address(), {"--token-env", "CORDON_TEST_TOKEN", "-e", "1"}).output, "1\n");
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"--token-env", "CORDON_TEST_OTHER", "-e", "1"},
          std::vector<std::string>{"-e", "1"}}) {
      const Ended ended = run(server.address(), wrong);
      EXPECT_EQ(ended.exit_code, 2) << address << ended.errors;
      // A runner that closes a socket before it has read all of it may reset the connection.
      EXPECT_THAT(ended.errors, AnyOf(StartsWith("error: runner_error: the runner "),
                                      StartsWith("error: runner_error: the connection ")))
          << address;
    }
  }
}

TEST_F(RemoteRun, RunsProgramsAsHere) {
  EXPECT_EQ(run({"--input", R"({"__proto__": 1, "n": 1})", "-e",
                 "(input) => [Object.keys(input), input.n]"})
                .output,
            "[[\"__proto__\",\"n\"],1]\n");
  EXPECT_EQ(run({"-e", "const a: number = 20; a + 1"}).output, "21\n");
  EXPECT_EQ(run({"-e", "if (true) return 'given';"}).output, "\"given\"\n");
  EXPECT_EQ(run({"-e", "undefined"}).output, "");
  EXPECT_EQ(run({folder_.file("p.ts", "const n: number = 5; n")}).output, "5\n");
  EXPECT_EQ(json({"-e", "throw new RangeError('no')"}, 1)["error"]["code"], "runtime_error");
  EXPECT_EQ(json({"-e", "() => {}; Symbol()"}, 1)["error"]["code"], "serialization_error");
  EXPECT_EQ(json({"--timeout", "50", "-e", "for (;;);"}, 1)["error"]["code"], "timeout");
  EXPECT_EQ(json({"--memory", "16MiB", "-e", "const a = []; for (;;) a.push('x'.repeat(1e6))"},
                 1)["error"]["code"],
            "memory_limit");
}

TEST_F(RemoteRun, TellsFailuresOfTools) {
  const Value report = json({"--provider", provider_, "-e", "await shop.fail()"}, 1);
  EXPECT_EQ(report["error"]["code"], "tool_error");
  EXPECT_EQ(report["error"]["message"], "sold out");
  EXPECT_EQ(report["calls"][0]["ok"], Value(false));
  EXPECT_EQ(run({"--provider", provider_, "-e", "await shop.fail().catch((e) => e.code)"}).output,
            "\"tool_error\"\n");
  const Value late =
      json({"--provider", provider_, "--timeout", "100", "-e", "await shop.hang()"}, 1);
  EXPECT_EQ(late["error"]["code"], "timeout");
  EXPECT_EQ(late["calls"][0]["ok"], Value(false));
}

TEST_F(RemoteRun, KeepsRulesOfTools) {
  const std::string config = folder_.file(
      "cordon.json",
      R"({"providers": {"shop": {"script": "shop.js", "tools": {"price": {"input": {"type": "object"}},
          "hang": {"timeoutMs": 30}}}}})");
  const Value report = json({"--config", config, "-e", "await shop.price('text')"}, 1);
  EXPECT_EQ(report["error"]["code"], "validation_error");
  EXPECT_EQ(report["error"]["message"],
            "Invalid input for tool price: the value is not of type \"object\"");
  EXPECT_EQ(json({"--config", config, "-e", "await shop.hang()"}, 1)["error"]["message"],
            "Tool hang timed out after 30 ms");
}

TEST_F(RemoteRun, RefusesWhatIsWrongBeforeARunnerStarts) {
  const std::string marker = folder_.path() + "/started";
  const std::string runner = "touch " + marker;
  EXPECT_THAT(refusal("tcp:x"), StartsWith("cordon run: --runner: 'tcp:x' is no address; "));
  EXPECT_THAT(refusal("no-such-program-at-all"),
              StartsWith("cordon run: --runner: cannot start 'no-such-program-at-all': "));
  EXPECT_THAT(refusal(runner, {"--token-env", "CORDON_TEST_UNSET"}),
              StartsWith("cordon run: --token-env: the environment has no CORDON_TEST_UNSET"));
  EXPECT_THAT(refusal(runner, {"--provider", "console=shop.js"}), HasSubstr("--provider"));
  EXPECT_THAT(
      refusal(runner, {"--provider", "a=" + folder_.file("bad.js", "1;\nthrow new Error('no')")}),
      HasSubstr("no (" + folder_.path() + "/bad.js:2:7)"));
  EXPECT_THAT(refusal(runner, {"--provider", "a=" + folder_.file("worse.js", "export {")}),
              HasSubstr("/worse.js:1:"));
  EXPECT_THAT(refusal(runner, {"--provider", "a=none.js"}), HasSubstr("No such file"));
  EXPECT_THAT(refusal(runner, {"--config", "none.json"}), HasSubstr("does not exist"));
  EXPECT_THAT(refusal(runner, {"--timeout", "5s"}), HasSubstr("--timeout"));
  EXPECT_THAT(refusal(runner, {"--sleep-on", "a", "--save", "b"}), HasSubstr("do not go together"));
  EXPECT_FALSE(std::filesystem::exists(marker));
}

TEST_F(RemoteRun, JailsAProcessUnlessItIsToldNotTo) {
  const std::string file = folder_.path() + "/written";
  const std::string runner = "sh -c 'echo x > " + file + " && echo wrote >&2; exit 1'";
  EXPECT_FALSE(run(runner, {"-e", "1"}).errors.contains("wrote"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(run(runner, {"--no-jail", "-e", "1"}).errors, StartsWith("wrote\n"));
}

TEST_F(RemoteRun, EndsWithTheRunner) {
  const Ended ended = run("sh -c 'echo \"\\033[31mlast words\" >&2; exit 3'", {"-e", "1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.errors,
            "\\x1b[31mlast words\nerror: runner_error: the runner exited with code 3\n");
  const Value report = from_json(run("false", {"--json", "-e", "1"}).output).value_or(Value());
  EXPECT_EQ(report["error"]["code"], "runner_error");
  EXPECT_EQ(report["ok"], Value(false));
}

TEST_F(RemoteRun, EndsAHangSoonAfterItsTime) {
  const Ended ended = run("sleep 100", {"--timeout", "200", "-e", "1"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.errors, "error: timeout: Execution timed out\n");
  EXPECT_LT(ended.took, 1200ms);
}

TEST_F(RemoteRun, EndsWithASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ended ended =
        cordon({.arguments = {"run", "--runner", "sh -c 'echo up >&2; sleep 100'", "-e", "1"},
                .on_errors = [signal](pid_t process, const std::string& text) {
                  if (text == "up\n") kill(process, signal);
                }});
    EXPECT_EQ(ended.exit_code, 130);
    EXPECT_THAT(ended.errors, HasSubstr("cancelled"));
    EXPECT_LT(ended.took, 10s);
  }
}

// A process that ended and was not waited for by its parent counts as ended.
bool ends_soon(const std::string& process) {
  for (int i = 0; i < 5000; ++i) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(") ");
    if (end == std::string::npos || text[end + 2] == 'Z') return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

TEST_F(RemoteRun, LeavesNoProcessBehindWhenItIsKilled) {
  const std::string file = folder_.path() + "/pid";
  const Ended ended = e2e::run(
      cordon_program(),
      {.arguments = {"run", "--no-jail", "--runner",
                     "sh -c 'setsid sleep 100 & echo $! > " + file + "; echo up >&2; wait'", "-e",
                     "1"},
       .on_errors = [](pid_t process, const std::string& text) {
         if (text == "up\n") kill(process, SIGKILL);
       }});
  EXPECT_EQ(ended.signal, SIGKILL);
  std::string process;
  std::ifstream(file) >> process;
  ASSERT_FALSE(process.empty());
  EXPECT_TRUE(ends_soon(process)) << process;
}

}  // namespace
}  // namespace cordon::e2e
