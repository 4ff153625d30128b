// `cordon call URL TASK`: where its input comes from.

#include <chrono>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>

#include "lying_server.h"
#include "shell_fixture.h"
#include <gmock/gmock.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class CallInput : public ShellTunnel {
 protected:
  // What is sent by a call with these words, which a server takes that answers {"ok":true}.
  std::string sent(std::vector<std::string> words) {
    const LyingServer server(
        http_answer("200 OK", "application/json; charset=utf-8", R"({"ok":true})"));
    words.insert(words.begin() + 1, server.url() + "//");
    const Ended ended =
        cordon({.arguments = with_token(words.front(), {words.begin() + 1, words.end()})});
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    EXPECT_EQ(server.connections(), 1);
    return server.request();
  }
};

TEST_F(CallInput, IsSentAsTheProtocolSays) {
  const std::string request = sent({"call", "a/b ü", "{\"x\": 1}", "--header", "X-Trace: 1",
                                    "--header", "Authorization:Bearer a:b "});
  EXPECT_THAT(request, StartsWith("POST /base/task/a%2Fb%20%C3%BC HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nx-runner-token: secret\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nx-trace: 1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nauthorization: Bearer a:b\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\ncontent-type: application/json; charset=utf-8\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\n\r\n{\"input\":{\"x\":1}}"));
  EXPECT_THAT(sent({"call", "a"}),
              HasSubstr("\r\n\r\n{\"input\":{\"__type\":\"Undefined\",\"value\":null}}"));
  EXPECT_THAT(sent({"emit", "a.b", "1"}), HasSubstr("\r\n\r\n{\"payload\":1}"));
  EXPECT_THAT(sent({"emit", "a.b", "1"}), StartsWith("POST /base/event/a.b HTTP/1.1\r\n"));
}

TEST_F(CallInput, ComesFromAFileOrFromStandardInput) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string file = folder_.file("in.json",
                                        " [1,\n{\"__type\":\"Date\",\"value\":"
                                        "\"1970-01-01T00:00:00.000Z\"}]\n");
  const std::string expected = "[1,{\"__type\":\"Date\",\"value\":\"1970-01-01T00:00:00.000Z\"}]\n";
  EXPECT_EQ(call({url, "same", "@" + file}).output, expected);
  EXPECT_EQ(cordon({.arguments = with_token("call", {url, "same", "-"}), .input = expected}).output,
            expected);
  EXPECT_EQ(call({url, "same", "-1"}).output, "-1\n") << "a number";
  EXPECT_EQ(call({url, "same", "\"@x\""}).output, "\"@x\"\n");
}

TEST_F(CallInput, HasFilesAtItsPlaces) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string text = folder_.file("some text.TXT", "hello");
  EXPECT_EQ(call({url, "names", "--file", "file=" + text}).output,
            "\"some text.TXT text/plain 5 5\"\n");
  EXPECT_EQ(call({url, "names", "--file", ".=" + text}).output,
            "\"some text.TXT text/plain 5 5\"\n");
  const std::string odd = folder_.file("a \"b\"=ü;%.bin", std::string(300'000, 'x'));
  EXPECT_EQ(call({url, "names", R"({"more":[1]})", "--file", "file=" + odd}).output,
            "\"a \\\"b\\\"=ü;%.bin application/octet-stream 300000 300000\"\n");
  // A pipe has no size that anybody knows before.
  const Ended piped =
      run("/bin/bash",
          {.arguments = {"-c", cordon_program() + " call --token-file " + folder_.path() +
                                   "/token " + url + " names --file file=<(printf hello)"}});
  EXPECT_THAT(piped.output, HasSubstr(" application/octet-stream  5\"\n")) << piped.errors;
}

TEST_F(CallInput, HasFilesOfALimitedSizeOnTheServer) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string large = folder_.file("large", std::string(21 << 20, 'x'));
  const Ended refused = call({"--json", url, "names", "--file", "file=" + large});
  EXPECT_EQ(refused.exit_code, 1) << refused.output << refused.errors;
  EXPECT_THAT(refused.output, HasSubstr("\"code\":\"PAYLOAD_TOO_LARGE\""));
}

TEST_F(CallInput, IsAStream) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string bytes = std::string(3'000'000, 'x') + "the end";
  const std::string file = folder_.file("bytes", bytes);
  EXPECT_EQ(call({url, "count", "--stream-in", file}).output, "3000007\n");
  EXPECT_EQ(call({url, "count", "--stream-in", "/dev/null"}).output, "0\n");
  const Ended echoed =
      cordon({.arguments = with_token("call", {"--json", url, "echo", "--stream-in", "-"}),
              .input = bytes});
  EXPECT_EQ(echoed.exit_code, 0) << echoed.errors;
  EXPECT_EQ(echoed.output == bytes, true);
  EXPECT_EQ(echoed.errors, "{\"ok\":true,\"bytes\":3000007}\n");
  // A file on standard input begins where it stands.
  const Ended rest =
      run("/bin/bash",
          {.arguments = {"-c", "{ dd bs=1000000 count=3 of=/dev/null status=none; " +
                                   cordon_program() + " call --token-file " + folder_.path() +
                                   "/token " + url + " echo --stream-in -; } < " + file}});
  EXPECT_EQ(rest.output, "the end") << rest.errors;
}

TEST_F(CallInput, IsAllThatIsReadOfAFileThatSaysItIsEmpty) {
  Conversation server = serve();
  const std::string url = server.receive().value();
  const std::string size =
      std::to_string(run("/bin/bash", {.arguments = {"-c", "cat /proc/version"}}).output.size());
  EXPECT_NE(size, "0");
  EXPECT_EQ(call({url, "count", "--stream-in", "/proc/version"}).output, size + "\n");
  EXPECT_EQ(call({url, "names", "--file", "file=/proc/version"}).output,
            "\"version application/octet-stream  " + size + "\"\n");
  const std::string empty = folder_.file("empty", "");
  EXPECT_EQ(call({url, "count", "--stream-in", empty}).output, "0\n");
  EXPECT_EQ(call({url, "names", "--file", "file=" + empty}).output,
            "\"empty application/octet-stream 0 0\"\n");
}

TEST_F(CallInput, HasOneNameForAFileWhoseNameIsNoUtf8) {
  std::string request;
  LyingServer server([&](LyingConnection& connection) {
    while (!request.ends_with("--\r\n")) {
      const std::string more = connection.receive_some();
      if (more.empty()) break;
      request += more;
    }
    connection.send(http_answer("200 OK", "application/json", R"({"ok":true})"));
    while (!connection.receive_some().empty()) {
    }
  });
  const std::string file = folder_.file("bad\xff.txt", "text");
  EXPECT_EQ(call({server.url(), "a", "--file", "f=" + file}).exit_code, 0);
  EXPECT_THAT(request, HasSubstr("\"name\":\"bad\uFFFD.txt\""));
  EXPECT_THAT(request, HasSubstr("filename=\"bad\uFFFD.txt\""));
}

TEST_F(CallInput, IsNotWaitedForLongerThanTheTimeout) {
  const std::string pipe = folder_.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::string> words = {"call", "--timeout", "5000", "http://127.0.0.1:1/",
                                          "a",    "@" + pipe};
  std::vector<std::string> hurried = words;
  hurried[2] = "300";
  const Ended late = cordon({.arguments = hurried});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_EQ(late.errors, "cordon call: timeout: it took longer than 300 ms\n");
  // What is written in time is read whole, though it comes late and in two parts.
  std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::fstream out(pipe, std::ios::in | std::ios::out);  // does not wait for the reader
    out << "[1," << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    out << "2]";
  });
  const Ended read = cordon({.arguments = words});
  EXPECT_THAT(read.errors, StartsWith("cordon call: unreachable: "));
}

TEST_F(CallInput, CannotComeFromAClosedStandardInput) {
  for (const char* words :
       {" call http://127.0.0.1:1/ task --stream-in - <&-", " call http://127.0.0.1:1/ task - <&-",
        " call http://127.0.0.1:1/ task --stream-in - < /"}) {
    const Ended ended = run("/bin/bash", {.arguments = {"-c", cordon_program() + words}});
    EXPECT_EQ(ended.exit_code, 64) << words << ended.errors;
  }
}

TEST_F(CallInput, IsSentWithItsLengthWhereThatIsKnown) {
  const std::string file = folder_.file("five", "12345");
  const auto head_of = [&](const std::vector<std::string>& words) {
    // The request ends with no brace, so the server answers what it has got after a while.
    std::string request;
    const LyingServer server([&](LyingConnection& connection) {
      while (!request.contains("12345")) {
        const std::string more = connection.receive_some();
        if (more.empty()) break;
        request += more;
      }
      connection.send(http_answer("200 OK", "application/json", R"({"ok":true})"));
      while (!connection.receive_some().empty()) {
      }
    });
    std::vector<std::string> all = words;
    all.insert(all.begin(), server.url());
    EXPECT_EQ(cordon({.arguments = with_token("call", all), .input = "12345"}).exit_code, 0);
    return request;
  };
  const std::string known = head_of({"task", "--stream-in", file});
  EXPECT_THAT(known, HasSubstr("content-type: application/octet-stream\r\n"));
  EXPECT_THAT(known, HasSubstr("content-length: 5\r\n"));
  const std::string piped = head_of({"task", "--stream-in", "-"});
  EXPECT_THAT(piped, HasSubstr("transfer-encoding: chunked\r\n"));
  EXPECT_THAT(piped, Not(HasSubstr("content-length")));
  const std::string form = head_of({"task", "--file", "f=" + file});
  EXPECT_THAT(form, HasSubstr("content-type: multipart/form-data; boundary=cordon-"));
  EXPECT_THAT(form, HasSubstr("content-length: "));
  EXPECT_THAT(form, HasSubstr("\"meta\":{\"name\":\"five\",\"type\":\"application/octet-stream\","
                              "\"size\":5}}}}"));
  // The input may have an id of its own.
  const std::string mark = "{\"input\":{\"f\":{\"$runnerFile\":\"File\",\"id\":\"";
  const auto id_in = [&](const std::string& text) {
    const std::size_t at = text.find(mark);
    return at == text.npos ? text : text.substr(at + mark.size(), 36);
  };
  const std::string id = id_in(form);
  EXPECT_THAT(id, MatchesRegex("[0-9a-f-]{14}4[0-9a-f-]{21}"));
  EXPECT_THAT(form, HasSubstr("\"id\":\"" + id + "\",\"meta\""));
  EXPECT_THAT(form, HasSubstr("name=\"file:" + id + "\""));
  EXPECT_NE(id_in(head_of({"task", "--file", "f=" + file})), id);
}

}  // namespace
}  // namespace cordon::e2e
