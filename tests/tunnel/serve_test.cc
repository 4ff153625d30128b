// `cordon serve` as an operator runs it: the configuration, the ready line, reloads, the end.

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

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
using testing::StartsWith;

TEST_F(Serve, WarnsOfAProviderWithoutToolsAndStartsAllTheSame) {
  folder_.file("shop.js", "function price() { return 1; }");
  const Ended checked =
      run(cordon_program(), {.arguments = {"serve", "--check", "--config", config()}});
  EXPECT_EQ(checked.exit_code, 0);
  const std::string warning =
      "cordon.json:3:38: warning: " + folder_.path() +
      "/shop.js: exports no function, so the provider \"shop\" has no tools";
  EXPECT_THAT(checked.errors, HasSubstr(warning));
  const Ended as_json =
      run(cordon_program(), {.arguments = {"serve", "--check", "--json", "--config", config()}});
  EXPECT_THAT(as_json.output, HasSubstr(R"("line":3,"column":38,"severity":"warning")"));
  const Ended served =
      run(cordon_program(), {.arguments = {"serve", "--config", config()},
                             .on_errors = [](pid_t process, const std::string& errors) {
                               if (errors.contains("has no tools")) kill(process, SIGTERM);
                             }});
  EXPECT_THAT(served.errors, HasSubstr(warning));
}

TEST_F(Serve, PrintsItsUrlAndServesUntilItIsTold) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_THAT(url, StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(url, EndsWith("/__runner"));
  EXPECT_EQ(call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})"),
            R"({"ok":true,"result":3} 200)");
  EXPECT_THAT(call(url, "app.tasks.add", R"({"input":{"a":"1","b":2}})"),
              testing::AllOf(HasSubstr("VALIDATION_ERROR"), EndsWith(" 400")));
  EXPECT_THAT(call(url, "app.tasks.add", "{}", "x-key: 2"), EndsWith(" 401"));
  EXPECT_THAT(call(url, "app.auth", "{}"), EndsWith(" 403"));
  kill(server.process(), SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(Serve, ExposesNothingUnlessItIsToldTo) {
  std::string text = configuration;
  const std::size_t expose = text.find("\"expose\"");
  text.erase(expose, text.find('\n', expose) - expose);
  folder_.file("cordon.json", text);
  const std::string nothing =
      R"({"ok":true,"result":{"allowList":{"enabled":false,"tasks":[],"events":[]}}} 200)";
  const auto refusal = [](const std::string& message, const std::string& code) {
    return R"({"ok":false,"error":{"message":")" + message + R"(","code":")" + code + "\"}}";
  };
  const auto ask = [&](const std::string& url, const std::string& path) {
    return curl({url + path, "-H", "x-runner-token: secret", "-d", R"({"a":1,"b":2})"});
  };
  {
    Conversation server(cordon_program(), {"serve", "--config", config()});
    const std::string url = server.receive().value();
    for (const char* path : {"/task/app.tasks.add", "/task/none", "/event/none"})
      EXPECT_EQ(ask(url, path), refusal("Exposure not enabled", "FORBIDDEN") + " 403") << path;
    EXPECT_EQ(ask(url, "/discovery"), nothing);
  }
  text.insert(expose, "\"dangerouslyAllowOpenExposure\": true,");
  folder_.file("cordon.json", text);
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(ask(url, "/task/app.tasks.add"), R"({"ok":true,"result":3} 200)");
  EXPECT_EQ(ask(url, "/task/none"), refusal("Task none not found", "NOT_FOUND") + " 404");
  EXPECT_EQ(ask(url, "/event/none"), refusal("Event none not found", "NOT_FOUND") + " 404");
  EXPECT_EQ(ask(url, "/discovery"), nothing);
}

TEST_F(Serve, GivesTasksTheToolsThatTheyName) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  // A validator lets in, values stay what they are, and nothing is left of an earlier call.
  const std::string date = R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})";
  const std::string price = R"({"count":1,"at":)" + date + "}";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(call(url, "app.tasks.buy", R"({"input":{"id":"tea"}})", "x-key: 1"),
              R"({"ok":true,"result":[)" + price + "," + price + "]} 200");
  }
  EXPECT_THAT(call(url, "app.tasks.buy", R"({"input":{"id":"none"}})"),
              HasSubstr(R"({"code":"tool_error","message":"there is no such thing"})"));
}

TEST_F(Serve, LetsValuesOutAsJsonWhereItsConfigurationSaysSo) {
  folder_.file("dates.js",
               "class Stay { from = new Date(0); nights() { return 1 } }\n"
               "export default ({ at }) => at instanceof Date ? { at, stay: new Stay() } : "
               "new Map([[1, 2]]);");
  folder_.file("cordon.json", R"({
    "values": "json",
    "tasks": {
      "app.json": { "script": "dates.js" },
      "app.rich": { "script": "dates.js", "values": "rich" }
    },
    "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" },
                "expose": { "tasks": ["app.json", "app.rich"] } }
  })");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const std::string date = R"({"__type":"Date","value":"1970-01-01T00:00:00.000Z"})";
  const std::string input = R"({"input":{"at":)" + date + "}}";
  EXPECT_EQ(call(url, "app.json", input), R"({"ok":true,"result":{"at":"1970-01-01T00:00:00.000Z",)"
                                          R"("stay":{"from":"1970-01-01T00:00:00.000Z"}}} 200)");
  EXPECT_EQ(call(url, "app.rich", input),
            R"({"ok":true,"result":{"at":)" + date + R"(,"stay":{"from":)" + date + "}}} 200");
  EXPECT_THAT(call(url, "app.json", R"({"input":{}})"), EndsWith(" 500"));
  EXPECT_THAT(call(url, "app.rich", R"({"input":{}})"), EndsWith(" 200"));
}

TEST_F(Serve, KeepsItsConfigurationFromScripts) {
  const std::string read =
      "import('./cordon.json', { with: { type: 'json' } }).then(() => 'read', (e) => e.message)";
  folder_.file("shop.js", "export const price = () => " + read + ";\n");
  folder_.file("buy.js", "export default async () => [await " + read + ", await shop.price()];\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const std::string answer = call(url, "app.tasks.buy", "{}");
  EXPECT_THAT(answer, EndsWith(" 200"));
  EXPECT_THAT(answer, Not(HasSubstr(R"("read")")));
  EXPECT_THAT(answer, HasSubstr("it is kept from programs"));
}

TEST_F(Serve, KeepsFilesWithSecretsFromScripts) {
  std::string text = configuration;
  const std::string token = R"("token": "secret")";
  text.replace(text.find(token), token.size(), R"("token": { "file": "token.js" })");
  folder_.file("cordon.json", text);
  folder_.file("token.js", "secret\n");
  folder_.file("other.log", "secret\n");
  folder_.file(".env", "secret\n");
  std::filesystem::create_symlink("token.js", folder_.path() + "/link.js");
  std::filesystem::create_hard_link(folder_.path() + "/token.js", folder_.path() + "/hard.js");
  const std::string read =
      "(names) => Promise.all(names.map((name) => import(name).then(() => 'read', String)))";
  folder_.file("shop.js", "export const price = " + read + ";\n");
  folder_.file("buy.js", "const read = " + read + ";\n" +
                             "export default async (names) =>"
                             "  [...await read(names), ...await shop.price(names)];\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const std::string answer =
      call(url, "app.tasks.buy",
           R"({"input":["./token.js","./link.js","./hard.js","./other.log","./.env"]})");
  EXPECT_THAT(answer, EndsWith(" 200"));
  const auto count = [&](std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = answer.find(words); at != std::string::npos;
         at = answer.find(words, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("it is kept from programs; there is"), 6U) << answer;
  EXPECT_EQ(count("it is no module: those end in"), 2U) << answer;
  EXPECT_EQ(count("a name that begins with a dot is no module"), 2U) << answer;
  EXPECT_EQ(count("secret"), 0U) << answer;
  EXPECT_EQ(count("there is ./add.js, ./auth.js, ./buy.js, ./fail.js, ./shop.js\""), 10U) << answer;
}

TEST_F(Serve, LoadsToolsWhoseFileHasAnotherEnding) {
  std::filesystem::rename(folder_.path() + "/shop.js", folder_.path() + "/shop.tools");
  std::string text = configuration;
  text.replace(text.find("shop.js"), 7, "shop.tools");
  folder_.file("cordon.json", text);
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_THAT(call(url, "app.tasks.buy", R"({"input":{"id":"tea"}})"), EndsWith(" 200"));
}

// A configuration with one thread, whose task `hang` imports TypeScript that nobody sees the end
// of.
class ServeEndlessTypes : public Serve {
 protected:
  void write(const std::string& timeout) {
    std::string endless = "export const q: any = ";
    for (int i = 0; i < 40; ++i) endless += "<a>(";
    folder_.file("endless.ts", endless + "1" + std::string(40, ')') + ";\n");
    folder_.file("hang.js", "export default () => import('./endless.ts');\n");
    folder_.file("cordon.json", R"({
      "tasks": { "add": { "script": "add.js" }, "hang": { "script": "hang.js", "timeoutMs": )" +
                                    timeout + R"( } },
      "server": { "listen": "127.0.0.1:0", "threads": 1, "auth": { "token": "secret" },
                  "expose": { "tasks": ["add", "hang"] }, "connections": { "drainTimeoutMs": 100 },
                  "metrics": { "listen": "unix:operations.sock" } }
    })");
  }

  bool is_running() const {
    return becomes([&] {
      return curl({"--unix-socket", folder_.path() + "/operations.sock", "http://o/metrics"})
          .contains("cordon_sandboxes{state=\"running\"} 1\n");
    });
  }
};

TEST_F(ServeEndlessTypes, EndAtTheTaskOwnTime) {
  write("300");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_THAT(call(url, "hang", "{}"), EndsWith(" 500"));
  EXPECT_EQ(call(url, "add", R"({"a":1,"b":2})"), R"({"ok":true,"result":3} 200)");
  kill(server.process(), SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServeEndlessTypes, LetOthersBeAnsweredAndTheServerEnd) {
  write("600000");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  std::atomic<bool> answered = false;
  std::thread hanging([&] {
    call(url, "hang", "{}");
    answered = true;
  });
  EXPECT_TRUE(is_running());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(call(url, "add", R"({"a":1,"b":2})"), R"({"ok":true,"result":3} 200)");
  EXPECT_FALSE(answered);
  kill(server.process(), SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  hanging.join();
}

TEST_F(Serve, WaitsForAToolLongerThanATaskMayTake) {
  const std::string text = configuration;
  folder_.file("cordon.json", R"({ "limits": { "timeoutMs": 400 },)" + text.substr(1));
  folder_.file("shop.js",
               "export async function price({ ms, spins }) {\n"
               "  while (spins);\n"
               "  await new Promise((done) => setTimeout(done, ms));\n"
               "  return 'slow';\n"
               "}\n");
  folder_.file("buy.js",
               "export default async (input) => {\n"
               "  if (input.alone) await new Promise((done) => setTimeout(done, input.ms));\n"
               "  try { return await shop.price(input); } catch (error) { return error.code; }\n"
               "};\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(call(url, "app.tasks.buy", R"({"ms":900})"), R"({"ok":true,"result":"slow"} 200)");
  // What it computes is counted all the same; so is what the task does by itself.
  EXPECT_EQ(call(url, "app.tasks.buy", R"({"spins":true})"),
            R"({"ok":true,"result":"timeout"} 200)");
  EXPECT_THAT(call(url, "app.tasks.buy", R"({"ms":900,"alone":true})"), EndsWith(" 500"));
}

TEST_F(Serve, LimitsTheClocksThatItsConfigurationNames) {
  folder_.file("shop.js",
               "export const price = ({ ms }) => new Promise((done) => setTimeout(done, ms));\n");
  folder_.file("buy.js",
               "export default async (input) => {\n"
               "  while (input.spins);\n"
               "  try { return await shop.price(input); } catch (error) { return error.code; }\n"
               "};\n");
  folder_.file("cordon.json", R"({
    "limits": { "time": { "totalMs": 300 } },
    "providers": { "shop": { "script": "shop.js" } },
    "tasks": {
      "all": { "script": "buy.js", "tools": ["shop"] },
      "own": { "script": "buy.js", "tools": ["shop"], "timeoutMs": 60000,
               "time": { "totalMs": 60000, "cpuMs": 200 } }
    },
    "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" },
                "expose": { "tasks": ["all", "own"] } }
  })");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_THAT(call(url, "all", R"({"ms":20000})"), EndsWith(" 500"));
  EXPECT_EQ(call(url, "own", R"({"ms":20000})"), R"({"ok":true,"result":"timeout"} 200)")
      << "the tool has the total of all scripts";
  EXPECT_THAT(call(url, "own", R"({"spins":true})"), EndsWith(" 500"));
}

TEST_F(Serve, GivesTasksTheFunctionsOfPlugins) {
  const std::filesystem::path built =
      std::filesystem::path(cordon_program()).parent_path().parent_path();
  std::filesystem::copy_file(built / "examples" / "rank.wasm", folder_.path() + "/rank.wasm");
  folder_.file("sort.js", "export default (input) => rank.rank(input);");
  folder_.file("cordon.json", R"({
    "plugins": { "rank": { "wasm": "rank.wasm", "functions": ["rank"], "processes": 2 } },
    "tasks": { "sort": { "script": "sort.js", "tools": ["rank"] } },
    "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" }, "expose": { "tasks": ["sort"] } }
  })");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(call(url, "sort", R"({"input":[3,1,2]})"), R"({"ok":true,"result":[1,2,3]} 200)");
}

TEST_F(Serve, GivesTasksAnyFunctionOfAPluginThatListsNone) {
  const std::filesystem::path built =
      std::filesystem::path(cordon_program()).parent_path().parent_path();
  std::filesystem::copy_file(built / "examples" / "rank.wasm", folder_.path() + "/rank.wasm");
  folder_.file("sort.js",
               "export default async (input) => [await rank.rank(input), Object.keys(rank), "
               "await rank.score(input).catch((error) => [error.code, error.message])];");
  folder_.file("cordon.json", R"({
    "plugins": { "rank": { "wasm": "rank.wasm" } },
    "tasks": { "sort": { "script": "sort.js", "tools": ["rank"] } },
    "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" }, "expose": { "tasks": ["sort"] } }
  })");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(call(url, "sort", R"({"input":[3,1,2]})"),
            R"({"ok":true,"result":[[1,2,3],[],["tool_error","no such function"]]} 200)");
}

// The example of the design, with its placeholders filled in.
TEST_F(Serve, TakesAFileThatUsesEveryPartOfTheContract) {
  const std::filesystem::path built =
      std::filesystem::path(cordon_program()).parent_path().parent_path();
  std::filesystem::copy_file(built / "examples" / "rank.wasm", folder_.path() + "/rank.wasm");
  folder_.file("tools.js", "export const twice = (x) => 2 * x;");
  folder_.file("notify.js", "export default (payload) => { payload.seen = true; };");
  folder_.file("add.js",
               "export default async ({ a, b }) => {\n"
               "  const failures = [];\n"
               "  await files.read({ path: '/etc/passwd' }).catch((e) => failures.push(e));\n"
               "  await billing['app.tasks.pay']({}).catch((e) => failures.push(e));\n"
               "  return [a + b, failures.map(({ code, message }) => ({ code, message }))];\n"
               "};\n");
  folder_.file("cordon.json", R"({
    "limits":   { "timeoutMs": 5000, "memoryLimitBytes": 67108864, "maxLogLines": 100, "maxLogChars": 64000 },
    "providers": { "tools": { "script": "tools.js" } },
    "mcpServers": { "files": { "command": "npx", "args": ["..."] }, "web": { "url": "https://mcp.example" } },
    "tunnels":  { "billing": { "url": "http://127.0.0.1:1/__runner", "token": { "env": "BILLING_TOKEN" } } },
    "plugins":  { "rank": { "wasm": "rank.wasm", "processes": 2, "timeoutMs": 1000, "callbacks": ["files.read"] } },
    "contexts": ["app.ctx.tenant"],
    "tasks":    { "app.tasks.add": { "script": "add.js", "input": { /* JSON Schema */ }, "tools": ["files", "billing"] } },
    "events":   { "app.events.notify": { "script": "notify.js", "parallel": false } },
    "server": {
      "listen": "127.0.0.1:0", "basePath": "/__runner",
      "auth": { "token": "secret", "header": "x-runner-token", "allowAnonymous": false, "validators": ["app.auth.check"] },
      "cors": { "origin": "https://app.example", "credentials": true, "methods": [], "allowedHeaders": [], "exposedHeaders": [], "maxAge": 600 },
      "limits": { "json": { "maxSize": 2097152 }, "multipart": { "fileSize": 20971520, "files": 10, "fields": 100, "fieldSize": 1048576 } },
      "expose": { "tasks": ["app.tasks.add"], "events": ["app.events.notify"] },
      "dangerouslyAllowOpenExposure": false
    }
  })");
  const Ended checked = cordon({.arguments = {"serve", "--check", "--config", config()},
                                .environment = {{"BILLING_TOKEN", "hunter2"}}});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
  EXPECT_THAT(checked.output, StartsWith(config() + ": ok\n"));
  EXPECT_THAT(checked.errors,
              HasSubstr("warning: tools: \"files\" is an MCP server, which cannot be "
                        "called yet: its calls will fail\n"));
  EXPECT_THAT(checked.errors,
              HasSubstr("there is no task \"app.auth.check\", so it lets nobody in"));
  EXPECT_THAT(checked.errors, HasSubstr("warning: callbacks: tools of \"files\""));

  folder_.file("token", "hunter2\n");
  std::ifstream file(config());
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("\"env\": \"BILLING_TOKEN\""), 22, "\"file\": \"token\"");
  folder_.file("cordon.json", text);
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(
      call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})"),
      R"({"ok":true,"result":[3,[)"
      R"({"code":"tool_error","message":"files.read: tools of MCP servers cannot be called yet"},)"
      R"({"code":"tool_error","message":"the tunnel \"billing\" cannot be reached"})"
      R"(]]} 200)");
}

TEST_F(Serve, RefusesMoreThanMayWait) {
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0,
               "\"threads\": 1, \"sandboxes\": 1, \"queue\": 1, \"asleep\": 1,\n    ");
  folder_.file("cordon.json", text);
  folder_.file("fail.js",
               "export default (input, { signal }) =>\n"
               "  new Promise((done) => signal.addEventListener('abort', done));\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const auto operations = [&] {
    return curl({"--unix-socket", folder_.path() + "/operations.sock", "http://o/metrics"});
  };
  const std::string body = R"({"input":{}})";
  std::vector<std::thread> clients;
  for (const char* state : {"asleep", "waiting", "queued"}) {
    clients.emplace_back([&] {
      EXPECT_EQ(curl({url + "/task/app.tasks.fail", "-H", "x-runner-token: secret", "-d", body,
                      "-m", "4"}),
                " 000");
    });
    const std::string one = "cordon_sandboxes{state=\"" + std::string(state) + "\"} 1\n";
    EXPECT_TRUE(becomes([&] { return operations().contains(one); })) << operations();
  }
  const std::string refused =
      curl({url + "/task/app.tasks.fail", "-i", "-H", "x-runner-token: secret", "-d", body});
  EXPECT_THAT(refused, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(
      refused,
      EndsWith(R"({"ok":false,"error":{"message":"Server overloaded","code":"OVERLOADED"}} 503)"));
  for (std::thread& client : clients) client.join();
  // When they have gone there is room again.
  EXPECT_TRUE(becomes(
      [&] { return call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})").contains(":3}"); }));
}

TEST_F(Serve, ReadsTheContextsOfThoseWhomItHasLetIn) {
  std::string text = configuration;
  text.replace(text.find("\"providers\""), 0, "\"contexts\": [\"ctx\"],\n  ");
  folder_.file("cordon.json", text);
  folder_.file("auth.js",
               "export default ({ headers }, { contexts }) =>\n"
               "  ({ ok: headers['x-key'] === '1' && Object.keys(contexts).length === 0 });");
  folder_.file("fail.js", "export default (input, { contexts }) => contexts;");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(curl({url + "/task/app.tasks.fail", "-H", "x-key: 1", "-H",
                  R"(x-runner-context: {"ctx":"[1,2]"})", "-d", "1"}),
            R"({"ok":true,"result":{"ctx":[1,2]}} 200)");
}

// Plugins whose functions are tasks, tools of scripts, and tools of each other.
class ServePlugins : public Serve {
 protected:
  ServePlugins() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    std::filesystem::copy_file(CORDON_TEST_GUEST_WASM, folder_.path() + "/guest.wasm");
    folder_.file("any.js",
                 "export default async ({ name, input }) => {\n"
                 "  try { return await one[name](input); }\n"
                 "  catch (error) { return { code: error.code, message: error.message }; }\n"
                 "};\n");
    folder_.file(
        "typeof.js",
        "export default async () => [typeof one.add, one.then, String(one), one.add.name,\n"
        "  await one === one, typeof one[Symbol.iterator], typeof one.hasOwnProperty];\n");
    folder_.file("cordon.json", R"({
      "providers": { "shop": { "script": "shop.js" } },
      "plugins": {
        "one": { "wasm": "guest.wasm", "timeoutMs": 20000, "callbacks": ["shop.price", "two.add", "one.add"] },
        "two": { "wasm": "guest.wasm", "functions": ["add"], "callbacks": ["one.add"] }
      },
      "tasks": {
        "add": { "plugin": "one", "function": "add",
                 "input": { "type": "array", "items": { "type": "number" }, "minItems": 2 } },
        "echo": { "plugin": "one", "function": "echo" },
        "nothing": { "plugin": "one", "function": "nothing" },
        "divide": { "plugin": "one", "function": "divide" },
        "exit": { "plugin": "one", "function": "exit" },
        "print": { "plugin": "one", "function": "print" },
        "spin": { "plugin": "one", "function": "spin", "timeoutMs": 300 },
        "hang": { "plugin": "one", "function": "hang" },
        "back": { "plugin": "one", "function": "callBack" },
        "any": { "script": "any.js", "tools": ["one"] },
        "typeof": { "script": "typeof.js", "tools": ["one"] }
      },
      "server": { "listen": "127.0.0.1:0", "auth": { "token": "secret" },
        "log": { "format": "json", "access": "access.log" },
        "expose": { "tasks": ["add", "echo", "nothing", "divide", "exit", "print", "spin", "hang", "back", "any", "typeof"] } }
    })");
  }
};

TEST_F(ServePlugins, AFunctionIsATask) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const auto sum = [&] { return call(url, "add", R"({"input":[1,2]})"); };
  EXPECT_EQ(sum(), R"({"ok":true,"result":3} 200)");
  EXPECT_EQ(call(url, "echo", R"({"input":{"a":[1,null,"x",1.5]}})"),
            R"({"ok":true,"result":{"a":[1,null,"x",1.5]}} 200)");
  EXPECT_THAT(call(url, "nothing", "{}"),
              testing::AllOf(HasSubstr(R"("ok":true)"), EndsWith(" 200")));
  EXPECT_THAT(call(url, "add", R"({"input":[1]})"),
              testing::AllOf(HasSubstr("VALIDATION_ERROR"), EndsWith(" 400")));
  EXPECT_THAT(call(url, "echo", R"({"input":{"__type":"Set","value":[1,2]}})"),
              testing::AllOf(HasSubstr("VALIDATION_ERROR"), EndsWith(" 400")));
  // Whatever goes wrong behind it, a client learns no more than that; and the next call is served.
  for (const char* way : {"divide", "exit", "print", "spin"}) {
    EXPECT_EQ(call(url, way, R"({"input":[1,0]})"),
              R"({"ok":false,"error":{"message":"Internal Error","code":"INTERNAL_ERROR"}} 500)")
        << way;
    EXPECT_EQ(sum(), R"({"ok":true,"result":3} 200)") << "after " << way;
  }
}

TEST_F(ServePlugins, CallsBackAnyToolThatItMay) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const auto back = [&](const std::string& name, const std::string& params) {
    return call(url, "back", R"({"input":{"name":")" + name + R"(","params":)" + params + "}}");
  };
  EXPECT_EQ(back("two.add", "[40,2]"), R"({"ok":true,"result":42} 200)");
  // A value that has no place in the protocol, and a tool that throws, are the guest's to bear.
  EXPECT_THAT(back("shop.price", R"({"id":"tea"})"), EndsWith(" 500"));
  EXPECT_THAT(back("shop.price", R"({"id":"none"})"), EndsWith(" 500"));
  EXPECT_THAT(back("two.divide", "[4,2]"), EndsWith(" 500")) << "this one was not named";
  EXPECT_EQ(back("two.add", "[1,2]"), R"({"ok":true,"result":3} 200)");
}

TEST_F(ServePlugins, AScriptMayCallFunctionsThatNobodyListed) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(call(url, "any", R"({"input":{"name":"add","input":[1,2]}})"),
            R"({"ok":true,"result":3} 200)");
  EXPECT_EQ(call(url, "any", R"({"input":{"name":"divide","input":[1,0]}})"),
            R"({"ok":true,"result":{"code":"tool_error","message":"Division by zero"}} 200)");
  EXPECT_THAT(call(url, "any", R"({"input":{"name":"exit","input":[3]}})"),
              HasSubstr("exited: it exited with code 3"));
  EXPECT_EQ(
      call(url, "typeof", "{}"),
      R"({"ok":true,"result":["function",{"__type":"Undefined","value":null},"[object Object]","add",true,"undefined","function"]} 200)");
}

TEST_F(ServePlugins, AClientThatLeavesKeepsNoPluginBusy) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  EXPECT_EQ(curl({url + "/task/hang", "-H", "x-runner-token: secret", "-d", "{}", "-m", "0.3"}),
            " 000");
  ASSERT_TRUE(becomes([&] { return access_log().contains("\"code\":\"REQUEST_ABORTED\""); }));
  // There is one process, and the call that it hangs in may take 20 seconds.
  EXPECT_EQ(call(url, "add", R"({"input":[1,2]})"), R"({"ok":true,"result":3} 200)");
}

TEST_F(ServePlugins, AFileThatIsNoModuleIsTold) {
  folder_.file("guest.wasm", "hello");
  const Ended wrong = cordon({.arguments = {"serve", "--check", "--config", config()}});
  EXPECT_EQ(wrong.exit_code, 64);
  EXPECT_THAT(wrong.errors, HasSubstr("guest.wasm: is no WebAssembly module"));
}

TEST_F(Serve, TakesAddressesFromTheCommandLine) {
  const std::string socket = folder_.path() + "/tunnel.sock";
  Conversation server(cordon_program(), {"serve", "--config", config(), "--listen",
                                         "unix:" + socket, "--listen", "[::1]:0"});
  EXPECT_EQ(server.receive(), "unix:" + socket);
  EXPECT_THAT(server.receive().value(), StartsWith("http://[::1]:"));
  EXPECT_THAT(curl({"--unix-socket", socket, "http://tunnel/__runner/discovery", "-H",
                    "x-runner-token: secret"}),
              HasSubstr(R"("tasks":["app.tasks.add","app.tasks.buy","app.tasks.fail"])"));
}

TEST_F(Serve, TakesOverANewFileOnHangupAndKeepsTheOldOneWhereTheNewIsWrong) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  const auto sum = [&] { return call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})"); };
  EXPECT_THAT(sum(), HasSubstr(":3}"));

  folder_.file("add.js", "export default ({ a, b }) => (a + b) * 10;");
  kill(server.process(), SIGHUP);
  EXPECT_TRUE(becomes([&] { return sum().contains(":30}"); })) << sum();

  folder_.file("add.js", "export default ({ a, b }) => (a + b) *;");
  kill(server.process(), SIGHUP);
  folder_.file("cordon.json", R"({"taks": {}})");
  kill(server.process(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_THAT(sum(), HasSubstr(":30}"));
  kill(server.process(), SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(Serve, SaysWhyAFileWasNotTakenOverAndWhatNeedsARestart) {
  const std::string socket = folder_.path() + "/operations.sock";
  int step = 0;
  const Ended ended = run(
      cordon_program(),
      {.arguments = {"serve", "--config", config()}, .meanwhile = [&](pid_t process) {
         const bool is_ready = curl({"--unix-socket", socket, "http://o/readyz"}) == "ready\n 200";
         if (!is_ready) return false;
         const std::string wrong = R"({"taks": {}})";
         std::string changed = configuration;
         changed.replace(changed.find("127.0.0.1:0"), 11, "127.0.0.1:1");
         folder_.file("cordon.json", step == 0 ? wrong : changed);
         kill(process, step == 2 ? SIGTERM : SIGHUP);
         std::this_thread::sleep_for(std::chrono::milliseconds(300));
         return ++step == 3;
       }});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.errors,
              HasSubstr(R"(cordon.json:1:2: unknown key \"taks\"; did you mean \"tasks\"?)"));
  EXPECT_THAT(ended.errors, HasSubstr("not reloaded; the old configuration stays"));
  EXPECT_THAT(ended.errors, HasSubstr("server.listen has changed, and needs a restart"));
}

TEST_F(Serve, FinishesWhatIsUnderWayBeforeItEnds) {
  folder_.file(
      "add.js",
      "export default ({ a, b }) => new Promise((done) => setTimeout(() => done(a + b), 2000));");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  std::string answer;
  std::atomic<bool> is_answered = false;
  std::thread client([&] {
    answer = call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})");
    is_answered = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  kill(server.process(), SIGTERM);
  // A client that comes now is not kept waiting.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(curl({url + "/discovery"}), " 000");
  EXPECT_FALSE(is_answered);
  client.join();
  EXPECT_EQ(answer, R"({"ok":true,"result":3} 200)");
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(Serve, LoadsScriptsAnewWhileOneWorksOnThem) {
  Conversation server(cordon_program(), {"serve", "--dev", "--config", config()});
  const std::string url = server.receive().value();
  const auto sum = [&] { return call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})"); };
  EXPECT_THAT(sum(), HasSubstr(":3}"));
  folder_.file("add.js", "export default ({ a, b }) => a - b;");
  EXPECT_TRUE(becomes([&] { return sum().contains(":-1}"); })) << sum();
}

TEST_F(Serve, SlowClientsTakeNobodysSandbox) {
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0, "\"threads\": 1, \"sandboxes\": 2,\n    ");
  folder_.file("cordon.json", text);
  folder_.file("fail.js",
               "export default async (i, { body, signal }) => {\n"
               "  let bytes = 0;\n"
               "  for await (const piece of body) bytes += piece.length;\n"
               "  return { bytes, aborted: signal.aborted };\n"
               "};\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  std::vector<std::thread> clients;
  std::vector<std::string> answers(4);
  for (std::string& answer : answers) {
    clients.emplace_back([&] {
      const std::string command =
          "(printf abc; sleep 2; printf def) | curl -s -m 10 -T - -X POST " + url +
          "/task/app.tasks.fail -H 'x-runner-token: secret'"
          " -H 'Content-Type: application/octet-stream' -H Expect:";
      answer = run("/bin/sh", {.arguments = {"-c", command}}).output;
    });
  }
  // Less than the two seconds that the clients take.
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})"), HasSubstr(":3}"));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(1000));
  for (std::thread& client : clients) client.join();
  for (const std::string& answer : answers)
    EXPECT_EQ(answer, R"({"ok":true,"result":{"bytes":6,"aborted":false}})");
}

TEST_F(Serve, ChecksEverythingBeforeAPortOpens) {
  const Ended right = cordon({.arguments = {"serve", "--check", "--config", config()}});
  EXPECT_EQ(right.exit_code, 0) << right.errors;
  EXPECT_THAT(right.output, StartsWith(config() + ": ok\n"));

  folder_.file("add.js", "export default function (");
  folder_.file("auth.js", "export const nothing = 1;");
  const Ended scripts = cordon({.arguments = {"serve", "--check", "--config", config()}});
  EXPECT_EQ(scripts.exit_code, 64);
  EXPECT_THAT(scripts.errors, HasSubstr("add.js: "));
  EXPECT_THAT(scripts.errors,
              HasSubstr("auth.js: the module has no function as its default export"));

  folder_.file("add.js", "import './types.ts'; export default () => 1;");
  folder_.file("types.ts", "enum E { A }\nexport const a = (b: number) => b +;\n");
  EXPECT_THAT(cordon({.arguments = {"serve", "--check", "--config", config()}}).errors,
              HasSubstr("add.js: Expression expected (types.ts:2:36)"));

  folder_.file("cordon.json", "{\n  \"taks\": {},\n  \"server\": {\"listen\": \"here\"}\n}");
  for (const char* option : {"--check", "--dev"}) {
    const Ended wrong = cordon({.arguments = {"serve", option, "--config", config()}});
    EXPECT_EQ(wrong.exit_code, 64);
    EXPECT_EQ(wrong.output, "");
    EXPECT_THAT(wrong.errors,
                HasSubstr("cordon.json:2:3: unknown key \"taks\"; did you mean \"tasks\"?\n"));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:3:24: server.listen: "));
  }
  const Ended json = cordon({.arguments = {"serve", "--check", "--json", "--config", config()}});
  EXPECT_EQ(json.exit_code, 64);
  const Value answer = from_json(json.output).value();
  EXPECT_FALSE(answer["ok"].value_or(true));
  EXPECT_EQ(answer["mistakes"].size(), 2u);
}

TEST_F(Serve, TellsWhatIsWrongInScriptsTogetherWithTheRest) {
  folder_.file(
      "cordon.json",
      "{\n  \"taks\": {},\n  \"tasks\": {\n    \"a\": { \"script\": \"broken.js\" },\n"
      "    \"b\": { \"script\": \"nothing.js\" },\n    \"c\": { \"script\": \"missing.js\" },\n"
      "    \"d\": { \"script\": \"broken.js\" }\n  },\n"
      "  \"server\": { \"tls\": { \"certificate\": \"add.js\", \"key\": \"add.js\" } }\n}");
  folder_.file("broken.js", "export default function (");
  folder_.file("nothing.js", "export const nothing = 1;");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"--check"}}) {
    std::vector<std::string> arguments = {"serve", "--config", config()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ended wrong = cordon({.arguments = arguments});
    EXPECT_EQ(wrong.exit_code, 64);
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:2:3: unknown key \"taks\""));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:4:22: " + folder_.path() + "/broken.js: "));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:5:22: " + folder_.path() +
                                        "/nothing.js: the module has no function"));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:6:22: tasks.c.script: the file"));
    EXPECT_THAT(wrong.errors, HasSubstr("/add.js: cannot use the certificate"));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon serve: 5 mistakes in the configuration"));
  }
  const Ended json = cordon({.arguments = {"serve", "--check", "--json", "--config", config()}});
  const Value answer = from_json(json.output).value();
  ASSERT_EQ(answer["mistakes"].size(), 6u) << json.output;  // a warning is among them
  EXPECT_EQ(answer["mistakes"][1]["line"].value_or(0), 4);
}

TEST_F(Serve, TellsScriptsAndCertificatesThatDoNotLoadWithTheirPlaces) {
  std::string text = configuration;
  text.replace(text.find("\"listen\""), 0,
               "\"tls\": { \"certificate\": \"not.pem\", \"key\": \"not.pem\" },\n    ");
  folder_.file("cordon.json", text);
  folder_.file("not.pem", "nothing");
  folder_.file("fail.js", "export const nothing = 1;");
  for (const char* option : {"--check", "--dev"}) {
    const Ended wrong = cordon({.arguments = {"serve", option, "--config", config()}});
    EXPECT_EQ(wrong.exit_code, 64);
    EXPECT_EQ(wrong.output, "");
    EXPECT_THAT(wrong.errors,
                HasSubstr("cordon.json:8:35: " + folder_.path() + "/fail.js: the module has no"));
    EXPECT_THAT(wrong.errors, HasSubstr("cordon.json:12:29: " + folder_.path() +
                                        "/not.pem: cannot use the certificate"));
  }
}

TEST_F(Serve, EndsInPeaceHoweverSoonItIsTold) {
  for (const int signal : {SIGTERM, SIGINT, SIGTERM, SIGINT}) {
    Conversation server(cordon_program(), {"serve", "--config", config()});
    ASSERT_TRUE(server.receive().has_value());
    kill(server.process(), signal);
    EXPECT_EQ(server.wait(), 0);
  }
}

TEST_F(Serve, SaysWrongUsage) {
  EXPECT_EQ(cordon({.arguments = {"serve"}, .folder = "/"}).exit_code, 64);
  EXPECT_EQ(cordon({.arguments = {"serve", "--config", folder_.path()}}).exit_code, 64);
  EXPECT_EQ(cordon({.arguments = {"serve", "--json", "--config", config()}}).exit_code, 64);
  EXPECT_EQ(cordon({.arguments = {"serve", "--listen", "here", "--config", config()}}).exit_code,
            64);
  const Ended schema = cordon({.arguments = {"serve", "--print-schema"}});
  EXPECT_EQ(schema.exit_code, 0);
  EXPECT_EQ(from_json(schema.output).value()["title"].as<std::string>(), "cordon.json");
}

TEST_F(Serve, RefusesAnAddressThatIsTaken) {
  const std::string address = "unix:" + folder_.path() + "/s";
  Conversation first(cordon_program(), {"serve", "--config", config(), "--listen", address});
  ASSERT_EQ(first.receive(), address);
  const Ended second = cordon({.arguments = {"serve", "--config", config(), "--listen", address}});
  EXPECT_EQ(second.exit_code, 70);
  EXPECT_EQ(second.output, "");
}

}  // namespace
}  // namespace cordon::e2e
