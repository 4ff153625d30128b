#include "cordon/transport/http/http_server.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/base/sanitized.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/test_server.h"

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;
using http::testing::RawClient;
using http::testing::TestServer;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string get(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(headers) + "\r\n";
}
std::string post(std::string_view target, std::string_view body, std::string_view headers = "") {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}
std::string ask(const TestServer& server, std::string_view request) {
  RawClient client(server.port());
  client.send(request);
  return client.read_all();
}
constexpr std::string_view closing = "Connection: close\r\n";

std::string unchunk(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    const std::size_t size = std::stoul(std::string(text.substr(0, end)), nullptr, 16);
    if (size == 0) break;
    all += text.substr(end + 2, size);
    text.remove_prefix(end + 2 + size + 2);
  }
  return all;
}
std::string body_of(std::string_view answer) {
  return std::string(answer.substr(answer.find("\r\n\r\n") + 4));
}

TEST(HttpServer, AnswersWithALengthAndADate) {
  TestServer server;
  const std::string answer = ask(server, get("/", closing));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\nx-target: /\r\ndate: "));
  EXPECT_THAT(answer, HasSubstr(" GMT\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello"));
}

TEST(HttpServer, KeepsConnectionsAndAnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get("/" + std::to_string(i)));
    const std::string answer = client.read_until("hello");
    EXPECT_THAT(answer, HasSubstr("x-target: /" + std::to_string(i)));
    EXPECT_THAT(answer, Not(HasSubstr("connection:")));
  }
  std::string many;
  for (int i = 0; i < 300; ++i) many += post("/p" + std::to_string(i), "body");
  many += get("/last", closing);
  client.send(many);
  const std::string answers = client.read_all();
  std::size_t at = 0;
  for (int i = 0; i < 300; ++i) {
    at = answers.find("x-target: /p" + std::to_string(i) + "\r\n", at);
    ASSERT_NE(at, answers.npos) << i;
  }
  EXPECT_THAT(answers.substr(at), HasSubstr("x-target: /last\r\n"));
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  TestServer server;
  const std::string answer =
      ask(server, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/second", closing));
  EXPECT_THAT(answer, HasSubstr("content-length: 5\r\n\r\nHTTP/1.1 200 OK\r\nx-target: /second"));
  const std::string echo =
      ask(server, "HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(echo, EndsWith("\r\n\r\n"));
  const std::string empty = ask(server, get("/empty", closing));
  EXPECT_THAT(empty, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(empty, Not(HasSubstr("content-length")));
}

TEST(HttpServer, SpeaksHttp10) {
  TestServer server;
  EXPECT_THAT(ask(server, "GET / HTTP/1.0\r\n\r\n"), HasSubstr("connection: close"));
  RawClient client(server.port());
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(client.read_until("hello"), HasSubstr("connection: keep-alive"));
  client.send("POST /echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc");
  const std::string answer = client.read_all();
  EXPECT_THAT(answer, HasSubstr("connection: close"));
  EXPECT_THAT(answer, Not(HasSubstr("chunked")));
  EXPECT_THAT(answer, EndsWith("\r\n\r\nabc"));
}

TEST(HttpServer, ReadsBodiesOfAnyFraming) {
  TestServer server;
  for (const char* const target : {"/echo", "/echo-into"}) {
    SCOPED_TRACE(target);
    const std::string body(300'000, 'b');
    EXPECT_EQ(unchunk(body_of(ask(server, post(target, body, closing)))), body);
    std::string chunks;
    for (std::size_t size = 1; size < 200'000; size = size * 3 + 1) {
      char line[32];
      snprintf(line, sizeof line, "%zx\r\n", size);
      chunks += line + std::string(size, 'c') + "\r\n";
    }
    const std::string request = "POST " + std::string(target) +
                                " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: "
                                "chunked\r\n\r\n" +
                                chunks + "0\r\nx: y\r\n\r\n";
    EXPECT_EQ(unchunk(body_of(ask(server, request))), unchunk(chunks));
    EXPECT_EQ(unchunk(body_of(ask(server, get(target, closing)))), "");
  }
}

TEST(HttpServer, ReadsWhatComesByteByByte) {
  TestServer server;
  RawClient client(server.port());
  const std::string request =
      post("/count", "12345") +
      "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n" +
      get("/", closing);
  for (const char c : request) client.send(std::string_view(&c, 1));
  const std::string answers = client.read_all();
  EXPECT_THAT(answers, HasSubstr("\r\n\r\n5HTTP/1.1"));
  EXPECT_THAT(answers, HasSubstr("\r\n\r\n7HTTP/1.1"));
  EXPECT_THAT(answers, EndsWith("hello"));
}

TEST(HttpServer, AnswersWhileTheBodyStillComes) {
  TestServer server;
  RawClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("transfer-encoding: chunked"));
  for (int i = 0; i < 3; ++i) {
    client.send("2\r\nab\r\n");
    EXPECT_EQ(client.read_until("ab\r\n"), "2\r\nab\r\n");
  }
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "0\r\n\r\n");
  client.send(get("/"));
  EXPECT_THAT(client.read_until("hello"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, SaysGoOnWhenTheBodyIsWanted) {
  TestServer server;
  RawClient client(server.port());
  const std::string head =
      "POST /count HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  client.send(head);
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_THAT(client.read_until("\r\n\r\n3"), StartsWith("HTTP/1.1 200 OK\r\n"));
  // Whose body has come already needs no permission.
  client.send(head + "abc");
  EXPECT_THAT(client.read_until("\r\n\r\n3"), StartsWith("HTTP/1.1 200 OK\r\n"));
  // Who gets an answer instead might send its body or not.
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  const std::string answer = client.read_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("connection: close"));
  EXPECT_THAT(ask(server, get("/", "Expect: more\r\n")), StartsWith("HTTP/1.1 417 "));
}

TEST(HttpServer, RefusesPlainlyAndReadsNothingBehind) {
  TestServer server;
  const std::string behind = get("/smuggled");
  for (const std::string& request :
       {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: "
        "chunked\r\n\r\n0\r\n\r\n" +
            behind,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n" + behind,
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n" + behind,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n" + behind,
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + behind,
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\n\r\n" + behind, "GET /\r\n" + behind,
        "GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n" + behind,
        "GET / HTTP/1.1\r\nHost: a\r\n X: b\r\n\r\n" + behind, "GET / HTTP/1.1\r\n\r\n" + behind}) {
    SCOPED_TRACE(request);
    const std::string answer = ask(server, request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_THAT(answer, HasSubstr("connection: close\r\n"));
    EXPECT_THAT(answer.substr(5), Not(HasSubstr("HTTP/1.1 ")));
  }
  EXPECT_EQ(server.entered, 0);
  EXPECT_THAT(ask(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), StartsWith("HTTP/1.1 505 "));
  EXPECT_THAT(ask(server, get("/", "X: " + std::string(20'000, 'x') + "\r\n")),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(ask(server, get("/" + std::string(20'000, 'x'))), StartsWith("HTTP/1.1 414 "));
}

TEST(HttpServer, TellsTheHandlerOfABodyThatIsMalformed) {
  TestServer server;
  const std::string head =
      "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
  for (const char* const chunk : {"zz\r\n", "1\nx", "1\r\nab", "-1\r\n", "0\r\nx\r\n\r\n"}) {
    SCOPED_TRACE(chunk);
    server.body_error = ErrorCode::internal_error;
    const std::string answer = ask(server, head + chunk + get("/smuggled"));
    EXPECT_EQ(server.body_error, ErrorCode::malformed);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(answer.substr(5), Not(HasSubstr("HTTP/1.1 ")));
  }
}

TEST(HttpServer, DrainsWhatTheHandlerLeftOrEndsTheConnection) {
  TestServer server;
  RawClient client(server.port());
  client.send(post("/", std::string(100'000, 'x')) + get("/second"));
  EXPECT_THAT(client.read_until("/second"), StartsWith("HTTP/1.1 200"));
  client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
      get("/third"));
  EXPECT_THAT(client.read_until("/third"), HasSubstr("x-target: /third"));

  // Much more than fits into buffers: the answer is there all the same, and no reset.
  RawClient large(server.port());
  std::thread sender([&] { large.send(post("/", std::string(std::size_t{20} << 20, 'x'))); });
  const std::string answer = large.read_all();
  sender.join();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("connection: close"));
  EXPECT_FALSE(large.was_reset);
}

TEST(HttpServer, SaysCloseWhereAChunkedBodyHasNotEnded) {
  TestServer server;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "10000\r\n" + std::string(65'536, 'x') + "\r\n";

  // All of it has come with its end, in more than one piece: the connection goes on.
  RawClient whole(server.port());
  whole.send(head + chunk.substr(0, 5'000) + chunk.substr(5'000) + "0\r\n\r\n" + get("/next"));
  const std::string answers = whole.read_until("x-target: /next");
  EXPECT_THAT(answers, HasSubstr("x-target: /next"));
  EXPECT_THAT(answers, Not(HasSubstr("connection: close")));

  // Its end has not come, however little there is of it.
  RawClient open(server.port());
  open.send(head + "3\r\nabc\r\n");
  const std::string answer = open.read_all();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("connection: close"));

  // There is more of it than is read for nothing.
  RawClient large(server.port());
  std::thread sender([&] {
    large.send(head);
    for (int i = 0; i < 100; ++i) large.send(chunk);
    large.send("0\r\n\r\n");
  });
  const std::string told = large.read_all();
  sender.join();
  EXPECT_THAT(told, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(told, HasSubstr("connection: close"));
  EXPECT_FALSE(large.was_reset);

  // What has come is no chunk.
  const std::string wrong = ask(server, head + "zz\r\n" + get("/smuggled"));
  EXPECT_THAT(wrong, HasSubstr("connection: close"));
  EXPECT_THAT(wrong, Not(HasSubstr("/smuggled")));
}

TEST(HttpServer, SaysCloseWhileAnotherReaderWaitsForAChunkedBody) {
  TestServer server;
  RawClient client(server.port());
  client.send("POST /second-reader HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(client.read_all(), HasSubstr("connection: close"));
  EXPECT_EQ(server.body_error, ErrorCode::cancelled);
}

TEST(HttpServer, SaysCloseWithEvery413) {
  TestServer server;
  EXPECT_THAT(ask(server, post("/413", "")), HasSubstr("connection: close"));
  EXPECT_THAT(ask(server, post("/413", "abc")), HasSubstr("connection: close"));
}

TEST(HttpServer, ShowsThatAnAnswerIsNotWhole) {
  TestServer server;
  const std::string answer = ask(server, get("/half"));
  EXPECT_THAT(answer, HasSubstr("half of it"));
  EXPECT_THAT(answer, Not(HasSubstr("0\r\n\r\n")));
  RawClient old(server.port());
  old.send("GET /half HTTP/1.0\r\n\r\n");
  old.read_all();
  EXPECT_TRUE(old.was_reset);
  EXPECT_THAT(ask(server, get("/throw")), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(ask(server, get("/nothing")), StartsWith("HTTP/1.1 500 "));
}

TEST(HttpServer, NoticesThatAClientWent) {
  TestServer server;
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    const int before = server.aborted;
    RawClient client(server.port());
    client.send(i % 2 == 0 ? get("/wait") : post("/wait", "abc") + get("/pipelined"));
    ASSERT_TRUE(TestServer::eventually([&] { return server.entered > before; }));
    if (i < 2) {
      client.close();
    } else {
      client.reset();
    }
    EXPECT_TRUE(TestServer::eventually([&] { return server.aborted > before; }));
  }
  EXPECT_TRUE(TestServer::eventually([&] { return server.server().load() == 0; }));
  EXPECT_GE(server.server().figures().aborted, 4u);
}

TEST(HttpServer, AnswersAClientThatClosedItsSide) {
  TestServer server;
  RawClient client(server.port());
  client.send(post("/count", "abc"));
  client.end_output();
  EXPECT_THAT(client.read_all(), EndsWith("\r\n\r\n3"));
  EXPECT_EQ(server.server().figures().aborted, 0u);
}

TEST(HttpServer, EndsABodyThatWasCutOff) {
  TestServer server;
  RawClient client(server.port());
  client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  client.end_output();
  EXPECT_TRUE(TestServer::eventually([&] { return server.body_error == ErrorCode::closed; }));
  EXPECT_TRUE(TestServer::eventually([&] { return server.server().load() == 0; }));
}

TEST(HttpServer, EndsWhoMakesNoProgress) {
  HttpOptions options;
  options.limits.header_timeout = 80ms;
  options.limits.idle_timeout = 200ms;
  options.limits.stall_timeout = 800ms;
  options.linger_timeout = 50ms;
  TestServer server(options);
  {
    RawClient client(server.port());
    client.send("GET / HTT");
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 408 "));
  }
  {
    RawClient client(server.port());
    EXPECT_EQ(client.read_all(), "");
    EXPECT_TRUE(client.has_ended);
  }
  {
    RawClient client(server.port());
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 408 "));
    EXPECT_EQ(server.body_error, ErrorCode::timeout);
  }
  {
    RawClient client(server.port(), 4096);
    client.send(get("/large"));
    const int before = server.handled;
    EXPECT_TRUE(TestServer::eventually([&] { return server.handled > before; }));
    EXPECT_TRUE(TestServer::eventually([&] { return server.server().load() == 0; }));
  }
  {
    // A slow reader that does read is no stalled one, even while what it reads makes too little
    // room for the socket to be writable: these are a MB of many, for twice that time.
    RawClient client(server.port(), 65'536);
    client.send(get("/large", closing));
    std::this_thread::sleep_for(100ms);
    std::size_t size = 0;
    for (int i = 0; i < 16; ++i) {
      size += client.read_some(1s, 70'000).size();
      std::this_thread::sleep_for(100ms);
    }
    EXPECT_EQ(server.server().load(), 1u);
    EXPECT_LT(size, 1'200'000u);
    while (!client.has_ended) size += client.read_some(1s, 400'000).size();
    EXPECT_GT(size, std::size_t{8} << 20);
  }
  EXPECT_TRUE(TestServer::eventually([&] { return server.server().load() == 0; }));
}

TEST(HttpServer, DrainsGracefully) {
  HttpOptions options;
  options.linger_timeout = 1h;  // for clients that have an answer to read; idle ones do not count
  TestServer server(options);
  RawClient idle(server.port());
  idle.send(get("/"));
  idle.read_until("hello");
  RawClient busy(server.port());
  busy.send(get("/wait"));
  RawClient streaming(server.port());
  streaming.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  streaming.read_until("\r\n\r\n");
  ASSERT_TRUE(TestServer::eventually([&] { return server.entered == 3; }));
  server.on_loop([&] { server.server().drain(); });
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_TRUE(idle.has_ended);
  server.may_go_on = true;
  const std::string answer = busy.read_all();
  EXPECT_THAT(answer, HasSubstr("connection: close"));
  EXPECT_THAT(answer, EndsWith("waited"));
  streaming.send("2\r\nab\r\n0\r\n\r\n");
  EXPECT_EQ(streaming.read_all(), "2\r\nab\r\n0\r\n\r\n");
  busy.close();
  streaming.close();
  EXPECT_TRUE(TestServer::eventually([&] { return server.server().is_empty(); }));
  EXPECT_THAT(ask(server, get("/")), StartsWith("HTTP/1.1 503 "));
}

TEST(HttpServer, CancelsAReadThatOutlivesItsRequest) {
  TestServer server;
  RawClient client(server.port());
  client.send("POST /second-reader HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
  EXPECT_THAT(client.read_until("left one"), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(TestServer::eventually([&] { return server.body_error == ErrorCode::cancelled; }));
  client.send("abc" + get("/"));
  EXPECT_THAT(client.read_until("hello"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, CanGoWhileRequestsAreUnderWay) {
  TestServer server;
  RawClient waiting(server.port());
  waiting.send(get("/wait"));
  RawClient reading(server.port());
  reading.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
  RawClient writing(server.port());
  writing.send(get("/large"));
  RawClient idle(server.port());
  ASSERT_TRUE(TestServer::eventually([&] { return server.entered == 3; }));
  server.is_abandoned = true;
}

TEST(HttpServer, LetsOthersHaveTheirTurn) {
  TestServer server;
  RawClient greedy(server.port());
  std::atomic<bool> is_over = false;
  std::thread sender([&] {
    greedy.send("POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + std::string(1 << 20, 'x') + "\r\n";
    while (!is_over) greedy.send(chunk);
    greedy.send("0\r\n\r\n");
  });
  ASSERT_TRUE(TestServer::eventually([&] { return server.entered == 1; }));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(ask(server, get("/", closing)), HasSubstr("hello"));
  is_over = true;
  EXPECT_THAT(greedy.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  sender.join();
}

TEST(HttpServer, LimitsConnections) {
  HttpOptions options;
  options.refusal_headers = {{"X-Frame-Options", "DENY"}};
  TestServer server(options, "tcp:127.0.0.1:0", {.max = 3, .max_per_address = 2});
  RawClient first(server.port());
  RawClient second(server.port());
  first.send(get("/"));
  second.send(get("/"));
  EXPECT_THAT(first.read_until("hello"), HasSubstr("200"));
  EXPECT_THAT(second.read_until("hello"), HasSubstr("200"));
  EXPECT_THAT(ask(server, ""),
              StartsWith("HTTP/1.1 503 Service Unavailable\r\nX-Frame-Options: DENY\r\n"));
  EXPECT_EQ(server.gate().turned_away(), 1u);
  first.close();
  EXPECT_TRUE(TestServer::eventually([&] { return server.gate().count() == 1; }));
  EXPECT_THAT(ask(server, get("/", closing)), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpServer, ServesUnixSockets) {
  const std::string path = ::testing::TempDir() + "/http_server_test.sock";
  TestServer server({}, "unix:" + path);
  const std::string command = "curl -sS --unix-socket " + path + " http://localhost/peer 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  char text[256] = {};
  const std::size_t size = fread(text, 1, sizeof text - 1, pipe);
  pclose(pipe);
  EXPECT_EQ(std::string(text, size), " plain");
}

// So much memory is in use, in KiB.
std::size_t resident_kib() {
  std::size_t pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%*u %zu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * 4;
}

TEST(HttpServer, StreamsAGigabyteInBoundedMemory) {
  TestServer server;
  for (const char* const target : {"/echo", "/echo-into"}) {
    RawClient client(server.port());
    constexpr std::size_t total = std::size_t{is_sanitized ? 64 : 1024} << 20;
    const std::size_t before = resident_kib();
    std::thread sender([&] {
      client.send("POST " + std::string(target) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                  std::to_string(total) + "\r\nConnection: close\r\n\r\n");
      const std::string piece(1 << 20, 'x');
      for (std::size_t i = 0; i < total; i += piece.size()) client.send(piece);
    });
    std::string room(1 << 20, '\0');
    std::size_t received = 0;
    std::size_t most = 0;
    for (;;) {
      const ssize_t size = recv(client.descriptor(), room.data(), room.size(), 0);
      if (size <= 0) break;
      received += static_cast<std::size_t>(size);
      most = std::max(most, resident_kib());
    }
    sender.join();
    EXPECT_GT(received, total);
    EXPECT_LT(received, total + total / 100);
    EXPECT_TRUE(is_sanitized || most < before + 16'384) << most - before;
  }
}

TEST(HttpServer, HoldsIdleConnectionsWithLittleMemory) {
  raise_file_limit();
  TestServer server;
  std::vector<RawClient> clients;
  clients.reserve(2'000);
  const std::size_t before = resident_kib();
  for (int i = 0; i < 2'000; ++i) {
    clients.emplace_back(server.port());
    ASSERT_GE(clients.back().descriptor(), 0);
    clients.back().send(
        post("/count", "some body", "X-Some: header of some length, as they are\r\n"));
    ASSERT_THAT(clients.back().read_until("\r\n\r\n9"), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_EQ(server.server().load(), 2'000u);
  const std::size_t after = resident_kib();
  EXPECT_TRUE(is_sanitized || after < before + 2'000 * 10) << after - before;
}

}  // namespace
}  // namespace cordon::transport::http
