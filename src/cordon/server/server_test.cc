#include "cordon/server.h"

#include <arpa/inet.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon {
namespace {

ServerOptions local() {
  ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.auth.tokens = {"secret"};
  options.threads = 1;
  return options;
}

Result<Value> same(Value input) { return input; }

// What a server that is open answers to one POST, head and body.
std::string post(const Server& server, const std::string& path, const std::string& body) {
  const std::string url = server.urls().front();  // http://127.0.0.1:PORT/__runner
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const std::string request =
      "POST /__runner" + path + " HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n" +
      "x-runner-token: secret\r\ncontent-type: application/json\r\ncontent-length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  EXPECT_EQ(send(peer, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  char piece[4096];
  for (ssize_t read = 0; (read = recv(peer, piece, sizeof piece, 0)) > 0;) {
    answer.append(piece, static_cast<std::size_t>(read));
  }
  close(peer);
  return answer;
}

class RunningServer {
 public:
  explicit RunningServer(Server& server)
      : server_(server), thread_([&server] { EXPECT_TRUE(server.run()); }) {}
  ~RunningServer() { server_.stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

 private:
  Server& server_;
  std::jthread thread_;
};

TEST(Server, TakesTasksOfEveryShape) {
  Server server(local());
  server.task("plain", same)
      .task("any value", [](Value) { return 7; })
      .task("typed", [](Value) { return TypedError{"id", "message"}; })
      .task("stoppable", [](Value input, std::stop_token) -> Result<Value> { return input; })
      .task("call", [](TaskCall& call) -> Result<Value> { return call.contexts; })
      .task("answer", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; })
      .task("coroutine", [](Value input) -> Coroutine<Result<Value>> { co_return input; })
      .task("call coroutine",
            [](TaskCall& call) -> Coroutine<TaskAnswer> { co_return TaskAnswer(call.input); })
      .task("reply", [](TaskCall call, TaskReply reply) { reply(call.input); })
      .task_blocking("blocking", same)
      .task_blocking("stoppable blocking",
                     [](Value input, std::stop_token) -> Result<Value> { return input; })
      .event("event", same)
      .event("call event", [](TaskCall& call) -> Result<Value> { return call.input; })
      .validator("validator", [](TaskCall& call) -> Result<Value> { return call.headers; });
  EXPECT_TRUE(server.open());
}

TEST(Server, TellsWhatIsWrongWithItsLanesWhenItOpens) {
  const auto told = [](const LaneRules& lane) {
    ServerOptions options = local();
    options.lanes = {{"sums", lane}};
    Server server(options);
    server.task("add", same);
    const Result<> opened = server.open();
    return opened ? "it is open" : opened.error().message;
  };
  const std::string secret = "a secret of thirty-two bytes, ok";
  EXPECT_EQ(told({.tasks = {"add"}, .secret = secret}), "it is open");
  EXPECT_EQ(told({.tasks = {"add"}, .secret = "short"}),
            "lanes.sums: the secret has 5 bytes; it needs 16, and 32 are better");
  EXPECT_EQ(told({.tasks = {"sub"}, .secret = secret}), "lanes.sums: there is no task sub");
}

TEST(Server, TellsOfContextsOfWhatIsNotThere) {
  Server server(local());
  server.task("add", same).contexts("sub", {"user"});
  EXPECT_EQ(server.open().error().message, "there is no sub for contexts");
}

TEST(Server, ThrowsWhereSomethingIsRegisteredAfterItIsOpen) {
  Server server(local());
  server.task("early", same);
  ASSERT_TRUE(server.open());
  EXPECT_THROW(server.task("late", same), std::logic_error);
  EXPECT_THROW(server.task("late", [](TaskCall&) -> Result<Value> { return 1; }), std::logic_error);
  EXPECT_THROW(server.task_blocking("late", same), std::logic_error);
  EXPECT_THROW(server.event("late", same), std::logic_error);
  EXPECT_THROW(server.validator("late", same), std::logic_error);
  EXPECT_THROW(server.input_schema("early", Value(true)), std::logic_error);
}

TEST(Server, FailsToRunBeforeItIsOpenAndTwice) {
  Server server(local());
  server.stop();
  EXPECT_EQ(server.run().error().message, "run() comes before open()");
  EXPECT_TRUE(server.urls().empty());
  ASSERT_TRUE(server.open());
  EXPECT_EQ(server.open().error().code, ErrorCode::already_exists);
  server.stop();
  EXPECT_TRUE(server.run()) << "it was stopped before, and so returns at once";
  EXPECT_EQ(server.run().error().code, ErrorCode::already_exists);
}

TEST(Server, OpensAgainAfterItFailed) {
  Server taken(local());
  ASSERT_TRUE(taken.open());
  const std::string url = taken.urls().front();
  ServerOptions options = local();
  options.listen = {url.substr(7, url.find('/', 7) - 7)};
  Server server(options);
  server.task("kept", same);
  EXPECT_FALSE(server.open());
  EXPECT_NO_THROW(server.task("added", same));
  EXPECT_EQ(server.run().error().code, ErrorCode::invalid_argument);
}

TEST(Server, TellsWhatItCannotServeWhenItOpens) {
  ServerOptions none = local();
  none.threads = 0;
  EXPECT_EQ(Server(none).open().error().message, "threads: at least 1 is needed");

  Server twice(local());
  twice.task("a", same).task("a", same);
  EXPECT_EQ(twice.open().error().code, ErrorCode::already_exists);

  Server unknown(local());
  unknown.input_schema("nobody", Value(true));
  EXPECT_EQ(unknown.open().error().code, ErrorCode::not_found);

  ServerOptions asks = local();
  asks.auth.validators = {"nobody"};
  EXPECT_EQ(Server(asks).open().error().code, ErrorCode::not_found);
}

TEST(Server, ServesScripts) {
  Provider shop("shop");
  shop.add("price", [](Value input) -> Result<Value> { return input["count"].value_or(1) * 250; });
  Script order{.code =
                   "export default async (input: {count: number}) => {\n"
                   "  console.log('count', input.count); return shop.price(input) }"};
  order.execute.providers = {shop};
  std::vector<std::string> logged;
  order.on_log = [&](const CallOrigin&, const LogLine& line) { logged.push_back(line.text); };

  Server server(local());
  server.task("order", order)
      .task("state", Script{.code = "let n = 0; export default () => ++n"})
      .task("late", Script{.code = "export default () => { throw new Error('secret') }"})
      .task("here", same)
      .event("seen", Script{.code = "export default (payload) => ({...payload, seen: true})"})
      .input_schema("order", Value::object({{"type", "object"}}));
  const Result<> opened = server.open();
  ASSERT_TRUE(opened) << opened.error();
  const RunningServer running(server);
  using testing::HasSubstr;
  EXPECT_THAT(post(server, "/task/order", R"({"input": {"count": 3}})"),
              HasSubstr(R"({"ok":true,"result":750})"));
  EXPECT_THAT(logged, testing::ElementsAre("count 3"));
  EXPECT_THAT(post(server, "/task/order", R"({"input": 3})"), HasSubstr("HTTP/1.1 400"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(post(server, "/task/state", "{}"), HasSubstr(R"({"ok":true,"result":1})"))
        << "each call has a sandbox of its own";
  }
  const std::string failure = post(server, "/task/late", "{}");
  EXPECT_THAT(failure, HasSubstr("HTTP/1.1 500"));
  EXPECT_THAT(failure, testing::Not(HasSubstr("secret")));
  EXPECT_THAT(post(server, "/task/here", R"({"input": 7})"), HasSubstr(R"("result":7)"));
  EXPECT_THAT(post(server, "/event/seen", R"({"payload": {"id": 1}, "returnPayload": true})"),
              HasSubstr(R"("result":{"id":1,"seen":true})"));
}

TEST(Server, TakesAScriptsImportsFromTheFolderOfItsFile) {
  const std::filesystem::path folder = testing::TempDir() + "cordon_server_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "rate.js") << "export const rate = 2";
  std::ofstream(folder / "twice.ts") << "import { rate } from './rate.js'\n"
                                        "export default (n: number): number => n * rate\n";
  Server server(local());
  server.task("twice", Script{.file = (folder / "twice.ts").string()});
  const Result<> opened = server.open();
  ASSERT_TRUE(opened) << opened.error();
  const RunningServer running(server);
  EXPECT_THAT(post(server, "/task/twice", R"({"input": 21})"), testing::HasSubstr("42"));
}

TEST(Server, DoesNotOpenWithAScriptThatDoesNotLoad) {
  const auto reason = [](Script script) {
    Server server(local());
    server.task("app.task", std::move(script));
    const Result<> opened = server.open();
    return opened ? std::string("it opened") : opened.error().message;
  };
  using testing::HasSubstr;
  using testing::StartsWith;
  EXPECT_THAT(reason({.code = "export default 1 +"}), StartsWith("app.task: "));
  EXPECT_THAT(reason({.code = "export const a = 1"}), HasSubstr("default export"));
  EXPECT_THAT(reason({.code = "throw new Error('at the top')"}), HasSubstr("at the top"));
  EXPECT_THAT(reason({.file = "/nonexistent/a.js"}), StartsWith("/nonexistent/a.js: "));
  EXPECT_EQ(reason({}), "app.task: a Script has either a `file` or its `code`");
  EXPECT_THAT(reason({.file = "a.js", .code = "export default 1"}), HasSubstr("either"));
}

TEST(Server, TakesNoScriptAfterItIsOpen) {
  Server server(local());
  ASSERT_TRUE(server.open());
  EXPECT_THROW(server.task("late", Script{.code = "1"}), std::logic_error);
  EXPECT_THROW(server.event("late", Script{.code = "1"}), std::logic_error);
}

// What a reply sends: "dropped", or what its answer is.
std::vector<std::string> sent_by(const std::function<void(TaskReply)>& act) {
  std::vector<std::string> sent;
  act(TaskReply([&sent](std::optional<TaskAnswer> answer) {
    const Value* const value = answer ? std::get_if<Value>(&*answer) : nullptr;
    sent.emplace_back(!answer ? "dropped" : value != nullptr ? debug_text(*value) : "failure");
  }));
  return sent;
}

TEST(TaskReply, AnswersOnceAndTellsWhereItGoesUnused) {
  static_assert(!std::is_copy_constructible_v<TaskReply>);
  using Sent = std::vector<std::string>;
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(7); }), Sent{"7"});
  EXPECT_EQ(sent_by([](TaskReply reply) {
              reply(Value(true));
              reply(Value(false));
            }),
            Sent{"true"});
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(TaskAnswer(TypedError{"id", "text"})); }),
            Sent{"failure"});
  EXPECT_EQ(sent_by([](TaskReply reply) { reply(Result<Value>(fail(ErrorCode::io, "no"))); }),
            Sent{"failure"});
  EXPECT_EQ(sent_by([](const TaskReply&) {}), Sent{"dropped"});
  EXPECT_EQ(sent_by([](TaskReply reply) { const TaskReply other = std::move(reply); }),
            Sent{"dropped"});
}

}  // namespace
}  // namespace cordon
