#include "cordon/transport/http/http_client.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>

#include <gtest/gtest.h>

#include "cordon/transport/http/body_sources.h"
#include "cordon/transport/http/testing/client_driver.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/http/testing/scripted_server.h"
#include "cordon/transport/http/testing/tls_server.h"

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;
using testing::ClientDriver;
using testing::Fetched;
using testing::in;
using testing::ScriptedPeer;
using testing::ScriptedServer;
using testing::TestServer;

std::string url_of(const TestServer& server, const std::string& target) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + target;
}

std::string to_port(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

HttpRequest post(std::vector<HttpBodyPart> body) { return {.body = std::move(body)}; }

// What a script answers to each request of a connection.
ScriptedServer::Script answering(std::string answer) {
  return [answer = std::move(answer)](ScriptedPeer& peer) {
    while (!peer.read_head().empty() && peer.send(answer)) {
    }
  };
}

std::string answer_to(const std::string& answer) {
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_head();
    peer.send(answer);
  });
  ClientDriver driver;
  return driver.fetch(server.url(), {.method = "GET"});
}

// A source that a test fills.
class ManualSource : public ByteSource {
 public:
  void read(Next next) override {
    next_ = std::move(next);
    ++reads;
  }
  void close() override { is_closed = true; }
  void give(Result<Bytes> piece) { std::exchange(next_, nullptr)(std::move(piece)); }
  bool is_wanted() const { return static_cast<bool>(next_); }

  int reads = 0;
  bool is_closed = false;

 private:
  Next next_ = nullptr;
};

// As many bytes as are wanted, at once.
class EndlessSource : public ByteSource {
 public:
  void read(Next next) override {
    given += 65'536;
    next(Bytes(65'536, 'x'));
  }
  void close() override { is_closed = true; }

  std::uint64_t given = 0;
  bool is_closed = false;
};

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

// Requests.

TEST(HttpClient, SendsARequestAndReadsItsAnswer) {
  TestServer server;
  ClientDriver driver;
  HttpRequest request = post({"one, ", std::string("two")});
  request.headers = {{"x-mine", "yes"}};
  EXPECT_EQ(driver.fetch(url_of(server, "/echo"), request), "200 one, two");
}

TEST(HttpClient, SendsNothingThatTheCallerDidNotAskFor) {
  std::string head;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    head = peer.read_head();
    peer.send("HTTP/1.1 204 \r\n\r\n");
  });
  ClientDriver driver;
  HttpRequest request{.target = "/a?b=c", .headers = {{"X-Mine", "a b"}}, .body = {"12"}};
  EXPECT_EQ(driver.fetch(server.url(), request), "204 ");
  EXPECT_EQ(head, "POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(server.port()) +
                      "\r\nuser-agent: cordon\r\nX-Mine: a b\r\ncontent-length: 2\r\n\r\n");
}

TEST(HttpClient, RefusesWhatCannotStandInAHead) {
  ClientDriver driver;
  const std::string nobody = to_port(1);
  EXPECT_EQ(driver.fetch(nobody, {.method = "G T"}), "bad_request");
  EXPECT_EQ(driver.fetch(nobody, {.target = "/a b"}), "bad_request");
  EXPECT_EQ(driver.fetch(nobody, {.headers = {{"a", "b\r\nc: d"}}}), "bad_request");
  EXPECT_EQ(driver.fetch(nobody, {.headers = {{"Content-Length", "1"}}}), "bad_request");
}

TEST(HttpClient, KeepsConnections) {
  const ScriptedServer server(answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  ClientDriver driver;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(driver.fetch(server.url()), "200 ok");
  EXPECT_EQ(server.connections(), 1u);
  EXPECT_EQ(driver.client->figures().idle, 1u);
  driver.client->close_idle();
  EXPECT_EQ(driver.client->figures().connections, 0u);
  EXPECT_EQ(driver.fetch(server.url()), "200 ok");
  EXPECT_EQ(server.connections(), 2u);
}

TEST(HttpClient, BeginsANewRequestInsideOfTheEndOfAnother) {
  const ScriptedServer server(answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
  boost::asio::io_context io{1};
  HttpClient client(io);
  const Origin origin = *Origin::parse(server.url());
  HttpTransfer transfer;
  int left = 1'000;
  std::function<void()> next = [&] {
    transfer = client.start(origin, {.target = "/"}, [&](auto head) {
      ASSERT_TRUE(head);
      transfer.read([&](auto) {
        transfer.read([&](auto end) {
          ASSERT_TRUE(end && end->empty());
          if (--left > 0) next();
        });
      });
    });
  };
  next();
  while (left > 0 && io.run_one_for(5s) > 0) {
  }
  EXPECT_EQ(left, 0);
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpClient, OpensNoMoreConnectionsThanItMay) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    while (!peer.read_head().empty()) {
      std::this_thread::sleep_for(2ms);
      peer.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    }
  });
  ClientDriver driver({.max_connections = 3, .max_waiting = 20});
  std::vector<const Fetched*> all;
  for (int i = 0; i < 30; ++i) all.push_back(&driver.begin(server.url()));
  std::size_t good = 0;
  std::size_t refused = 0;
  for (const Fetched* const one : all) {
    const std::string text = driver.finish(*one).text();
    good += text == "200 " ? 1 : 0;
    refused += text == "overloaded" ? 1 : 0;
  }
  EXPECT_EQ(good, 23u);
  EXPECT_EQ(refused, 7u);
  EXPECT_EQ(server.connections(), 3u);
}

TEST(HttpClient, TakesAnotherConnectionWhereAKeptOneWasClosed) {
  std::atomic<bool> is_closed = false;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n" + std::to_string(peer.number));
    peer.close();
    is_closed = true;
  });
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url()), "200 0");
  EXPECT_TRUE(driver.run_until([&] { return is_closed.load(); }));
  EXPECT_EQ(driver.fetch(server.url()), "200 1");
}

TEST(HttpClient, SendsARequestOnceIfTheServerMayHaveSeenIt) {
  std::atomic<int> seen = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_head();
    ++seen;
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    // The second one is read, and never answered.
    if (!peer.read_head().empty()) ++seen;
  });
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url()), "200 ");
  const Fetched& second = driver.finish(driver.begin(server.url()));
  EXPECT_EQ(second.text(), "bad_response");
  EXPECT_TRUE(second.error->was_sent);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpClient, DropsConnectionsThatWereIdleForLong) {
  const ScriptedServer server(answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
  ClientDriver driver({.idle_timeout = 30ms});
  EXPECT_EQ(driver.fetch(server.url()), "200 ");
  EXPECT_TRUE(driver.run_until([&] { return driver.client->figures().connections == 0; }));
}

TEST(HttpClient, DropsAConnectionASecondBeforeItsServerDoes) {
  const ScriptedServer server(
      answering("HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n"));
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url()), "200 ");
  EXPECT_EQ(driver.fetch(server.url()), "200 ");
  EXPECT_EQ(server.connections(), 2u);
}

TEST(HttpClient, DoesNotKeepAConnectionThatHasMoreThanItsAnswer) {
  const ScriptedServer server(
      answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"
                "content-length: 4\r\n\r\nevil"));
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url()), "200 ok");
  EXPECT_EQ(driver.fetch(server.url()), "200 ok");
  EXPECT_EQ(server.connections(), 2u);
}

// Answers.

TEST(HttpClient, ReadsEachFramingOfAnAnswer) {
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"), "200 abc");
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
                      "2\r\nab\r\n1;x=y\r\nc\r\n0\r\ntrailer: t\r\n\r\n"),
            "200 abc");
  EXPECT_EQ(answer_to("HTTP/1.1 200 OK\r\n\r\nabc"), "200 abc");
  EXPECT_EQ(answer_to("HTTP/1.0 200 OK\r\n\r\nabc"), "200 abc");
  EXPECT_EQ(answer_to("HTTP/1.1 204\r\n\r\n"), "204 ");
  EXPECT_EQ(answer_to("HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n"), "304 ");
}

TEST(HttpClient, SkipsInterimAnswers) {
  EXPECT_EQ(answer_to("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
                      "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
            "200 ok");
  std::string endless;
  for (int i = 0; i < 100; ++i) endless += "HTTP/1.1 102 Processing\r\n\r\n";
  EXPECT_EQ(answer_to(endless), "bad_response");
}

TEST(HttpClient, RefusesAnswersWithTwoMeanings) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  for (const char* const headers :
       {"content-length: 3\r\ncontent-length: 4\r\n", "content-length: 3\r\ncontent-length: 3\r\n",
        "content-length: 3\r\ntransfer-encoding: chunked\r\n", "content-length: 3, 3\r\n",
        "content-length: -3\r\n", "content-length: +3\r\n", "content-length: 0x3\r\n",
        "content-length: 9999999999999999999\r\n", "content-length:\r\n",
        "transfer-encoding: gzip, chunked\r\n", "transfer-encoding: identity\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n", "a b: c\r\n", " a: b\r\n",
        "a : b\r\n", "no colon\r\n", "a: b\x01\r\n", "a: b\nc: d\r\n"}) {
    EXPECT_EQ(answer_to(start + headers + "\r\nabc"), "bad_response") << headers;
  }
  EXPECT_EQ(answer_to("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
            "bad_response");
}

TEST(HttpClient, RefusesWhatIsNoAnswer) {
  for (const char* const answer :
       {"SSH-2.0-OpenSSH_9\r\n", "<html>hello</html>", "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 99 No\r\n\r\n", "HTTP/1.1 600 No\r\n\r\n", "HTTP/1.1 2000 No\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
        "\r\nHTTP/1.1 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n", ""}) {
    EXPECT_EQ(answer_to(answer), "bad_response") << answer;
  }
}

TEST(HttpClient, NoticesAnswersThatBreakOff) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(answer_to("HTTP/1.1 200 O"), "truncated");
  EXPECT_EQ(answer_to(start + "content-length: 3\r\n\r\nab"), "200 ab, then truncated");
  EXPECT_EQ(answer_to(start + "content-length: 3\r\n\r\n"), "200 , then truncated");
  EXPECT_EQ(answer_to(start + "transfer-encoding: chunked\r\n\r\n3\r\nab"),
            "200 ab, then truncated");
  EXPECT_EQ(answer_to(start + "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"),
            "200 abc, then truncated");
  EXPECT_EQ(answer_to(start + "transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"),
            "200 abc, then truncated");
}

TEST(HttpClient, NoticesBadChunks) {
  const std::string start = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  for (const char* const chunks : {"x\r\n", "\r\n", "-1\r\n", "3\r\nabcd\r\n",
                                   "ffffffffffffffffff\r\n", "0\r\nbad trailer\r\n\r\n"}) {
    const std::string text = answer_to(start + chunks);
    EXPECT_TRUE(text.ends_with("then bad_response")) << chunks << ": " << text;
  }
}

TEST(HttpClient, NoticesAResetOfAnAnswerThatEndsWithItsConnection) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\n\r\nabc");
    std::this_thread::sleep_for(30ms);
    peer.reset();
  });
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url()), "200 abc, then truncated");
}

TEST(HttpClient, BoundsTheHead) {
  const auto endless = [](const std::string& start, const std::string& more) {
    const ScriptedServer server([&](ScriptedPeer& peer) {
      peer.read_head();
      peer.send(start);
      while (peer.send(more)) {
      }
    });
    ClientDriver driver;
    return driver.fetch(server.url());
  };
  EXPECT_EQ(endless("HTTP/1.1 200 OK\r\n", "a: " + std::string(1'000, 'b') + "\r\n"), "too_large");
  EXPECT_EQ(endless("HTTP/1.1 200 OK\r\na: ", "bbbbbbbbbbbbbbbbbbbbbbbb"), "too_large");
  EXPECT_EQ(endless("HTTP/1.1 200 ", "OK"), "bad_response");
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) many += "a: b\r\n";
  EXPECT_EQ(answer_to(many + "\r\n"), "too_large");
}

TEST(HttpClient, GivesRedirectsAsTheyAre) {
  const ScriptedServer server(answering(
      "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"));
  ClientDriver driver;
  const Fetched& fetched = driver.finish(driver.begin(server.url()));
  EXPECT_EQ(fetched.text(), "302 ");
  EXPECT_EQ(fetched.header("location"), "http://127.0.0.1:1/");
}

TEST(HttpClient, ReadsNoBodyAfterHead) {
  const ScriptedServer server(answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"));
  ClientDriver driver;
  EXPECT_EQ(driver.fetch(server.url(), {.method = "HEAD"}), "200 ");
  EXPECT_EQ(driver.fetch(server.url(), {.method = "HEAD"}), "200 ");
  EXPECT_EQ(server.connections(), 1u);
}

// Bodies.

TEST(HttpClient, SendsASourceOfUnknownSizeInChunks) {
  std::string head;
  std::string body;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    head = peer.read_head();
    body = peer.read_until("0\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  ClientDriver driver;
  const auto source = std::make_shared<ManualSource>();
  const Fetched& fetched = driver.begin(server.url(), post({"<", SourcePart{source}, ">"}));
  for (const char* const piece : {"ab", "cde", ""}) {
    ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
    source->give(bytes_of(piece));
  }
  EXPECT_EQ(driver.finish(fetched).text(), "200 ");
  EXPECT_TRUE(head.contains("transfer-encoding: chunked\r\n")) << head;
  EXPECT_EQ(body, "1\r\n<\r\n2\r\nab\r\n3\r\ncde\r\n1\r\n>\r\n0\r\n\r\n");
  EXPECT_TRUE(source->is_closed);
}

TEST(HttpClient, TakesBytesFromAnyThread) {
  TestServer server;
  ClientDriver driver;
  class ThreadSource : public ByteSource {
   public:
    ~ThreadSource() override {
      for (std::thread& thread : threads_) thread.join();
    }
    void read(Next next) override {
      threads_.emplace_back([next = std::move(next), left = left_--] {
        next(left > 0 ? Bytes(1'000, 'a') : Bytes());
      });
    }
    void close() override {}

   private:
    int left_ = 20;
    std::vector<std::thread> threads_;
  };
  const auto source = std::make_shared<ThreadSource>();
  const Fetched& fetched =
      driver.finish(driver.begin(url_of(server, "/echo"), post({SourcePart{source}})));
  EXPECT_EQ(fetched.text(), "200 " + std::string(20'000, 'a'));
}

TEST(HttpClient, SendsExactlyAsManyBytesAsItSaid) {
  TestServer server;
  ClientDriver driver;
  const auto endless = std::make_shared<EndlessSource>();
  const Fetched& cut =
      driver.finish(driver.begin(url_of(server, "/count"), post({SourcePart{endless, 100'000}})));
  EXPECT_EQ(cut.text(), "200 100000");
  EXPECT_TRUE(endless->is_closed);

  const auto source = std::make_shared<ManualSource>();
  const Fetched& fetched =
      driver.begin(url_of(server, "/count"), post({SourcePart{source, 100'000}}));
  for (const char* const piece : {"abc", ""}) {
    ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
    source->give(bytes_of(piece));
  }
  EXPECT_EQ(driver.finish(fetched).text(), "body_failed");
}

TEST(HttpClient, FailsWhereItsSourceFails) {
  TestServer server;
  ClientDriver driver;
  const auto source = std::make_shared<ManualSource>();
  const Fetched& fetched = driver.begin(url_of(server, "/count"), post({SourcePart{source}}));
  ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
  source->give(fail(ErrorCode::io, "the disk is gone"));
  EXPECT_EQ(driver.finish(fetched).text(), "body_failed");
  EXPECT_TRUE(fetched.error->message.contains("the disk is gone"));
}

TEST(HttpClient, SendsFilesAndPipes) {
  TestServer server;
  ClientDriver driver;
  const std::string path = ::testing::TempDir() + "/http_client_file";
  std::ofstream(path) << std::string(300'000, 'f');
  Result<SourcePart> file = file_part(driver.io, path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes, 300'000u);
  EXPECT_EQ(driver.fetch(url_of(server, "/count"), post({*std::move(file)})), "200 300000");
  std::remove(path.c_str());
  EXPECT_EQ(file_part(driver.io, path).error().code, ErrorCode::not_found);
  EXPECT_EQ(file_part(driver.io, "/proc/version")->bytes, std::nullopt);
  std::ofstream(path).close();
  EXPECT_EQ(file_part(driver.io, path)->bytes, 0u);
  std::remove(path.c_str());
  EXPECT_EQ(file_part(driver.io, "/").error().code, ErrorCode::io);

  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::thread writer([to = ends[1]] {
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(write(to, "0123456789", 10), 10);
      std::this_thread::sleep_for(1ms);
    }
    close(to);
  });
  const auto source = descriptor_source(driver.io, Descriptor(ends[0]));
  EXPECT_EQ(driver.fetch(url_of(server, "/count"), post({SourcePart{source}})), "200 100");
  writer.join();
}

TEST(HttpClient, ReadsAnAnswerThatComesBeforeTheRequestHasLeft) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno");
    std::this_thread::sleep_for(50ms);
    peer.reset();
  });
  ClientDriver driver;
  const auto source = std::make_shared<EndlessSource>();
  EXPECT_EQ(driver.fetch(server.url(), post({SourcePart{source}})), "401 no");
  EXPECT_TRUE(source->is_closed);
  EXPECT_EQ(driver.client->figures().idle, 0u);
}

TEST(HttpClient, ReadsTheAnswerOfAServerThatTakesNoMore) {
  for (int i = 0; i < 20; ++i) {
    const ScriptedServer server([](ScriptedPeer& peer) {
      peer.read_head();
      peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
      peer.end_output();
      // Long enough for the answer to get there, then the rest of the request meets a reset.
      std::this_thread::sleep_for(5ms);
      peer.close();
    });
    ClientDriver driver;
    const std::string large(30'000'000, 'x');
    EXPECT_EQ(driver.fetch(server.url(), post({large})), "413 no");
  }
}

TEST(HttpClient, StreamsBothWays) {
  TestServer server;
  ClientDriver driver;
  const auto source = std::make_shared<ManualSource>();
  const Fetched& fetched = driver.begin(url_of(server, "/echo"), post({SourcePart{source}}));
  std::string sent;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
    const std::string piece = "piece " + std::to_string(i) + "\n";
    sent += piece;
    source->give(bytes_of(piece));
    ASSERT_TRUE(driver.run_until([&] { return fetched.body == sent; })) << i;
  }
  ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
  source->give(Bytes());
  EXPECT_EQ(driver.finish(fetched).text(), "200 " + sent);
}

TEST(HttpClient, LetsASlowReaderSlowTheServer) {
  std::atomic<std::size_t> sent = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    const std::string piece(65'536, 'x');
    for (int i = 0; i < 2'000 && peer.send(piece); ++i) sent += piece.size();
  });
  ClientDriver driver;
  HttpTransfer transfer;
  bool has_head = false;
  transfer = driver.client->start(*Origin::parse(server.url()), {.target = "/"},
                                  [&](auto head) { has_head = head.has_value(); });
  ASSERT_TRUE(driver.run_until([&] { return has_head; }));
  driver.run_until([] { return false; }, 200ms);
  const std::size_t early = sent;
  EXPECT_LT(early, std::size_t{30} << 20);
  driver.run_until([] { return false; }, 100ms);
  EXPECT_EQ(sent, early);
  std::size_t got = 0;
  bool is_over = false;
  std::function<void()> read = [&] {
    transfer.read([&](HttpResult<BytesView> piece) {
      ASSERT_TRUE(piece);
      got += piece->size();
      if (piece->empty()) {
        is_over = true;
      } else {
        read();
      }
    });
  };
  read();
  EXPECT_TRUE(driver.run_until([&] { return is_over; }));
  EXPECT_EQ(got, std::size_t{2'000} * 65'536);
}

TEST(HttpClient, ReadsItsSourceNoFasterThanTheServerDoes) {
  const ScriptedServer server([](ScriptedPeer& peer) {
    peer.read_head();
    std::this_thread::sleep_for(300ms);
  });
  ClientDriver driver;
  const auto source = std::make_shared<EndlessSource>();
  const Fetched& fetched = driver.begin(server.url(), post({SourcePart{source}}));
  driver.run_until([] { return false; }, 200ms);
  EXPECT_LT(source->given, std::uint64_t{30} << 20);
  driver.finish(fetched);
}

// Ends.

TEST(HttpClient, SaysThatNobodyIsThere) {
  ClientDriver driver;
  const Fetched& fetched = driver.finish(driver.begin(to_port(1)));
  EXPECT_EQ(fetched.text(), "unreachable");
  EXPECT_EQ(fetched.error->message, "127.0.0.1:1: Connection refused");
  EXPECT_FALSE(fetched.error->was_sent);
  EXPECT_EQ(driver.fetch("http://name.invalid"), "unreachable");
  EXPECT_EQ(driver.fetch("unix:/nowhere/at.all"), "unreachable");
}

TEST(HttpClient, KeepsItsDeadlineAtEachPoint) {
  const auto with_deadline = [](const ScriptedServer::Script& script, HttpRequest request = {}) {
    const ScriptedServer server(script);
    ClientDriver driver;
    request.deadline = in(60ms);
    const auto begin = std::chrono::steady_clock::now();
    std::string text = driver.fetch(server.url(), std::move(request));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
    return text;
  };
  const auto wait = [](ScriptedPeer& peer) { peer.read_all(); };
  EXPECT_EQ(with_deadline(wait), "timeout");
  EXPECT_EQ(with_deadline(wait, post({SourcePart{std::make_shared<ManualSource>()}})), "timeout");
  EXPECT_EQ(with_deadline(wait, post({SourcePart{std::make_shared<EndlessSource>()}})), "timeout");
  EXPECT_EQ(with_deadline([](ScriptedPeer& peer) {
              peer.drip("HTTP/1.1 200 OK\r\n" + std::string(1'000, 'a'), 5ms);
            }),
            "timeout");
  EXPECT_EQ(with_deadline([](ScriptedPeer& peer) {
              peer.read_head();
              peer.send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab");
              peer.read_all();
            }),
            "200 ab, then timeout");
}

TEST(HttpClient, KeepsItsDeadlineWhereNobodyAccepts) {
  // A queue that is full: the kernel answers nothing.
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ASSERT_EQ(bind(listener.number(), reinterpret_cast<const sockaddr*>(&name), size), 0);
  ASSERT_EQ(listen(listener.number(), 0), 0);
  getsockname(listener.number(), reinterpret_cast<sockaddr*>(&name), &size);
  ClientDriver driver;
  std::vector<const Fetched*> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(&driver.begin(to_port(ntohs(name.sin_port)), {.deadline = in(100ms)}));
  for (const Fetched* const one : all) EXPECT_EQ(driver.finish(*one).text(), "timeout");
}

TEST(HttpClient, MayBeCancelledAtEachPoint) {
  std::atomic<int> gone = 0;
  const ScriptedServer server([&](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na");
    peer.read_all();
    ++gone;
  });
  ClientDriver driver;
  const Fetched& at_once = driver.begin(server.url());
  driver.transfer_of(at_once).cancel();
  EXPECT_EQ(driver.finish(at_once).text(), "cancelled");

  const Fetched& later = driver.begin(server.url());
  ASSERT_TRUE(driver.run_until([&] { return later.body == "a"; }));
  driver.transfer_of(later).cancel();
  EXPECT_EQ(driver.finish(later).text(), "200 a, then cancelled");
  EXPECT_TRUE(driver.run_until([&] { return gone >= 1; }));

  const Fetched& dropped = driver.begin(server.url());
  ASSERT_TRUE(driver.run_until([&] { return dropped.body == "a"; }));
  driver.transfer_of(dropped) = {};
  EXPECT_TRUE(driver.run_until([&] { return gone >= 2; }));
  EXPECT_EQ(dropped.text(), "200 a, not over");
  EXPECT_EQ(driver.client->figures().connections, 0u);
}

TEST(HttpClient, EndsAllThatItDoesWithItself) {
  const ScriptedServer server([](ScriptedPeer& peer) { peer.read_all(); });
  auto source = std::make_shared<ManualSource>();
  ClientDriver driver({.max_connections = 2});
  std::vector<const Fetched*> all;
  all.push_back(&driver.begin(server.url(), post({SourcePart{source}})));
  for (int i = 0; i < 5; ++i) all.push_back(&driver.begin(server.url()));
  ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
  driver.client.reset();
  driver.run_until([] { return false; }, 20ms);
  for (const Fetched* const one : all) EXPECT_EQ(one->text(), ", not over");
  EXPECT_TRUE(source->is_closed);
  // What comes too late does no harm.
  source->give(bytes_of("late"));
}

// Ways.

TEST(HttpClient, SpeaksOverUnixSockets) {
  const std::string path = ::testing::TempDir() + "/http_client_" + std::to_string(getpid());
  std::string head;
  const ScriptedServer server(
      [&](ScriptedPeer& peer) {
        head = peer.read_head();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      },
      path);
  ClientDriver driver;
  EXPECT_EQ(driver.fetch("unix:" + path + ":/base", {.target = "/base/x"}), "200 ok");
  EXPECT_TRUE(head.starts_with("POST /base/x HTTP/1.1\r\nhost: localhost\r\n")) << head;
  unlink(path.c_str());
}

ProxySettings proxies(const std::string& url, const std::string& exempt = "") {
  return ProxySettings::from([&](const char* name) -> const char* {
    const std::string_view text = name;
    if (text == "http_proxy" || text == "https_proxy") return url.c_str();
    return text == "no_proxy" ? exempt.c_str() : nullptr;
  });
}

TEST(HttpClient, AsksAProxyForWholeUrls) {
  std::string head;
  const ScriptedServer proxy([&](ScriptedPeer& peer) {
    head = peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  });
  const std::string with_user = "http://me:a%40b@127.0.0.1:" + std::to_string(proxy.port());
  ClientDriver driver({.proxies = proxies(with_user)});
  EXPECT_EQ(driver.fetch("http://example.invalid/x"), "200 ok");
  EXPECT_TRUE(
      head.starts_with("POST http://example.invalid/x HTTP/1.1\r\n"
                       "host: example.invalid\r\n"
                       "proxy-authorization: Basic bWU6YUBi\r\n"))
      << head;
}

TEST(HttpClient, SaysWhatAProxyRefuses) {
  std::string head;
  const ScriptedServer proxy([&](ScriptedPeer& peer) {
    head = peer.read_head();
    peer.send("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
  });
  ClientDriver driver({.proxies = proxies(proxy.url())});
  const Fetched& fetched = driver.finish(driver.begin("https://example.invalid/x"));
  EXPECT_EQ(fetched.text(), "unreachable");
  EXPECT_EQ(fetched.error->message, "the proxy answered with status 407");
  EXPECT_TRUE(
      head.starts_with("CONNECT example.invalid:443 HTTP/1.1\r\n"
                       "host: example.invalid:443\r\n"))
      << head;
}

TEST(HttpClient, GoesAroundProxiesThatAreNotForAHost) {
  TestServer server;
  ClientDriver driver({.proxies = proxies("http://127.0.0.1:1", "127.0.0.0/8")});
  EXPECT_EQ(driver.fetch(url_of(server, "/echo"), post({"a"})), "200 a");
  ClientDriver strange({.proxies = proxies("socks5://127.0.0.1:1")});
  EXPECT_EQ(strange.fetch(url_of(server, "/echo")), "unreachable");
}

class HttpClientTls : public testing::TlsServerTest {
 protected:
  std::string fetch(const std::string& target, HttpClientOptions options,
                    HttpRequest request = {}) {
    options.offers_http2 = false;  // which has tests of its own
    ClientDriver driver(std::move(options));
    const Fetched& fetched = driver.finish(driver.begin(url(target), std::move(request)));
    if (fetched.error) message = fetched.error->message;
    return fetched.text();
  }
  std::string message;
};

TEST_F(HttpClientTls, TrustsTheCertificateOfTheHost) {
  EXPECT_EQ(fetch("/echo", {.trusted_certificates = certificate_}, post({"hello"})), "200 hello");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(fetch("/echo", {.trusted_certificates = certificate_}, post({large})), "200 " + large);
}

TEST_F(HttpClientTls, KeepsConnections) {
  ClientDriver driver({.offers_http2 = false, .trusted_certificates = certificate_});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(driver.fetch(url("/echo"), post({"hello"})), "200 hello");
  EXPECT_EQ(driver.client->figures().opened, 1u);
}

TEST_F(HttpClientTls, TrustsNobodyElse) {
  EXPECT_EQ(fetch("/echo", {}), "tls");
  EXPECT_TRUE(message.contains("self-signed certificate")) << message;
  ClientDriver driver({.trusted_certificates = certificate_});
  const Fetched& other =
      driver.finish(driver.begin("https://127.0.0.1:" + std::to_string(server_->port()) + "/echo"));
  EXPECT_EQ(other.text(), "tls");
  EXPECT_TRUE(other.error->message.contains("IP address mismatch")) << other.error->message;
}

TEST_F(HttpClientTls, SaysThatAServerSpeaksNoTls) {
  const ScriptedServer plain([](ScriptedPeer& peer) { peer.send("HTTP/1.1 400 Bad\r\n\r\n"); });
  ClientDriver driver;
  EXPECT_EQ(driver.fetch("https://127.0.0.1:" + std::to_string(plain.port())), "tls");
  const ScriptedServer silent([](ScriptedPeer& peer) { peer.read_all(); });
  EXPECT_EQ(
      driver.fetch("https://127.0.0.1:" + std::to_string(silent.port()), {.deadline = in(60ms)}),
      "timeout");
}

TEST_F(HttpClientTls, GoesThroughTheTunnelOfAProxy) {
  const ScriptedServer proxy([this](ScriptedPeer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
    testing::RawClient far(server_->port());
    std::thread back([&] {
      for (std::string bytes = far.read_some(100ms); !far.has_ended; bytes = far.read_some(100ms))
        peer.send(bytes);
    });
    for (std::string bytes = peer.read_some(); !bytes.empty(); bytes = peer.read_some())
      far.send(bytes);
    far.end_output();
    back.join();
  });
  EXPECT_EQ(fetch("/echo", {.proxies = proxies(proxy.url()), .trusted_certificates = certificate_},
                  post({"through"})),
            "200 through");
}

}  // namespace
}  // namespace cordon::transport::http
