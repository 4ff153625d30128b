// Runners behind sockets that behave in every way but the right one: each run ends with one clear
// result, in time.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "remote_fixture.h"

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

// The id of the `execute` that this line is.
std::string id_of(const std::string& execute) {
  return std::string(from_json(execute).value_or(Value())["id"].as_string());
}

// A `done` under this id, with what else it has.
std::string done(const std::string& id, const std::string& rest) {
  return R"({"type":"done","id":")" + id + R"(","durationMs":1,)" + rest + "}";
}
const std::string good = R"("ok":true,"logs":[],"result":42)";

std::string tool_call(const std::string& call_id, const std::string& tool = "bump") {
  return R"({"type":"tool_call","callId":")" + call_id +
         R"(","providerName":"t","safeToolName":")" + tool + R"(","input":{}})";
}

class RunnerFaults : public FakeRunnerTest {
 protected:
  // `then` gets the connection and the id, once `execute` has come.
  using Then = std::function<void(FakeConnection&, const std::string&)>;
  static FakeRunner::Serve after_execute(Then then) {
    return [then = std::move(then)](FakeConnection& host) {
      const auto execute = host.receive_type("execute");
      if (execute) then(host, id_of(*execute));
    };
  }
  Ended answer(const std::string& rest, std::vector<std::string> more = {}) const {
    return run(after_execute([&rest](FakeConnection& host, const std::string& id) {
                 host.send(done(id, rest));
                 host.wait_for_end();
               }),
               std::move(more));
  }
  // A provider whose tools count, and hang.
  std::vector<std::string> with_tools() const {
    return {"--provider", "t=" + folder_.file("t.js",
                                              "let n = 0; export const bump = () => ++n;\n"
                                              "export const hang = () => new Promise(() => {});")};
  }
};

TEST_P(RunnerFaults, NobodyIsThere) {
  std::string target;
  {
    const FakeRunner runner(GetParam(), [](FakeConnection&) {});
    target = runner.target();
  }
  const Ended ended = run_at(target);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, StartsWith("error: runner_error: cannot connect to "));
  EXPECT_LT(ended.took, 1s);
}

TEST_P(RunnerFaults, ClosesAtOnceOrWithoutADone) {
  expect_runner_error(run([](FakeConnection&) {}), "the runner closed the connection");
  expect_runner_error(run(after_execute([](FakeConnection&, const std::string&) {})),
                      "the runner closed the connection");
  expect_runner_error(run(after_execute([](FakeConnection& host, const std::string& id) {
                        host.send(R"({"type":"started","id":")" + id + R"("})");
                        host.end_output();
                        host.wait_for_end();
                      })),
                      "the runner closed the connection");
}

TEST_P(RunnerFaults, ClosesWhileAToolRuns) {
  std::vector<std::string> more = with_tools();
  more.push_back("--json");
  const Ended ended = run(after_execute([](FakeConnection& host, const std::string&) {
                            host.send(tool_call("a", "hang"));
                          }),
                          more);
  EXPECT_EQ(ended.exit_code, 2);
  const Value report = from_json(ended.output).value_or(Value());
  EXPECT_EQ(report["error"]["code"], "runner_error");
  EXPECT_EQ(report["calls"][0]["ok"], Value(false));
}

TEST_P(RunnerFaults, BreaksTheConnection) {
  const Ended ended =
      run(after_execute([](FakeConnection& host, const std::string&) { host.reset(); }));
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.errors, AnyOf("error: runner_error: the runner closed the connection\n",
                                  StartsWith("error: runner_error: the connection to the runner "
                                             "broke: ")));
}

// Sends only so many bytes, whatever they are.
class Scissors {
 public:
  Scissors(FakeConnection& host, std::size_t bytes) : host_(host), left_(bytes) {}
  // Whether there was room for all of them.
  bool send(const std::string& bytes) {
    const std::size_t part = std::min(left_, bytes.size());
    left_ -= part;
    host_.send_bytes(std::string_view(bytes).substr(0, part));
    return part == bytes.size();
  }
  std::size_t left() const { return left_; }

 private:
  FakeConnection& host_;
  std::size_t left_;
};

// A session with a tool call, of which so many bytes are sent. Whether that is all of it.
bool serve_until(std::size_t cut, FakeConnection& host) {
  const bool is_websocket = host.transport() == Transport::websocket;
  Scissors scissors(host, cut);
  if (is_websocket && !scissors.send(FakeConnection::agreement(host.read_request()))) return false;
  const auto execute = host.receive_type("execute");
  const std::string id = id_of(execute.value_or("{}"));
  for (const std::string& line :
       {R"({"type":"started","id":")" + id + R"("})", tool_call("a"), done(id, good)})
    if (!scissors.send(is_websocket ? frame(1, line) : line + "\n")) return false;
  return true;
}

TEST_P(RunnerFaults, BreaksOffAtEveryByte) {
  const std::vector<std::string> tools = with_tools();
  std::size_t results = 0;
  std::atomic<bool> is_whole = false;
  for (std::size_t cut = 0; !is_whole; ++cut) {
    SCOPED_TRACE(cut);
    const Ended ended = run([&](FakeConnection& host) { is_whole = serve_until(cut, host); }, tools,
                            FakeRunner::Handshake::bare);
    if (ended.exit_code == 0) {
      EXPECT_EQ(ended.output, "42\n");
      ++results;
    } else {
      expect_runner_error(ended, "the runner closed the connection");
    }
    ASSERT_FALSE(HasFailure());
  }
  // A last line needs no end; a message of a WebSocket does.
  EXPECT_EQ(results, GetParam() == Transport::websocket ? 1U : 2U);
}

TEST_P(RunnerFaults, SendsWhatMakesNoSense) {
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(i * 7919 % 251 + 1);
  const Ended ended = run(after_execute([&](FakeConnection& host, const std::string& id) {
    for (const std::string& line :
         {std::string(), std::string("garbage"), std::string("[]"), std::string("null"),
          std::string("{"), noise, std::string(R"({"type":"progress"})"),
          std::string(R"({"type":"execute","id":"x"})"),
          std::string(R"({"type":"tool_result","callId":"a","ok":true})"),
          std::string(R"({"type":"started","id":7})"), std::string(200'000, '['),
          done("someone-else", good), done(id + "x", R"("ok":false)"),
          R"({"type":"done","id":["id"],"ok":true})" + id, tool_call("a").substr(0, 30)})
      host.send(line);
    host.send(done(id, good));
    host.wait_for_end();
  }));
  EXPECT_EQ(ended.output, "42\n");
  EXPECT_EQ(ended.errors, "");
  EXPECT_EQ(ended.exit_code, 0);
}

TEST_P(RunnerFaults, AnswersTwiceAndGoesOn) {
  const Ended ended = run(after_execute([](FakeConnection& host, const std::string& id) {
                            host.send(done(id, good));
                            host.send(done(id, R"("ok":true,"logs":["no"],"result":"second")"));
                            host.send(tool_call("late"));
                            host.send(done(id, R"("ok":"broken")"));
                            host.wait_for_end();
                          }),
                          with_tools());
  EXPECT_EQ(ended.output, "42\n");
  EXPECT_EQ(ended.errors, "");
  EXPECT_LT(ended.took, 1s);
}

TEST_P(RunnerFaults, LiesAboutTheIdsOfCalls) {
  std::vector<std::string> more = with_tools();
  more.push_back("--json");
  std::vector<std::string> answers;
  const Ended ended = run(
      after_execute([&](FakeConnection& host, const std::string& id) {
        host.send(tool_call("a"));
        answers.push_back(host.receive().value_or(""));
        for (const char* nonsense :
             {R"({"type":"tool_call","providerName":"t","safeToolName":"bump"})",
              R"({"type":"tool_call","callId":7,"providerName":"t","safeToolName":"bump"})",
              R"({"type":"tool_call","callId":"c","providerName":"t","safeToolName":"none"})",
              R"({"type":"tool_call","callId":"d","providerName":"other","safeToolName":"bump"})",
              R"({"type":"tool_call","callId":"e"})"})
          host.send(nonsense);
        host.send(tool_call("a"));
        host.send(tool_call("b"));
        for (int i = 0; i < 4; ++i) answers.push_back(host.receive().value_or(""));
        host.send(done(id, good));
        answers.push_back(host.receive().value_or("no more"));
      }),
      more);
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  const auto failure = [](const char* call, const char* code, const char* message) {
    return R"({"type":"tool_result","callId":")" + std::string(call) +
           R"(","ok":false,"error":{"code":")" + code + R"(","message":")" + message + "\"}}";
  };
  EXPECT_THAT(answers,
              testing::ElementsAre(
                  R"({"type":"tool_result","callId":"a","ok":true,"result":1})",
                  failure("c", "internal_error", "Unknown tool t.none"),
                  failure("d", "internal_error", "Unknown tool other.bump"),
                  failure("e", "validation_error", "Invalid tool_call message: it names no tool"),
                  R"({"type":"tool_result","callId":"b","ok":true,"result":2})", "no more"));
  EXPECT_EQ(from_json(ended.output).value_or(Value())["calls"].size(), 2U);
}

TEST_P(RunnerFaults, SaysDoneInAWayThatIsNone) {
  for (const char* rest :
       {R"("ok":true,"result":1)", R"("ok":true,"logs":"none")", R"("ok":true,"logs":[1])",
        R"("ok":"yes","logs":[])", R"("logs":[],"result":1)", R"("ok":false,"logs":[])",
        R"("ok":false,"logs":[],"error":"text")",
        R"("ok":false,"logs":[],"error":{"code":"timeout"})",
        R"("ok":false,"logs":[],"error":{"code":1,"message":"m"})"}) {
    const Ended ended = answer(rest);
    EXPECT_EQ(ended.exit_code, 2) << rest;
    EXPECT_EQ(ended.output, "") << rest;
    EXPECT_THAT(ended.errors, StartsWith("error: runner_error: the runner sent a done ")) << rest;
    EXPECT_LT(ended.took, 1s) << rest;
  }
}

TEST_P(RunnerFaults, FailsWithEveryCode) {
  const auto failed = [this](const std::string& code) {
    return answer(R"("ok":false,"logs":[],"error":{"code":")" + code +
                  R"(","message":"as it was said"})");
  };
  for (const char* code : {"timeout", "memory_limit", "validation_error", "tool_error",
                           "runtime_error", "serialization_error"})
    expect_failure(failed(code), std::string(code) + ": as it was said", 1);
  expect_failure(failed("internal_error"), "internal_error: as it was said", 70);
  for (const char* code :
       {"cancelled", "runner_error", "sandbox_error", "overloaded", "", "ENOENT"})
    expect_failure(failed(code), "runtime_error: as it was said", 1);
}

TEST_P(RunnerFaults, SendsAResultThatIsTooDeep) {
  const auto deep = [this](std::size_t levels) {
    return answer(R"("ok":true,"logs":[],"result":)" + std::string(levels, '[') +
                  std::string(levels, ']'));
  };
  EXPECT_EQ(deep(1000).exit_code, 0);
  for (const std::size_t levels : {1001UZ, 1200UZ, 1'000'000UZ}) {
    const Ended ended = deep(levels);
    EXPECT_EQ(ended.exit_code, 1) << levels;
    EXPECT_THAT(ended.errors, StartsWith("error: serialization_error: ")) << levels;
  }
}

TEST_P(RunnerFaults, SendsALineWithoutEnd) {
  timeout_ = 20'000;
  const Ended ended = run(after_execute([](FakeConnection& host, const std::string&) {
    const std::string large((std::size_t{64} << 20) + 1, 'x');
    if (host.transport() == Transport::websocket) {
      host.send(large);
    } else {
      host.send_bytes(large);
    }
    host.wait_for_end();
  }));
  expect_failure(ended, "runner_error: the runner sent a line of more than 67108864 bytes", 2);
}

TEST_P(RunnerFaults, NeverReads) {
  timeout_ = 500;
  // More than any socket keeps.
  const std::string large = folder_.file("large.js", "'" + std::string(8 << 20, 'x') + "'.length");
  has_program_ = true;
  std::atomic<bool> is_over = false;
  const FakeRunner runner(GetParam(), [&](FakeConnection&) {
    while (!is_over) std::this_thread::sleep_for(1ms);
  });
  expect_failure(run_at(runner.target(), {large}), "timeout: Execution timed out", 1);
  is_over = true;
}

TEST_P(RunnerFaults, FloodsAndReadsNoAnswers) {
  timeout_ = 1000;
  for (const char* tool : {"none", "bump", "hang"}) {
    const Ended ended = run(after_execute([&](FakeConnection& host, const std::string&) {
                              for (int i = 0; host.send(tool_call(std::to_string(i), tool)); ++i)
                                continue;
                            }),
                            with_tools());
    EXPECT_TRUE(ended.exit_code == 1 || ended.exit_code == 2) << ended.errors;
    EXPECT_THAT(ended.errors, AnyOf("error: timeout: Execution timed out\n",
                                    StartsWith("error: runner_error: the runner ")))
        << tool;
  }
}

TEST_P(RunnerFaults, HangsAndIsToldToCancel) {
  timeout_ = 200;
  for (const char* last : {"nothing", "a done"}) {
    std::vector<std::string> more = with_tools();
    more.push_back("--json");
    std::string after = "nobody told it";
    const Ended ended = run(after_execute([&](FakeConnection& host, const std::string& id) {
                              host.send(R"({"type":"started","id":")" + id + R"("})");
                              after = host.receive_type("cancel").value_or("");
                              EXPECT_EQ(after, R"({"type":"cancel","id":")" + id + R"("})");
                              host.send(tool_call("late"));
                              if (last == std::string("a done"))
                                host.send(done(id, R"("ok":true,"logs":["its log"],"result":1)"));
                              EXPECT_TRUE(host.wait_for_end());
                            }),
                            more);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_GE(ended.took, 300ms);
    const Value report = from_json(ended.output).value_or(Value());
    EXPECT_EQ(report["error"]["code"], "timeout");
    EXPECT_EQ(report["error"]["message"], "Execution timed out");
    EXPECT_EQ(report["calls"].size(), 0U) << "nothing runs after the cancel";
    EXPECT_EQ(report["logs"].size(), last == std::string("a done") ? 1U : 0U);
  }
}

TEST_P(RunnerFaults, DripsWithoutEnd) {
  timeout_ = 300;
  const Ended ended = run(after_execute([](FakeConnection& host, const std::string&) {
    const bool is_websocket = host.transport() == Transport::websocket;
    while (host.send_bytes(is_websocket ? frame(0xa, "") : "x")) std::this_thread::sleep_for(5ms);
  }));
  expect_failure(ended, "timeout: Execution timed out", 1);
}

TEST_P(RunnerFaults, DripsAGoodAnswer) {
  const Ended ended = run(after_execute([](FakeConnection& host, const std::string& id) {
    const std::string line = done(id, good);
    for (const char byte :
         host.transport() == Transport::websocket ? frame(1, line) : line + "\r\n") {
      host.send_bytes(std::string_view(&byte, 1));
      std::this_thread::sleep_for(1ms);
    }
    host.wait_for_end();
  }));
  EXPECT_EQ(ended.output, "42\n");
}

TEST_P(RunnerFaults, IsToldOfASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::atomic<bool> is_running = false;
    bool was_told = false;
    const FakeRunner runner(GetParam(),
                            after_execute([&](FakeConnection& host, const std::string&) {
                              is_running = true;
                              was_told = host.receive_type("cancel").has_value();
                              host.wait_for_end();
                            }));
    const Ended ended = cordon(
        {.arguments = {"run", "--runner", runner.target(), "-e", "1"},
         .meanwhile = [&](pid_t process) { return is_running && kill(process, signal) == 0; }});
    expect_failure(ended, "cancelled: Execution was cancelled", 130);
    EXPECT_TRUE(was_told);
    EXPECT_LT(ended.took, 2s);
  }
}

INSTANTIATE_TEST_SUITE_P(Over, RunnerFaults,
                         testing::Values(Transport::unix_socket, Transport::tcp,
                                         Transport::websocket),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace cordon::e2e
