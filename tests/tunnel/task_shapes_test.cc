// Tasks and events of every shape answer over the tunnel alike.

#include <atomic>
#include <stdexcept>
#include <thread>

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

constexpr std::string_view failed =
    R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}})";

void set_up(Server& server) {
  server.task("plain", [](Value input) -> Result<Value> { return input; })
      .task("stoppable", [](Value input, std::stop_token) -> Result<Value> { return input; })
      .task("call", [](TaskCall& call) -> Result<Value> { return call.input; })
      .task("coroutine", [](Value input) -> Coroutine<Result<Value>> { co_return input; })
      .task("call_coroutine",
            [](TaskCall& call) -> Coroutine<Result<Value>> { co_return Value(call.input); })
      .task("reply", [](TaskCall call, TaskReply reply) { reply(call.input); })
      .task("reply_elsewhere",
            [](TaskCall call, TaskReply reply) {
              std::thread([input = call.input, reply = std::move(reply)]() mutable {
                reply(input);
              }).detach();
            })
      .task_blocking("blocking",
                     [](Value input) -> Result<Value> {
                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       return input;
                     })
      .task_blocking("stoppable_blocking",
                     [](Value input, std::stop_token) -> Result<Value> { return input; });
  server.task("drops", [](TaskCall, const TaskReply&) {})
      .task("drops_elsewhere",
            [](TaskCall, TaskReply reply) { std::thread([reply = std::move(reply)] {}).detach(); })
      .task("throws", [](TaskCall, const TaskReply&) { throw std::runtime_error("a secret"); })
      .task("throws_after",
            [](TaskCall call, TaskReply reply) {
              reply(call.input);
              throw std::runtime_error("a secret");
            })
      .task_blocking("blocking_throws",
                     [](Value) -> Result<Value> { throw std::runtime_error("a secret"); });
  server.event("event", [](TaskCall& call) -> Result<Value> { return call.input.with("seen", 1); })
      .event("quiet", [](TaskCall, TaskReply reply) { reply(Value()); });
}

class TaskShapes : public testing::Test {
 protected:
  std::string ask(const std::string& id) const {
    return server_.post("/__runner/task/" + id, R"({"input":{"a":1}})").body;
  }
  RunningServer server_{{.auth = {.tokens = {"secret"}}}, set_up};
};

TEST_F(TaskShapes, AllAnswerAlike) {
  for (const char* const id : {"plain", "stoppable", "call", "coroutine", "call_coroutine", "reply",
                               "reply_elsewhere", "blocking", "stoppable_blocking"}) {
    EXPECT_EQ(ask(id), R"({"ok":true,"result":{"a":1}})") << id;
  }
}

TEST_F(TaskShapes, FailWhereNoAnswerComes) {
  for (const char* const id : {"drops", "drops_elsewhere", "throws", "blocking_throws"})
    EXPECT_EQ(ask(id), failed) << id;
  EXPECT_EQ(ask("throws_after"), R"({"ok":true,"result":{"a":1}})") << "the first answer counts";
}

TEST_F(TaskShapes, AreThoseOfEventsToo) {
  const std::string body = R"({"payload":{"a":1},"returnPayload":true})";
  EXPECT_EQ(server_.post("/__runner/event/event", body).body,
            R"({"ok":true,"result":{"a":1,"seen":1}})");
  EXPECT_EQ(server_.post("/__runner/event/quiet", body).body, R"({"ok":true,"result":{"a":1}})");
}

}  // namespace
}  // namespace cordon::tunnel_test
