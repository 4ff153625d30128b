// `cordon emit URL EVENT` and `cordon discover URL`.

#include <string>

#include "lying_server.h"
#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Emit : public ShellTunnel {};
class Discover : public ShellTunnel {};

constexpr const char* json = "application/json";

TEST_F(Emit, PrintsThePayloadOnlyWhereItIsAskedFor) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended quiet = ask("emit", {url, "notify", R"({"id":1})"});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.errors;
  EXPECT_EQ(quiet.output + quiet.errors, "");
  EXPECT_EQ(ask("emit", {"--json", url, "notify"}).output, "{\"ok\":true}\n");
  EXPECT_EQ(ask("emit", {"--return-payload", url, "notify", R"({"id":1})"}).output,
            "{\"id\":1,\"seen\":true}\n");
  EXPECT_EQ(ask("emit", {"--return-payload", "--json", url, "notify", R"({"id":1})"}).output,
            "{\"ok\":true,\"result\":{\"id\":1,\"seen\":true}}\n");
  EXPECT_EQ(ask("emit", {"--return-payload", url, "notify"}).output, "");
  const std::string file = folder_.file("payload.json", R"({"id":2})");
  EXPECT_EQ(ask("emit", {"--return-payload", url, "notify", "@" + file}).output,
            "{\"id\":2,\"seen\":true}\n");
}

TEST_F(Emit, FailsWithWhatTheServerSays) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended parallel = ask("emit", {"--return-payload", url, "parallel"});
  EXPECT_EQ(parallel.exit_code, 1);
  EXPECT_THAT(parallel.errors, StartsWith("cordon emit: PARALLEL_EVENT_RETURN_UNSUPPORTED: "));
  EXPECT_EQ(ask("emit", {url, "parallel"}).exit_code, 0);
  EXPECT_THAT(ask("emit", {url, "nope"}).errors, StartsWith("cordon emit: NOT_FOUND: "));
}

TEST_F(Emit, PrintsNothingThatItDidNotAskFor) {
  const LyingServer generous(http_answer("200 OK", json, R"({"ok":true,"result":{"x":1}})"));
  const Ended quiet = ask("emit", {generous.url(), "e", "{}"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.output + quiet.errors, "");
  EXPECT_EQ(ask("emit", {"--json", generous.url(), "e", "{}"}).output, "{\"ok\":true}\n");
}

TEST_F(Emit, TakesNoAnswerThatIsNone) {
  const LyingServer silent(http_answer("200 OK", json, R"({"ok":true})"));
  const Ended missing = ask("emit", {"--return-payload", silent.url(), "e"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.errors, "cordon emit: bad_response: the envelope has no result\n");
  const LyingServer stream(http_answer("200 OK", "text/plain", "abc"));
  const Ended streamed = ask("emit", {stream.url(), "e"});
  EXPECT_EQ(streamed.exit_code, 2);
  EXPECT_EQ(streamed.output, "");
  EXPECT_THAT(streamed.errors, StartsWith("cordon emit: bad_response: "));
}

TEST_F(Emit, TellsWrongUsage) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {},
           {"http://127.0.0.1:1/"},
           {"http://127.0.0.1:1/", ""},
           {"http://127.0.0.1:1/", "e", "{"},
           {"http://127.0.0.1:1/", "e", "1", "2"},
           {"plugin.wasm", "e"},
           {"--file", "a=b", "http://127.0.0.1:1/", "e"},
           {"--header", "x", "http://127.0.0.1:1/", "e"},
       }) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.begin(), "emit");
    const Ended ended = cordon({.arguments = arguments});
    EXPECT_EQ(ended.exit_code, 64) << testing::PrintToString(words) << ended.errors;
    EXPECT_EQ(ended.output, "");
  }
}

TEST_F(Discover, PrintsALineForEachTaskAndEvent) {
  std::string text = shell_configuration;
  text.replace(text.find(" TLS"), 4,
               R"(, "expose": { "tasks": ["add", "with/slash and ü"], "events": ["notify"] })");
  text.replace(text.find("\"dangerouslyAllowOpenExposure\": true"), 36,
               "\"basePath\": \"/__runner\"");
  folder_.file("cordon.json", text);
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended listed = ask("discover", {url});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_EQ(listed.output, "task add\ntask with/slash and ü\nevent notify\n");
  EXPECT_EQ(ask("discover", {"--json", url}).output,
            "{\"ok\":true,\"result\":{\"enabled\":true,\"tasks\":[\"add\",\"with/slash and ü\"],"
            "\"events\":[\"notify\"]}}\n");
}

TEST_F(Discover, ListsNothingWhereThereIsNoList) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended listed = ask("discover", {url});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_EQ(listed.output + listed.errors, "");
  EXPECT_EQ(ask("discover", {"--json", url}).output,
            "{\"ok\":true,\"result\":{\"enabled\":false,\"tasks\":[],\"events\":[]}}\n");
  EXPECT_EQ(cordon({.arguments = {"discover", url}}).exit_code, 1);
}

TEST_F(Discover, TrustsNoList) {
  const auto told = [&](const std::string& list) {
    const LyingServer server(
        http_answer("200 OK", json, R"({"ok":true,"result":{"allowList":)" + list + "}}"));
    return ask("discover", {server.url()});
  };
  for (const char* list : {"null", "[]", "{}", R"({"enabled":true,"tasks":["a"]})",
                           R"({"enabled":true,"tasks":["a",1],"events":[]})"}) {
    const Ended bad = told(list);
    EXPECT_EQ(bad.exit_code, 2) << list;
    EXPECT_EQ(bad.output, "");
    EXPECT_THAT(bad.errors, StartsWith("cordon discover: bad_response: "));
  }
  EXPECT_EQ(told(R"({"enabled":true,"tasks":["a\ntask b","c\u001b"],"events":[],"more":1})").output,
            "task a\\x0atask b\ntask c\\x1b\n");
}

TEST_F(Discover, TellsWrongUsage) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"http://127.0.0.1:1/", "x"}, {"nowhere"}, {"--return-payload", "http://a/"}}) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.begin(), "discover");
    EXPECT_EQ(cordon({.arguments = arguments}).exit_code, 64) << testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace cordon::e2e
