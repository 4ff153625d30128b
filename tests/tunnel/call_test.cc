// `cordon call URL TASK`: what is printed, and how it ends.

#include <csignal>
#include <string>
#include <thread>

#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* cancelled_line =
    "{\"ok\":false,\"error\":{\"code\":\"cancelled\",\"message\":\"it was interrupted\"}}\n";

class CallTunnel : public ShellTunnel {};

TEST_F(CallTunnel, PrintsTheResultAsALineOfRunnerText) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended sum = call({url, "add", R"({"a": 1, "b": 2})"});
  EXPECT_EQ(sum.output, "3\n") << sum.errors;
  EXPECT_EQ(sum.errors, "");
  EXPECT_EQ(sum.exit_code, 0);
  EXPECT_EQ(call({url + "/", "with/slash and ü", R"({"a": 1, "b": 2})"}).output, "3\n");
  EXPECT_EQ(call({url, "same", "[1, [2]]"}).output, "[1,[2]]\n");
  EXPECT_EQ(call({url, "same", R"("a\nb")"}).output, "\"a\\nb\"\n");
  EXPECT_EQ(call({"--json", url, "same", R"("ü")"}).output, "{\"ok\":true,\"result\":\"ü\"}\n");
  // A task without a result prints nothing.
  EXPECT_EQ(call({url, "same"}).output, "");
  EXPECT_EQ(call({"--json", url, "same"}).output, "{\"ok\":true}\n");
  EXPECT_EQ(call({"--json", url, "same", "null"}).output, "{\"ok\":true,\"result\":null}\n");
}

TEST_F(CallTunnel, KeepsTheTypesOfValues) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  EXPECT_EQ(call({url, "odd", "\"date\""}).output,
            "{\"when\":{\"__type\":\"Date\",\"value\":\"1970-01-01T00:00:00.000Z\"},"
            "\"map\":{\"__type\":\"Map\",\"value\":[[1,2]]}}\n");
  EXPECT_EQ(call({url, "odd", "\"bigint\""}).output, "{\"__type\":\"BigInt\",\"value\":\"1\"}\n");
  EXPECT_EQ(call({url, "same", R"({"__type": "BigInt", "value": "7"})"}).output,
            "{\"__type\":\"BigInt\",\"value\":\"7\"}\n");
  // What contains itself is a graph, and a program finds `ok` all the same.
  EXPECT_THAT(call({url, "odd", "\"cycle\""}).output, StartsWith("{\"__graph\":true,"));
  EXPECT_THAT(call({"--json", url, "odd", "\"cycle\""}).output,
              StartsWith("{\"ok\":true,\"result\":{\"__graph\":true,"));
  const std::string graph = call({url, "odd", "\"cycle\""}).output;
  EXPECT_EQ(call({url, "same", graph}).output, graph);
}

TEST_F(CallTunnel, TakesTheTokenFromTheEnvironmentToo) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const auto with = [&](const std::string& token) {
    return cordon({.arguments = {"call", "--token-env", "TUNNEL_TOKEN", url, "same", "1"},
                   .environment = {{"TUNNEL_TOKEN", token}}});
  };
  EXPECT_EQ(with("secret").output, "1\n");
  const Ended wrong = with("wrong");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_EQ(wrong.output, "");
  EXPECT_EQ(wrong.errors, "cordon call: UNAUTHORIZED: Unauthorized\n");
  const Ended none = cordon(
      {.arguments = {"call", "--json", "--header", "x-runner-request-id: r1", url, "same", "1"}});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.output,
            "{\"ok\":false,\"error\":{\"code\":\"UNAUTHORIZED\",\"message\":\"Unauthorized\","
            "\"status\":401,\"requestId\":\"r1\"}}\n");
  EXPECT_EQ(none.errors, "");
}

TEST_F(CallTunnel, FailsWithWhatTheServerSays) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended secret = call({url, "fail"});
  EXPECT_EQ(secret.exit_code, 1);
  EXPECT_EQ(secret.output, "");
  EXPECT_EQ(secret.errors, "cordon call: INTERNAL_ERROR: Internal Error\n");
  const Ended typed = call({url, "fail", "1"});
  EXPECT_EQ(typed.exit_code, 1);
  EXPECT_EQ(typed.output, "");
  EXPECT_EQ(typed.errors, "cordon call: INTERNAL_ERROR (app.errors.funds): too little\\x1b[2J\n");
  EXPECT_THAT(call({"--json", url, "fail", "1"}).output,
              AllOf(StartsWith("{\"ok\":false,\"error\":{\"code\":\"INTERNAL_ERROR\","),
                    HasSubstr("\"id\":\"app.errors.funds\",\"data\":{\"need\":7},\"requestId\":")));
  EXPECT_THAT(call({url, "nope"}).errors, HasSubstr("NOT_FOUND"));
  EXPECT_EQ(call({url, "nope"}).exit_code, 1);
}

TEST_F(CallTunnel, StreamsBytesToStandardOutput) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended streamed = call({url, "stream", "30"});
  EXPECT_EQ(streamed.exit_code, 0) << streamed.errors;
  ASSERT_EQ(streamed.output.size(), 1'500'000u);
  EXPECT_EQ(streamed.output.substr(49'999, 2), "AB");
  EXPECT_EQ(streamed.output.back(), 'D');
  EXPECT_EQ(streamed.errors, "");
  const Ended told = call({"--json", url, "stream", "30"});
  EXPECT_EQ(told.output == streamed.output, true);
  EXPECT_EQ(told.errors, "{\"ok\":true,\"bytes\":1500000}\n");
}

TEST_F(CallTunnel, EndsAtItsTimeout) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const Ended late = call({"--timeout", "200", "--json", url, "slow"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_EQ(late.output,
            "{\"ok\":false,\"error\":{\"code\":\"timeout\",\"message\":\"it took longer than 200 "
            "ms\"}}\n");
  EXPECT_LT(late.took, std::chrono::seconds(5));
  const Ended no_input =
      cordon({.arguments = with_token("call", {"--timeout", "300", "--json", url, "same", "-"}),
              .input = "[1",
              .keeps_input_open = true});
  EXPECT_EQ(no_input.exit_code, 2);
  EXPECT_THAT(no_input.output, HasSubstr("it took longer than 300 ms"));
  // Also where it waits for a stream, which has no end.
  const Ended waits = cordon(
      {.arguments = with_token("call", {"--timeout", "300", url, "count", "--stream-in", "-"}),
       .input = "abc",
       .keeps_input_open = true});
  EXPECT_EQ(waits.exit_code, 2);
  EXPECT_EQ(waits.errors, "cordon call: timeout: it took longer than 300 ms\n");
  EXPECT_LT(waits.took, std::chrono::seconds(5));
}

TEST_F(CallTunnel, EndsByASignal) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{url, "slow"},
                                               {"--json", url, "slow"},
                                               {"--json", url, "count", "--stream-in", "-"},
                                               {url, "same", "-"},
                                               {"--json", url, "same", "-"}}) {
      const Ended interrupted =
          run(cordon_program(), {.arguments = with_token("call", words),
                                 .keeps_input_open = true,
                                 .meanwhile = [signal](pid_t process) {
                                   if (!blocks(process, SIGINT)) return false;
                                   std::this_thread::sleep_for(std::chrono::milliseconds(100));
                                   kill(process, signal);
                                   return true;
                                 }});
      EXPECT_EQ(interrupted.exit_code, 130) << words.back();
      EXPECT_EQ(interrupted.output, words.front() == "--json" ? cancelled_line : "");
      EXPECT_LT(interrupted.took, std::chrono::seconds(5));
    }
  }
}

TEST_F(CallTunnel, TellsThatNothingCanBeWritten) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  for (const Stream output : {Stream::full_device, Stream::closed_pipe, Stream::closed}) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{url, "stream", "30"}, {url, "same", "1"}}) {
      const Ended ended = cordon({.arguments = with_token("call", words), .output = output});
      EXPECT_EQ(ended.exit_code, 70) << words[1];
      EXPECT_THAT(ended.errors, StartsWith("cordon call: cannot write to standard output: "));
      std::vector<std::string> with_json = words;
      with_json.insert(with_json.begin(), "--json");
      const Ended told = cordon({.arguments = with_token("call", with_json), .output = output});
      EXPECT_EQ(told.exit_code, 70) << words[1];
      EXPECT_THAT(told.errors, StartsWith("{\"ok\":false,\"error\":{\"code\":\"io\","
                                          "\"message\":\"cannot write to standard output: "));
    }
  }
}

TEST_F(CallTunnel, ShowsNoControlCharactersOnATerminal) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string text = "\"a\\u001b\u009b\x7f\"";
  EXPECT_EQ(call({url, "same", text}).output, text + "\n") << "programs get it as it is";
  const Ended shown =
      cordon({.arguments = with_token("call", {url, "same", text}), .output = Stream::terminal});
  EXPECT_EQ(shown.output, "\"a\\u001b\\u009b\\u007f\"\r\n");
}

TEST_F(CallTunnel, NamesTheOptionWhoseHeaderIsWrong) {
  const auto told = [this](const char* header) {
    return call({"--header", header, "http://127.0.0.1:1/", "add"}).errors;
  };
  EXPECT_THAT(told("x: a\r\ny: b"), StartsWith("cordon call: --header: x has control characters"));
  EXPECT_THAT(told("a b: 1"), StartsWith("cordon call: --header: 'a b' is no name of a header"));
  EXPECT_THAT(told("Host: a"),
              StartsWith("cordon call: --header: the header host is not the caller's to set"));
}

TEST_F(CallTunnel, TellsWrongUsageBeforeItSends) {
  const std::string url = "http://127.0.0.1:1/__runner";
  const std::string file = folder_.file("file", "abc");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {url},
           {url, ""},
           {url, "add", "1", "2"},
           {url, std::string(5'000, 'x')},
           // JSON
           {url, "add", "{"},
           {url, "add", ""},
           {url, "add", "NaN"},
           {url, "add", R"({"__type":"NoSuchType","value":1})"},
           {url, "add", R"({"__type":"BigInt","value":"x"})"},
           {url, "add", "@/nowhere"},
           {url, "add", "@"},
           {url, "add", "@" + folder_.path()},
           {url, "add", "@" + folder_.file("bad.json", "[1,]")},
           {url, "add", "@" + folder_.file("no.json", "\xff")},
           {url, "add", "-"},  // an empty input is no JSON
           // Options
           {"--timeout", "0", url, "add"},
           {"--max-response", "0", url, "add"},
           {"--max-response", "1.5", url, "add"},
           {"--allow", "x", url, "add"},
           {"--stats", url, "add"},
           {"--no-response", url, "add"},
           {"--memory", "1GiB", url, "add"},
           {"--runner", url, "add"},
           {"--token-env", "NO_SUCH_VARIABLE", url, "add"},
           {"--token-env", "HOME", "--token-file", "/dev/null", url, "add"},
           {"--token-file", "/nowhere", url, "add"},
           {"--token-file", "/dev/null", url, "add"},
           {"--token-file", folder_.file("odd", "a\x01"), url, "add"},
           {"--header", "no colon", url, "add"},
           {"--header", ": no name", url, "add"},
           {"--header", "a b: 1", url, "add"},
           {"--header", "x: a\r\ny: b", url, "add"},
           {"--header", "Content-Length: 1", url, "add"},
           {"--header", "transfer-encoding: chunked", url, "add"},
           {"--header", "Host: elsewhere", url, "add"},
           {"--header", "", url, "add"},
           {"--token-file", folder_.path() + "/token", "--header", "X-Runner-Token: b", url, "add"},
           // URLs
           {"http://", "add"},
           {"ftp://127.0.0.1/", "add"},
           {"file:///tmp/x", "add"},
           {"ws://127.0.0.1/", "add"},
           {"http://user:password@host/", "add"},
           {"http://user@host/", "add"},
           {"http://host:99999/", "add"},
           {"http://host:0/", "add"},
           {"http://host/?a=b", "add"},
           {"http://host/#a", "add"},
           {"http://ho st/", "add"},
           {"unix:", "add"},
           {"unix:user:password@/x", "add"},
           {"unix:/" + std::string(200, 'x'), "add"},
           // Files
           {"--file", "a", url, "add"},
           {"--file", "a=", url, "add"},
           {"--file", "=" + file, url, "add"},
           {"--file", "a..b=" + file, url, "add"},
           {"--file", "a=/nowhere", url, "add"},
           {"--file", "a=" + folder_.path(), url, "add"},
           {"--file", "a=" + file, "--file", "a=" + file, url, "add"},
           {"--file", "a=" + file, "--file", "a.b=" + file, url, "add"},
           {"--file", "a.b=" + file, url, "add", R"({"a":1})"},
           {"--file", "a.b=" + file, url, "add", R"({"a":null})"},
           {"--file", "a=" + file, url, "add", "7"},
           {"--file", "a=" + file, url, "add", "[]"},
           {"--stream-in", file, url, "add", "1"},
           {"--stream-in", "-", url, "add", "-"},
           {"--stream-in", file, "--file", "a=" + file, url, "add"},
           {"--stream-in", "/nowhere", url, "add"},
           {"--stream-in", folder_.path(), url, "add"},
           {"--stream-in", "", url, "add"},
           // What is for tunnels alone
           {"--max-response", "1", "plugin.wasm", "add"},
           {"--file", "a=" + file, "plugin.wasm", "add"},
           {"--header", "a: b", "plugin.wasm", "add"},
           {"--stream-in", file, "--command", "true", "add"},
           {"--token-env", "HOME", "--command", "true", "add"},
       }) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.begin(), {"call", "--json"});
    const Ended ended = cordon({.arguments = arguments});
    EXPECT_EQ(ended.exit_code, 64) << testing::PrintToString(words) << ended.errors;
    EXPECT_EQ(ended.output, "") << testing::PrintToString(words);
    EXPECT_THAT(ended.errors, StartsWith("cordon call: ")) << testing::PrintToString(words);
    EXPECT_THAT(ended.errors, testing::Not(HasSubstr("password@")));
  }
}

TEST_F(CallTunnel, SaysWhatToWriteInstead) {
  const std::string url = "http://127.0.0.1:1/__runner";
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "call");
    return cordon({.arguments = words}).errors;
  };
  EXPECT_THAT(said({url, "add", "[1,]"}), HasSubstr("JSON: "));
  EXPECT_THAT(said({url, "add", "[1,]"}), HasSubstr("column 4"));
  EXPECT_THAT(said({"ftp://host/", "add"}), HasSubstr("http://, https:// or unix:"));
  EXPECT_THAT(said({"--file", "a=/nowhere", url, "add"}),
              HasSubstr("--file: cannot read '/nowhere': "));
  EXPECT_THAT(said({"--token-env", "NO_SUCH_VARIABLE", url, "add"}),
              HasSubstr("the variable NO_SUCH_VARIABLE is not set"));
  EXPECT_THAT(said({"--header", "Content-Length: 1", url, "add"}),
              HasSubstr("content-length is not the caller's to set"));
  EXPECT_THAT(said({"--file", "a.b=" + folder_.file("f", ""), url, "add", "{\"a\":7}"}),
              HasSubstr("the way to a.b leads through a number"));
}

}  // namespace
}  // namespace cordon::e2e
