#include "cordon/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/config/testing/imagined.h"
#include "cordon/json.h"
#include "cordon/schema/schema.h"

namespace cordon::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view whole = R"({
  // The contract's keys, and those beside them.
  "$schema": "./cordon.schema.json",
  "limits": { "timeoutMs": 1000, "memoryLimitBytes": 33554432, "maxLogLines": 10, "maxLogChars": 640 },
  "providers": { "tools": { "script": "tools.js" } },
  "mcpServers": { "files": { "command": "npx", "args": ["-y"], "env": {"KEY": {"env": "TOKEN"}} },
                  "web": { "url": "https://example.org/mcp" } },
  "tunnels": { "billing": { "url": "http://127.0.0.1:1/__runner", "token": { "file": "token" } } },
  "plugins": { "rank": { "wasm": "rank.wasm", "functions": ["rank"], "processes": 2, "timeoutMs": 1000, "callbacks": ["tools.read"],
                         "maxFrameBytes": 2048, "compile": { "timeoutMs": 500, "memoryLimitBytes": 1048576 } } },
  "contexts": ["app.ctx.tenant"],
  "tasks": { "app.tasks.add": { "script": "add.js", "input": { "type": "object" }, "tools": ["tools", "rank"],
                                "timeoutMs": 50, "memoryLimitBytes": 16777216 } },
  "events": { "app.events.notify": { "script": "notify.js", "parallel": true, "payload": true } },
  "server": {
    "listen": ["[::1]:0", "unix:run/s"], "basePath": "tunnel/",
    "auth": { "token": ["one", {"env": "TOKEN"}, {"file": "token"}], "header": "X-Token",
              "allowAnonymous": false, "validators": ["app.tasks.add"] },
    "cors": { "origin": "https://app.example", "credentials": true, "methods": [], "allowedHeaders": ["x-a"],
              "exposedHeaders": ["x-b"], "maxAge": 600 },
    "limits": { "json": { "maxSize": 1 }, "multipart": { "fileSize": 2, "files": 3, "fields": 4, "fieldSize": 5 } },
    "expose": { "tasks": ["app.tasks.add"], "events": ["app.events.notify"] },
    "deadlineMs": 9000,
    "tls": { "certificate": "cert.pem", "key": "key.pem" },
    "connections": { "max": 100, "maxPerAddress": 7, "headerBytes": 8192, "headerTimeoutMs": 1,
                     "idleTimeoutMs": 2, "stallTimeoutMs": 3, "drainTimeoutMs": 0 },
    "trustedProxies": ["10.0.0.0/8", "unix"],
    "threads": 3, "sandboxes": 4, "queue": 5, "asleep": 6,
    "metrics": { "listen": "127.0.0.1:9090" },
    "log": { "level": "warn", "format": "json", "access": "access.log" }
  }
})";

TEST(Configuration, HasTheRulesOfToolsInTheirOrder) {
  const Loaded all = loaded(R"({"providers": {"tools": {"script": "tools.js", "tools": {
      "z": {"description": "Last.", "input": true, "output": {"type": "null"}, "timeoutMs": 5,
            "maxCalls": 0, "concurrency": 2, "readOnly": true},
      "a-b": {}}}}})");
  EXPECT_TRUE(all.is_right());
  ASSERT_TRUE(all.configuration.providers[0].second.tools);
  const providers::ToolList& tools = *all.configuration.providers[0].second.tools;
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0].first, "z");
  const ToolRules& rules = tools[0].second;
  EXPECT_EQ(rules.description, "Last.");
  EXPECT_EQ(rules.input, Value(true));
  EXPECT_EQ(rules.output, Value::object({{"type", "null"}}));
  EXPECT_EQ(rules.timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(rules.max_calls, 0u);
  EXPECT_EQ(rules.concurrency, 2u);
  EXPECT_TRUE(rules.read_only);
  EXPECT_EQ(tools[1].first, "a-b");
  EXPECT_FALSE(tools[1].second.input);
}

TEST(Configuration, TakesAnyTextAsADescription) {
  const Loaded all = loaded(
      "{\"providers\": {\"tools\": {\"script\": \"tools.js\", \"tools\": {"
      "\"a\": {\"description\": \"One.\\n\\tTwo. */\\u0007\"}, \"b\": {\"description\": \"\"}}}}}");
  EXPECT_TRUE(all.is_right());
  const providers::ToolList& tools = *all.configuration.providers[0].second.tools;
  EXPECT_EQ(tools[0].second.description, "One.\n\tTwo. */\a");
  EXPECT_EQ(tools[1].second.description, "");
}

TEST(Configuration, TellsMistakesAtTheEntriesOfTools) {
  Loaded all = loaded(
      "{\"providers\": {\n\"tools\": {\"script\": \"tools.js\",\n \"tools\": {\"a\": {}}}}}");
  all.add_mistake("tools", "a", "no such function");
  all.add_mistake("tools", "", "does not load");
  ASSERT_EQ(all.mistakes.size(), 2u);
  EXPECT_EQ(to_text(all.mistakes[0], "f"), "f:3:12: no such function");
  EXPECT_EQ(to_text(all.mistakes[1], "f"), "f:2:1: does not load");
  EXPECT_THAT(
      mistakes(
          R"({"providers": {"tools": {"script": "tools.js", "tools": {"a": {"concurrency": 0}}}}})"),
      ElementsAre(HasSubstr("cordon.json:1:79: providers.tools.tools.a.concurrency: ")));
}

TEST(Configuration, HasALimitForEachClock) {
  const Configuration c = loaded(R"({
    "limits": { "timeoutMs": 7, "time": { "totalMs": 1, "cpuMs": 2 } },
    "tasks": { "app.tasks.add": { "script": "add.js", "time": { "computingMs": 3 } } },
    "events": { "app.events.notify": { "script": "add.js", "time": { "totalMs": 4 } } }
  })")
                              .configuration;
  using std::chrono::milliseconds;
  EXPECT_EQ(c.limits.timeout, milliseconds(7));
  EXPECT_EQ(c.limits.time.total, milliseconds(1));
  EXPECT_EQ(c.limits.time.computing, std::nullopt);
  EXPECT_EQ(c.limits.time.cpu, milliseconds(2));
  EXPECT_EQ(c.tasks[0].second.time.computing, milliseconds(3));
  EXPECT_EQ(c.tasks[0].second.time.total, std::nullopt);
  EXPECT_EQ(c.events[0].second.time.total, milliseconds(4));
}

TEST(Configuration, HasEveryKeyOfTheFile) {
  const Loaded all = loaded(whole);
  ASSERT_THAT(mistakes(whole), IsEmpty());
  const Configuration& c = all.configuration;
  EXPECT_EQ(c.file, "/etc/app/cordon.json");
  EXPECT_EQ(c.limits.timeout, std::chrono::seconds(1));
  EXPECT_EQ(c.limits.memory_bytes, 33'554'432u);
  EXPECT_EQ(c.limits.log_lines, 10u);
  EXPECT_EQ(c.limits.log_chars, 640u);
  ASSERT_EQ(c.providers.size(), 1u);
  EXPECT_EQ(c.providers[0].second.script, "/etc/app/tools.js");
  ASSERT_EQ(c.mcp_servers.size(), 2u);
  EXPECT_EQ(c.mcp_servers[0].second.command, "npx");
  EXPECT_THAT(c.mcp_servers[0].second.arguments, ElementsAre("-y"));
  EXPECT_EQ(c.mcp_servers[0].second.environment[0].second, "from environment");
  EXPECT_EQ(c.mcp_servers[1].second.url, "https://example.org/mcp");
  EXPECT_EQ(c.tunnels[0].second.token, "from file");
  EXPECT_EQ(c.plugins[0].second.options.wasm, "/etc/app/rank.wasm");
  EXPECT_THAT(c.plugins[0].second.functions, ElementsAre("rank"));
  EXPECT_EQ(c.plugins[0].second.options.processes, 2u);
  EXPECT_EQ(c.plugins[0].second.timeout, std::chrono::seconds(1));
  EXPECT_THAT(c.plugins[0].second.callbacks, ElementsAre("tools.read"));
  EXPECT_EQ(c.plugins[0].second.options.frame_bytes, 2048u);
  EXPECT_EQ(c.plugins[0].second.options.compile.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(c.plugins[0].second.options.compile.memory_bytes, 1u << 20);
  EXPECT_THAT(c.server.contexts, ElementsAre("app.ctx.tenant"));
  ASSERT_EQ(c.tasks.size(), 1u);
  EXPECT_EQ(c.tasks[0].first, "app.tasks.add");
  EXPECT_EQ(c.tasks[0].second.script, "/etc/app/add.js");
  EXPECT_EQ(c.tasks[0].second.input_schema, Value::object({{"type", "object"}}));
  EXPECT_THAT(c.tasks[0].second.tools, ElementsAre("tools", "rank"));
  EXPECT_EQ(c.tasks[0].second.timeout, std::chrono::milliseconds(50));
  EXPECT_EQ(c.tasks[0].second.memory_bytes, 16'777'216u);
  EXPECT_TRUE(c.events[0].second.is_parallel);
  EXPECT_EQ(c.events[0].second.payload_schema, Value(true));

  const Server& s = c.server;
  EXPECT_THAT(s.listen, ElementsAre("[::1]:0", "unix:/etc/app/run/s"));
  EXPECT_EQ(s.base_path, "/tunnel");
  EXPECT_THAT(s.auth.tokens, ElementsAre("one", "from environment", "from file"));
  EXPECT_EQ(s.auth.header, "x-token");
  EXPECT_THAT(s.auth.validators, ElementsAre("app.tasks.add"));
  EXPECT_EQ(s.cors.origin, "https://app.example");
  EXPECT_TRUE(s.cors.credentials);
  EXPECT_THAT(s.cors.allowed_headers, ElementsAre("x-a"));
  EXPECT_THAT(s.cors.exposed_headers, ElementsAre("x-b"));
  EXPECT_EQ(s.cors.max_age, 600u);
  EXPECT_EQ(s.limits.json_bytes, 1u);
  EXPECT_EQ(s.limits.multipart.file_bytes, 2u);
  EXPECT_EQ(s.limits.multipart.files, 3u);
  EXPECT_EQ(s.limits.multipart.fields, 4u);
  EXPECT_EQ(s.limits.multipart.field_bytes, 5u);
  ASSERT_TRUE(s.expose);
  EXPECT_THAT(s.expose->events, ElementsAre("app.events.notify"));
  EXPECT_EQ(s.deadline, std::chrono::seconds(9));
  EXPECT_EQ(s.tls->key, "/etc/app/key.pem");
  EXPECT_EQ(s.connections.max, 100u);
  EXPECT_EQ(s.connections.max_per_address, 7u);
  EXPECT_EQ(s.http.header_bytes, 8192u);
  EXPECT_EQ(s.http.header_timeout.count(), 1);
  EXPECT_EQ(s.http.idle_timeout.count(), 2);
  EXPECT_EQ(s.http.stall_timeout.count(), 3);
  EXPECT_EQ(s.drain_timeout.count(), 0);
  EXPECT_THAT(s.trusted_proxies, ElementsAre("10.0.0.0/8", "unix"));
  EXPECT_EQ(s.threads, 3u);
  EXPECT_EQ(s.engine.slots, 4u);
  EXPECT_EQ(s.engine.queue, 5u);
  EXPECT_EQ(s.engine.max_hibernated, 6u);
  EXPECT_EQ(s.metrics_listen, "127.0.0.1:9090");
  EXPECT_EQ(s.access_log, "/etc/app/access.log");
  EXPECT_EQ(s.log_level, LogThreshold::warn);
  EXPECT_TRUE(s.log_json);
}

// In our own options a number is that number, so the file's zeros are translated.
TEST(Configuration, TranslatesZeros) {
  const Server s = loaded(R"({"server": {"threads": 0, "sandboxes": 0, "queue": 0, "asleep": 0,
                            "connections": {"maxPerAddress": 0, "drainTimeoutMs": 0}}})")
                       .configuration.server;
  EXPECT_EQ(s.threads, Server().threads);
  EXPECT_GT(s.threads, 0u);
  EXPECT_EQ(s.engine.slots, Server().engine.slots);
  EXPECT_GT(s.engine.slots, 0u);
  EXPECT_GE(s.connections.max_per_address, s.connections.max) << "no limit";
  // These mean what they say.
  EXPECT_EQ(s.engine.queue, 0u);
  EXPECT_EQ(s.engine.max_hibernated, 0u);
  EXPECT_EQ(s.drain_timeout.count(), 0);
  EXPECT_FALSE(Server().connections.max_per_address) << "a quarter of all, unless given";
}

TEST(Configuration, ReadsLimitsOfAnswersAndMemory) {
  const Server s = loaded(R"({"server": {"limits": {"response": 2048, "memory": 1048576}}})")
                       .configuration.server;
  EXPECT_EQ(s.limits.response_bytes, 2048u);
  EXPECT_EQ(s.memory_bytes, 1'048'576u);
  EXPECT_EQ(s.limits.json_bytes, BodyLimits().json_bytes);
}

TEST(Configuration, KeepsFilesWithSecretsFromScripts) {
  const Imagined surroundings;
  const Loaded loaded = read_configuration(R"({
    "mcpServers": { "m": { "command": "x", "env": { "KEY": { "file": "secrets/../token" } } } },
    "tunnels": { "t": { "url": "http://127.0.0.1/a", "token": { "file": "token" } } },
    "providers": { "p": { "script": "tools.js" } },
    "plugins": { "r": { "wasm": "rank.wasm" } },
    "server": { "auth": { "token": ["text", { "file": "/etc/app/token" }, { "env": "TOKEN" }] },
                "tls": { "certificate": "cert.pem", "key": "key.pem" } }
  })",
                                           "/etc/app/any-name.json", surroundings);
  EXPECT_TRUE(loaded.is_right());
  EXPECT_THAT(
      loaded.configuration.private_files,
      testing::UnorderedElementsAre("/etc/app/any-name.json", "/etc/app/token", "/etc/app/token",
                                    "/etc/app/token", "/etc/app/cert.pem", "/etc/app/key.pem"));
}

TEST(Configuration, NeedsNoKeyAtAll) {
  const Loaded none = loaded("{}");
  EXPECT_TRUE(none.is_right());
  EXPECT_THAT(none.mistakes, IsEmpty());
  EXPECT_THAT(none.configuration.server.listen, ElementsAre("127.0.0.1:7070"));
  EXPECT_EQ(none.configuration.server.base_path, "/__runner");
  EXPECT_EQ(none.configuration.server.log_level, LogThreshold::debug);
}

TEST(Configuration, TellsAllMistakesAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(
      mistakes(R"({
  "limits": { "timeout": 5, "memoryLimitBytes": "64MiB" },
  "tasks": {
    "app.tasks.add": { "script": "ad.js", "tools": ["tool"] }
  },
  "server": { "listen": "7070", "expose": { "tasks": ["app.tasks.ad"] } },
  "taks": {}
})"),
      ElementsAre(
          "cordon.json:2:15: unknown key \"timeout\" in limits; did you mean \"timeoutMs\"?",
          "cordon.json:2:49: limits.memoryLimitBytes: expected a number, not a string; it is a "
          "whole number from 1 to 4294967296",
          "cordon.json:4:34: tasks[\"app.tasks.add\"].script: the file \"ad.js\" does not exist; "
          "did you mean \"add.js\"?",
          "cordon.json:4:53: tools: there is no provider, tunnel or plugin \"tool\"; there are "
          "no providers, tunnels and plugins",
          "cordon.json:6:13: warning: there is no auth, so every call is refused with 500 "
          "AUTH_NOT_CONFIGURED; set server.auth.token, validators or allowAnonymous",
          "cordon.json:6:25: server.listen: expected HOST:PORT or unix:PATH; write it as "
          "\"127.0.0.1:7070\"",
          "cordon.json:6:55: server.expose.tasks: there is no task \"app.tasks.ad\"; did you mean "
          "\"app.tasks.add\"?",
          "cordon.json:7:3: unknown key \"taks\"; did you mean \"tasks\"?"));
}

TEST(Configuration, TellsWrongTypes) {
  EXPECT_THAT(mistakes("[]"), ElementsAre("cordon.json:1:1: expected an object, not a list"));
  EXPECT_THAT(mistakes(R"({"tasks": []})"),
              ElementsAre("cordon.json:1:11: tasks: expected an object, not a list"));
  EXPECT_THAT(mistakes(R"({"contexts": "a"})"),
              ElementsAre("cordon.json:1:14: contexts: expected a list, not a string"));
  EXPECT_THAT(server_mistakes(R"({"auth": {"allowAnonymous": "yes"}})"),
              ElementsAre(HasSubstr("expected true or false, not a string")));
  EXPECT_THAT(server_mistakes(R"({"log": {"format": "jsn"}})"),
              ElementsAre(HasSubstr("unknown word \"jsn\"; did you mean \"json\"?")));
  EXPECT_THAT(mistakes(R"({"tasks": {"a": {"script": 7}}})"),
              testing::Contains(HasSubstr("tasks.a.script: expected a path, not the number 7")));
}

TEST(Configuration, TellsNumbersOutOfRange) {
  for (const char* wrong : {"0", "-1", "1.5", "1e400", "2147483648"}) {
    SCOPED_TRACE(wrong);
    EXPECT_THAT(mistakes(std::string(R"({"limits": {"timeoutMs": )") + wrong + "}}"),
                ElementsAre(HasSubstr("it is a whole number from 1 to 2147483647")));
  }
}

TEST(Configuration, TellsDuplicateKeysAndBrokenText) {
  EXPECT_THAT(mistakes("{\"limits\": {},\n \"limits\": {}}"),
              ElementsAre(HasSubstr(":2:2: the key \"limits\" is there twice")));
  EXPECT_THAT(mistakes("{\n  \"limits\": {},\n}"), ElementsAre(HasSubstr(":3:1: expected a key")));
}

TEST(Configuration, TellsWhatIsMissing) {
  EXPECT_THAT(mistakes(R"({"providers": {"a": {}}})"),
              ElementsAre(HasSubstr("providers.a: the key \"script\" is missing")));
  EXPECT_THAT(server_mistakes(R"({"tls": {"certificate": "cert.pem"}})"),
              ElementsAre(HasSubstr("server.tls: the key \"key\" is missing")));
  EXPECT_THAT(
      mistakes(R"({"mcpServers": {"a": {}, "b": {"command": "x", "url": "http://b"}}})"),
      ElementsAre(HasSubstr("has no command and no url"), HasSubstr("has a command and a url")));
}

TEST(Configuration, TellsSecretsThatAreNotThere) {
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": {"env": "TOKN"}}})"),
              ElementsAre(HasSubstr("server.auth.token: the environment has no TOKN")));
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": {"env": "NOTHING"}}})"),
              ElementsAre(HasSubstr("the variable NOTHING is empty")));
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": ["", {"file": "tokn"}, {"file": "empty"}]}})"),
              ElementsAre(HasSubstr("token[0]: is empty"),
                          HasSubstr("token[1]: the file \"tokn\" does not exist"),
                          HasSubstr("token[2]: the file \"empty\" is empty")));
  EXPECT_THAT(
      server_mistakes(R"({"auth": {"token": {"enb": "TOKEN"}}})"),
      ElementsAre(HasSubstr("unknown key \"enb\" in server.auth.token; did you mean \"env\"?")));
  EXPECT_THAT(server_mistakes(R"({"auth": {"token": 7}})"),
              ElementsAre(HasSubstr("expected a string")));
}

TEST(Configuration, NeverRepeatsASecret) {
  for (const std::string& one :
       server_mistakes(R"({"auth": {"token": ["hunter2\n", {"hunter3": "x"}]}})")) {
    EXPECT_THAT(one, testing::Not(HasSubstr("hunter2")));
  }
}

TEST(Configuration, TellsToolsThatNobodyHas) {
  const auto with_tools = [](const std::string& tools) {
    return mistakes(
        R"({"providers": {"files": {"script": "tools.js"}}, "tunnels": {"billing": {"url": "http://a"}},
      "mcpServers": {"web": {"url": "http://b"}}, "server": {"auth": {"allowAnonymous": true},
      "expose": {"tasks": ["t"]}}, "tasks": {"t": {"script": "add.js", "tools": )" +
        tools + "}}}");
  };
  EXPECT_THAT(with_tools(R"(["files"])"), IsEmpty());
  EXPECT_THAT(with_tools(R"(["fils"])"),
              ElementsAre(HasSubstr("no provider, tunnel or plugin \"fils\"; did you mean "
                                    "\"files\"?")));
  EXPECT_THAT(with_tools(R"(["billing", "web"])"),
              ElementsAre(HasSubstr("warning: tools: \"web\" is an MCP server, which cannot")));
}

TEST(Configuration, NeedsNoListOfAPluginsFunctions) {
  EXPECT_THAT(
      mistakes(R"({"plugins": {"rank": {"wasm": "rank.wasm"}}, "server": {"auth": {"token": "x"},
      "expose": {"tasks": ["t"]}}, "tasks": {"t": {"script": "add.js", "tools": ["rank"]}}})"),
      IsEmpty());
}

TEST(Configuration, TakesAPluginsFunctionAsATask) {
  const auto with_task = [](const std::string& task) {
    return mistakes(
        R"({"plugins": {"rank": {"wasm": "rank.wasm"}}, "server": {"auth": {"token": "x"},
        "expose": {"tasks": ["t"]}}, "tasks": {"t": )" +
        task + "}}");
  };
  EXPECT_THAT(with_task(R"({"plugin": "rank", "function": "f", "timeoutMs": 5, "input": {}})"),
              IsEmpty());
  EXPECT_THAT(with_task(R"({"script": "add.js", "tools": ["rank"]})"), IsEmpty());
  EXPECT_THAT(with_task(R"({"script": "add.js", "plugin": "rank", "function": "f"})"),
              ElementsAre(HasSubstr("tasks.t: has a script and a plugin; a task has one of them: "
                                    "remove the other")));
  EXPECT_THAT(with_task("{}"), ElementsAre(HasSubstr("tasks.t: has no script and no plugin")));
  EXPECT_THAT(with_task(R"({"plugin": "rank"})"),
              ElementsAre(HasSubstr("tasks.t: has a plugin and no function")));
  EXPECT_THAT(with_task(R"({"plugin": "rnk", "function": "f"})"),
              ElementsAre(HasSubstr("there is no plugin \"rnk\"; did you mean \"rank\"?")));
  EXPECT_THAT(with_task(R"({"plugin": "rank", "function": "f", "tools": ["rank"]})"),
              ElementsAre(HasSubstr("tools goes with a script")));
  EXPECT_THAT(with_task(R"({"script": "add.js", "function": "f"})"),
              ElementsAre(HasSubstr("function goes with a plugin")));
}

TEST(Configuration, ReadsHowValuesLeave) {
  const auto with_values = [](const std::string& of_all, const std::string& of_task) {
    return R"({"values": )" + of_all + R"(, "server": {"auth": {"token": "x"}},
        "providers": {"tools": {"script": "tools.js", "values": "rich"}},
        "tasks": {"t": {"script": "add.js", "values": )" +
           of_task + "}}}";
  };
  const Configuration c = loaded(with_values(R"("json")", R"("rich")")).configuration;
  EXPECT_EQ(c.values, ValueRule::json);
  EXPECT_EQ(c.providers[0].second.values, ValueRule::rich);
  EXPECT_EQ(c.tasks[0].second.values, ValueRule::rich);
  EXPECT_EQ(loaded("{}").configuration.values, ValueRule::rich);
  EXPECT_THAT(mistakes(with_values(R"("jsn")", "1")),
              testing::IsSupersetOf({HasSubstr("unknown word \"jsn\"; did you mean \"json\"?"),
                                     HasSubstr("tasks.t.values: expected a word")}));
}

TEST(Configuration, TellsOneNameForTwoThings) {
  EXPECT_THAT(
      mistakes(
          R"({"providers": {"a": {"script": "tools.js"}}, "tunnels": {"a": {"url": "http://a"}}})"),
      ElementsAre(HasSubstr("tunnels: the name \"a\" is taken")));
  EXPECT_THAT(mistakes(R"({"providers": {"a-b": {"script": "tools.js"}}})"),
              ElementsAre(HasSubstr("\"a-b\" is no name in JavaScript")));
}

TEST(Configuration, TellsWrongCallbacks) {
  EXPECT_THAT(
      mistakes(R"({"providers": {"files": {"script": "tools.js"}},
      "plugins": {"rank": {"wasm": "rank.wasm", "callbacks": ["files.read", "files", "fils.read", "rank.x", "sort.a", "sort.b"]},
                  "sort": {"wasm": "rank.wasm", "functions": ["a"]}}})"),
      ElementsAre(HasSubstr("\"files\" names no tool"), HasSubstr("did you mean \"files\"?"),
                  HasSubstr("the plugin \"sort\" does not list \"b\"")));
}

TEST(Configuration, TellsIdsThatAreExposedButNotThere) {
  EXPECT_THAT(
      mistakes(
          R"({"tasks": {"t": {"script": "add.js"}}, "server": {"auth": {"token": "x", "validators": ["c"]},
      "expose": {"tasks": ["u"], "events": ["e"]}}})"),
      ElementsAre(HasSubstr("warning: server.auth.validators: there is no task \"c\", so it "
                            "lets nobody in"),
                  HasSubstr("server.expose.tasks: there is no task \"u\""),
                  HasSubstr("server.expose.events: there is no event \"e\"; there are no events")));
}

TEST(Configuration, TellsTheLineOfAWrongSchema) {
  EXPECT_THAT(
      mistakes("{\"server\": {\"expose\": {\"tasks\": [\"t\"]}, \"auth\": {\"token\": \"x\"}},\n"
               " \"tasks\": {\"t\": {\"script\": \"add.js\", \"input\": {\n"
               "  \"properties\": {\"a\": {\"type\": \"strin\"}}}}}}"),
      ElementsAre(
          HasSubstr("cordon.json:3:32: tasks.t.input.properties.a.type: \"strin\" is no type of "
                    "JSON Schema; did you mean \"string\"?")));
}

TEST(Configuration, WarnsAndGoesOn) {
  const Loaded credentials = loaded(R"({"server": {"cors": {"credentials": true}}})");
  EXPECT_TRUE(credentials.is_right());
  EXPECT_THAT(
      server_mistakes(R"({"cors": {"credentials": true}})"),
      ElementsAre(
          "cordon.json:1:37: warning: server.cors: without an origin no "
          "Access-Control-Allow-Origin is sent, and browsers refuse the answers; name the origin"));
  EXPECT_THAT(mistakes(R"({"tasks": {"t": {"script": "add.js"}}})"),
              ElementsAre(HasSubstr("warning: nothing is exposed")));
  EXPECT_THAT(
      server_mistakes(
          R"({"listen": "0.0.0.0:1", "auth": {"allowAnonymous": true}, "dangerouslyAllowOpenExposure": true})"),
      ElementsAre(HasSubstr("warning: everybody who reaches 0.0.0.0:1 may call")));
  EXPECT_THAT(server_mistakes(R"({"expose": {}, "dangerouslyAllowOpenExposure": true})"),
              ElementsAre(HasSubstr("does nothing beside server.expose")));
}

TEST(Configuration, GivesBasePathsOneForm) {
  for (const auto& [written, normal] :
       {std::pair("/a/b/", "/a/b"), {"a", "/a"}, {"/", ""}, {"", ""}}) {
    const std::string text = std::string(R"({"server": {"basePath": ")") + written + "\"}}";
    EXPECT_EQ(loaded(text).configuration.server.base_path, normal) << written;
    EXPECT_THAT(mistakes(text), IsEmpty());
  }
}

TEST(Configuration, TellsListenersThatCollide) {
  EXPECT_THAT(server_mistakes(R"({"listen": "127.0.0.1:1", "metrics": {"listen": "127.0.0.1:1"}})"),
              ElementsAre(HasSubstr("the tunnel listens there")));
  EXPECT_THAT(server_mistakes(R"({"listen": []})"),
              ElementsAre(HasSubstr("server.listen: is empty")));
}

TEST(Configuration, KnowsTheThreeWaysOfAnOrigin) {
  EXPECT_EQ(loaded(R"({"server": {"cors": {"origin": "*"}}})").configuration.server.cors.origin,
            "*");
  EXPECT_THAT(*loaded(R"({"server": {"cors": {"origin": ["https://a", "https://b"]}}})")
                   .configuration.server.cors.origins,
              ElementsAre("https://a", "https://b"));
  EXPECT_THAT(server_mistakes(R"({"cors": {"origin": "app.example"}})"),
              ElementsAre(HasSubstr("an origin has a scheme and a host")));
}

TEST(Configuration, ReadsAFileAndItsOwnFolder) {
  const Result<Loaded> example = load_configuration("no/such/cordon.json");
  ASSERT_FALSE(example);
  EXPECT_EQ(example.error().message, "does not exist");
  EXPECT_FALSE(load_configuration("src"));
}

// The schema for editors comes from the same description, so what one accepts the other does.
TEST(EditorSchema, AgreesWithTheReader) {
  const Value description = editor_schema();
  const Result<schema::Schema> schema = schema::Schema::compile(description);
  ASSERT_TRUE(schema) << schema.error();
  EXPECT_EQ(description["$schema"].as<std::string>(),
            "https://json-schema.org/draft/2020-12/schema");

  // JSON has no comments.
  std::string plain(whole);
  plain.replace(plain.find("//"), plain.find('\n', plain.find("//")) - plain.find("//"), "");
  EXPECT_THAT(schema->check(from_json(plain).value()), IsEmpty());
  for (const char* wrong :
       {R"({"taks": {}})", R"({"limits": {"timeoutMs": 0}})", R"({"providers": {"a": {}}})",
        R"({"server": {"auth": {"token": 7}}})", R"({"server": {"auth": {"token": {"enb": "X"}}}})",
        R"({"server": {"log": {"format": "xml"}}})", R"({"tasks": []})",
        R"({"server": {"tls": {}}})"}) {
    SCOPED_TRACE(wrong);
    EXPECT_FALSE(schema->check(from_json(wrong).value()).empty());
    EXPECT_FALSE(loaded(wrong).is_right());
  }
}

void expect_described(const ValueView& schema, const std::string& path, std::size_t& keys) {
  for (const Member& member : schema.find("properties").members()) {
    const std::string name = path + "." + std::string(member.key());
    ++keys;
    EXPECT_FALSE(member.value.find("description").as_string().empty()) << name;
    expect_described(member.value, name, keys);
  }
  if (schema.contains("additionalProperties")) {
    expect_described(schema.find("additionalProperties"), path + ".*", keys);
  }
}

TEST(EditorSchema, DescribesEveryKeyAndShowsDefaults) {
  const Value schema = editor_schema();
  std::size_t keys = 0;
  expect_described(schema, "", keys);
  EXPECT_GT(keys, 70u);
  const auto default_of = [&](std::string_view group, std::string_view key) {
    return schema["properties"][group]["properties"][key]["default"];
  };
  EXPECT_EQ(default_of("limits", "timeoutMs"), ValueView(5000));
  EXPECT_EQ(default_of("server", "listen"), "127.0.0.1:7070");
  EXPECT_EQ(default_of("server", "dangerouslyAllowOpenExposure"), ValueView(false));
}

}  // namespace
}  // namespace cordon::config
