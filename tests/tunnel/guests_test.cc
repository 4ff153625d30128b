// Programs and tasks that call the tasks of a tunnel elsewhere, as tools.

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../e2e/conversation.h"
#include "../e2e/cordon_command.h"
#include "lying_server.h"
#include "serve_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A server whose tasks are called, and a configuration with it as the tunnel `remote`.
class Guests : public testing::Test {
 protected:
  Guests() {
    const auto task = [&](const std::string& id, const std::string& code) {
      const std::string name = id + ".js";
      remote_.file(name, code);
      tasks_ += (tasks_.empty() ? "" : ", ") + ("\"" + id + "\": { \"script\": \"" + name + "\" }");
      ids_ += (ids_.empty() ? "\"" : ", \"") + id + "\"";
    };
    task("app.tasks.add", "export default ({ a, b }) => a + b;");
    task("app.tasks.echo", "export default (input) => input;");
    task("app-tasks-echo", "export default () => 'the second';");
    task(
        "app.tasks.fail",
        "import { TaskError } from 'cordon:task';\n"
        "export default () => { throw new TaskError('app.errors.none', 'none is left', { left: new "
        "Map([[1, 2n]]) }); };");
    task("app.tasks.crash", "export default () => { throw new Error('hunter3'); };");
    task(
        "app.tasks.bytes",
        "export default () => new ReadableStream({ start(c) { c.enqueue(new Uint8Array([1, 2, 3]));"
        " c.close(); } });");
    task("app.tasks.date", "export default () => ({ at: new Date(5) });");
    task("secret.tasks.drop", "export default () => 'dropped';");
    remote_.file("cordon.json", R"({ "tasks": { )" + tasks_ +
                                    R"( }, "server": { "listen": "unix:)" + socket() +
                                    R"(", "auth": { "token": "hunter2" },
      "expose": { "tasks": [)" + ids_ +
                                    R"(] } } })");
    configure(R"("token": { "env": "REMOTE_TOKEN" })");
  }

  std::string socket() const { return remote_.path() + "/s"; }
  void configure(const std::string& more) const {
    folder_.file("cordon.json", R"({ "tunnels": { "remote": { "url": "unix:)" + socket() +
                                    R"(:/__runner", )" + more + " } } }");
  }
  void start() {
    server_ = std::make_unique<Conversation>(
        cordon_program(),
        std::vector<std::string>{"serve", "--config", remote_.path() + "/cordon.json"});
    server_->receive();
  }
  void stop() { server_.reset(); }

  Ended run(const std::string& code, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "--config", folder_.path() + "/cordon.json"});
    more.insert(more.end(), {"-e", code});
    return cordon({.arguments = std::move(more), .environment = {{"REMOTE_TOKEN", "hunter2"}}});
  }
  void expect_output(const std::string& code, const std::string& output,
                     const std::vector<std::string>& more = {}) const {
    const Ended ended = run(code, more);
    EXPECT_EQ(ended.output, output + "\n") << code;
    EXPECT_EQ(ended.errors, "") << code;
    EXPECT_EQ(ended.exit_code, 0);
  }

  Folder remote_;
  Folder folder_;
  std::string tasks_;
  std::string ids_;
  std::unique_ptr<Conversation> server_;
};

TEST_F(Guests, CallTasksByTheirSafeNames) {
  start();
  expect_output("await remote.app_tasks_add({a: 1, b: 2})", "3");
  expect_output("await remote.app_tasks_echo__2()", "\"the second\"");
  expect_output("Object.keys(remote)",
                R"(["app_tasks_add","app_tasks_echo","app_tasks_echo__2","app_tasks_fail",)"
                R"("app_tasks_crash","app_tasks_bytes","app_tasks_date","secret_tasks_drop"])");
  const Ended unknown = run("remote.app_tasks_ad()");
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("app_tasks_add"));
}

TEST_F(Guests, KeepTheTypesOfValuesBothWays) {
  start();
  expect_output(
      "const loop = {}; loop.self = loop;"
      "const r = await remote.app_tasks_echo({d: new Date(5), m: new Map([[1, new Set([2n])]]), "
      "u: undefined, n: [NaN, -Infinity], r: /x/gi, l: new URL('http://a/b'), b: new "
      "Uint8Array([1, "
      "2]), e: new RangeError('no')});"
      "[r.d instanceof Date, r.d.getTime(), r.m.get(1).has(2n), 'u' in r, Number.isNaN(r.n[0]), "
      "r.n[1] === -Infinity, r.r.flags, r.l.href, r.b instanceof Uint8Array, r.b[1], r.e.message]",
      R"([true,5,true,true,true,true,"gi","http://a/b",true,2,"no"])");
  expect_output(
      "const b = await remote.app_tasks_bytes(); [b instanceof Uint8Array, b.length, b[2]]",
      "[true,3,3]");
  // What may be printed is as strict as before.
  const Ended printed = run("await remote.app_tasks_echo(new Date(5))");
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_THAT(printed.errors, StartsWith("error: serialization_error: Guest code returned a "
                                         "non-serializable value: an object of class Date"));
}

TEST_F(Guests, CatchWhatTheServerSays) {
  start();
  expect_output(
      "remote.app_tasks_fail().catch((e) => [e.code, e.message, e.id, e.data.left.get(1) "
      "=== 2n])",
      R"(["tool_error","none is left","app.errors.none",true])");
  const Ended uncaught = run("await remote.app_tasks_fail()");
  EXPECT_EQ(uncaught.exit_code, 1);
  EXPECT_THAT(uncaught.errors, StartsWith("error: tool_error: none is left\n"));
  expect_output("remote.app_tasks_crash().catch((e) => [e.code, e.message, 'id' in e])",
                R"(["tool_error","Internal Error",false])");
}

TEST_F(Guests, CallNoMoreThanTheyAreAllowed) {
  start();
  configure(R"("token": "hunter2", "allow": ["app.*"], "maxCalls": 2)");
  expect_output("'secret_tasks_drop' in remote", "false");
  expect_output(
      "const add = () => remote.app_tasks_add({a: 1, b: 2}).catch((e) => e.message);"
      "[await add(), await add(), await add()]",
      R"([3,3,"the tunnel \"remote\" may be called 2 times in one execution"])");
  configure(R"("token": "hunter2", "maxBytes": 1000)");
  expect_output(
      "remote.app_tasks_echo('x'.repeat(2000)).catch((e) => e.code + ': ' + e.message)",
      R"("tool_error: one execution may send to the tunnel \"remote\" and get from it 1000 )"
      R"(bytes")");
  configure(R"("token": "wrong")");
  expect_output("remote.app_tasks_add().catch((e) => e.code + ': ' + e.message)",
                R"("tool_error: Unauthorized")");
}

TEST_F(Guests, SignTheirCallsOfALane) {
  const auto lane = [](const std::string& secret) {
    return R"("lanes": { "app.lanes.sums": { "tasks": ["app.tasks.add"], "secret": ")" + secret +
           "\" } }";
  };
  std::ifstream file(remote_.path() + "/cordon.json");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("\"listen\""), 0, lane("a secret of thirty-two bytes, ok") + ", ");
  remote_.file("cordon.json", text);
  start();
  const std::string call =
      "remote.app_tasks_add({a: 1, b: 2}).catch((e) => e.code + ': ' + e.message)";
  expect_output(call, R"("tool_error: Unauthorized")");
  configure(R"("token": "hunter2", )" + lane("a secret of thirty-two bytes, ok"));
  expect_output(call, "3");
  expect_output("await remote.app_tasks_echo(1)", "1");
  configure(R"("token": "hunter2", )" + lane("another secret of thirty-two by."));
  expect_output(call, R"("tool_error: Unauthorized")");
}

TEST_F(Guests, AreRunBesideATunnelThatIsDown) {
  expect_output(
      "[1 + 1, await remote.app_tasks_add({a: 1, b: 2}).catch((e) => e.code + ': ' + "
      "e.message)]",
      R"([2,"tool_error: the tunnel \"remote\" cannot be reached"])");
  const Ended uncaught = run("await remote.app_tasks_add({a: 1, b: 2})", {"--json"});
  EXPECT_EQ(uncaught.exit_code, 1);
  EXPECT_THAT(uncaught.output,
              StartsWith(R"({"ok":false,"error":{"code":"tool_error",)"
                         R"("message":"the tunnel \"remote\" cannot be reached")"));
  EXPECT_THAT(uncaught.output, Not(HasSubstr("hunter2")));
  EXPECT_THAT(uncaught.output, Not(HasSubstr(socket())));
}

TEST_F(Guests, AreNotRunWithoutASecretThatIsNamed) {
  const Ended ended =
      cordon({.arguments = {"run", "--config", folder_.path() + "/cordon.json", "-e", "1"}});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("tunnels.remote.token: the environment has no REMOTE_TOKEN"));
}

TEST_F(Guests, RunElsewhereWithTheTasksHere) {
  start();
  const std::string runner = "'" + std::string(cordon_program()) + "' runner";
  expect_output("await remote.app_tasks_add({a: 1, b: 2})", "3", {"--runner", runner});
  expect_output("remote.app_tasks_fail().catch((e) => e.code + ': ' + e.message)",
                "\"tool_error: none is left\"", {"--runner", runner});
  expect_output("(await remote.app_tasks_date()).at", "\"1970-01-01T00:00:00.005Z\"",
                {"--runner", runner});
  stop();
  const Ended down = run("typeof remote", {"--runner", runner});
  EXPECT_EQ(down.output, "\"object\"\n");
  EXPECT_EQ(
      down.errors,
      "cordon run: the tunnel \"remote\" cannot be reached, so the names of its tasks are not "
      "known; the runner cannot call them\n");
}

TEST_F(Guests, SleepOnACallOfATask) {
  start();
  const std::string image = folder_.path() + "/p.image";
  const Ended slept =
      run("const d = await remote.app_tasks_echo(new Date(5)); [d.getTime(), await "
          "remote.app_tasks_add({a: 1, b: 2})]",
          {"--sleep-on", "remote.app_tasks_add", "--save", image});
  EXPECT_EQ(slept.exit_code, 0) << slept.errors;
  const Ended resumed = cordon({.arguments = {"run", "--config", folder_.path() + "/cordon.json",
                                              "--resume", image, "--result", "7"},
                                .environment = {{"REMOTE_TOKEN", "hunter2"}}});
  EXPECT_EQ(resumed.output, "[5,7]\n") << resumed.errors;
}

TEST_F(Guests, AreShownTheNamesOfTasks) {
  start();
  configure(R"("token": "hunter2", "allow": ["app.tasks.a*"])");
  const Command types{.arguments = {"types", "--config", folder_.path() + "/cordon.json"}};
  const Ended shown = cordon(types);
  EXPECT_EQ(shown.output,
            "declare namespace remote {\n"
            "  function app_tasks_add(input?: unknown): Promise<unknown>;\n"
            "}\n");
  EXPECT_EQ(shown.errors, "");
  Command json = types;
  json.arguments.push_back("--json");
  EXPECT_THAT(cordon(json).output, HasSubstr(R"("originalName":"app.tasks.add")"));
  stop();
  const Ended down = cordon(types);
  EXPECT_EQ(down.exit_code, 0);
  EXPECT_EQ(down.errors,
            "cordon types: the tunnel \"remote\" cannot be reached, so the names of its tasks are "
            "not known\n");
}

TEST_F(Guests, AreToldOfTasksThatAreTooMany) {
  std::string tasks = "\"t\"";
  for (int i = 0; i < 10'000; ++i) tasks += ",\"t" + std::to_string(i) + "\"";
  const LyingServer remote(
      http_answer("200 OK", "application/json",
                  R"({"ok":true,"result":{"allowList":{"enabled":true,"tasks":[)" + tasks +
                      R"(],"events":[]}}})"));
  folder_.file("cordon.json",
               R"({ "tunnels": { "remote": { "url": ")" + remote.url() + R"(" } } })");
  const std::string said = "the tunnel \"remote\" lists more than 10000 tasks, ";
  const Ended ended = run("Object.keys(remote).length");
  EXPECT_EQ(ended.output, "10000\n");
  EXPECT_THAT(ended.errors, StartsWith("cordon run: " + said));
  const Ended types = cordon({.arguments = {"types", "--config", folder_.path() + "/cordon.json"}});
  EXPECT_THAT(types.errors, StartsWith("cordon types: " + said));
  EXPECT_EQ(types.exit_code, 0);
}

// A task of one server that calls tasks of the other.
class ServedGuests : public Guests {
 protected:
  ServedGuests() {
    folder_.file(
        "sum.js",
        "export default async (n) => {\n"
        "  const at = await remote.app_tasks_echo(new Date(n)).catch((e) => e.message);\n"
        "  return [at, await remote.app_tasks_add({ a: n, b: 1 }).catch((e) => e.message)];\n"
        "};\n");
    folder_.file("loop.js", "export default async (n) => 1 + await own.loop(n);\n");
    folder_.file("cordon.json", R"({
      "tunnels": { "remote": { "url": "unix:)" +
                                    socket() + R"(:/__runner", "token": "hunter2" },
                   "own": { "url": "unix:)" +
                                    own_socket() +
                                    R"(:/__runner", "timeoutMs": 1500 } },
      "tasks": { "sum": { "script": "sum.js", "tools": ["remote"] },
                 "loop": { "script": "loop.js", "tools": ["own"] } },
      "server": { "listen": "unix:)" +
                                    own_socket() + R"(", "auth": { "allowAnonymous": true },
                  "expose": { "tasks": ["sum", "loop"] } } })");
  }
  std::string own_socket() const { return folder_.path() + "/s"; }

  void serve() {
    own_ = std::make_unique<Conversation>(
        cordon_program(),
        std::vector<std::string>{"serve", "--config", folder_.path() + "/cordon.json"});
    own_->receive();
  }
  std::string ask(const std::string& task, const std::string& body) const {
    return cordon::e2e::run("/usr/bin/curl",
                            {.arguments = {"-s", "-m", "15", "--unix-socket", own_socket(), "-d",
                                           body, "http://x/__runner/task/" + task}})
        .output;
  }

  std::unique_ptr<Conversation> own_;
  const std::string good_ =
      R"({"ok":true,"result":[{"__type":"Date","value":"1970-01-01T00:00:00.005Z"},6]})";
  const std::string down_ = R"({"ok":true,"result":["the tunnel \"remote\" cannot be reached",)"
                            R"("the tunnel \"remote\" cannot be reached"]})";
};

TEST_F(ServedGuests, CallTasksOfAnotherServer) {
  start();
  serve();
  EXPECT_EQ(ask("sum", "5"), good_);
}

TEST_F(ServedGuests, FindATunnelThatComesUpLater) {
  serve();
  EXPECT_EQ(ask("sum", "5"), down_);
  start();
  std::string answer;
  for (int i = 0; i < 100 && answer != good_; ++i) answer = ask("sum", "5");
  EXPECT_EQ(answer, good_);
}

TEST_F(ServedGuests, OutliveATunnelThatGoesDown) {
  start();
  serve();
  EXPECT_EQ(ask("sum", "5"), good_);
  stop();
  EXPECT_EQ(ask("sum", "5"), down_);
  start();
  EXPECT_EQ(ask("sum", "5"), good_);
}

TEST_F(ServedGuests, ThatCallThemselvesComeToAnEnd) {
  start();
  serve();
  EXPECT_THAT(ask("loop", "5"), HasSubstr(R"("code":"INTERNAL_ERROR")"));
  EXPECT_EQ(ask("sum", "5"), good_) << "and the server serves on";
}

}  // namespace
}  // namespace cordon::e2e
