// HTTP/2 by clients that are up to no good, or slow, or both.

#include "cordon/transport/http/http2_session.h"

#include <string>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/transport/http/testing/http2_peer.h"

namespace cordon::transport::http {
namespace {

using http::testing::big_endian;
using http::testing::Fields;
using http::testing::Frame;
using http::testing::Http2Peer;
using http::testing::pack;
using http::testing::to_bytes;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class Http2SessionTest : public ::testing::Test {
 protected:
  Http2SessionTest()
      : peer_({},
              [this](Exchange& exchange) -> asio::awaitable<void> { return handle(exchange); }) {
    peer_.send(Http2Peer::preface());
    peer_.send(Frame{.type = NGHTTP2_SETTINGS, .flags = NGHTTP2_FLAG_ACK});
    peer_.frames();
  }
  ~Http2SessionTest() override {
    peer_.lose();
    peer_.run();
    EXPECT_EQ(running_, 0U) << "a handler is left";
  }

  // The answer to one request, in words.
  std::string ask(const Fields& fields) {
    const std::uint32_t stream = next_stream();
    peer_.send_head(stream, fields, true);
    return peer_.news(stream);
  }
  // One that does not fit into a frame.
  std::string ask_in_pieces(const Fields& fields) {
    const std::uint32_t stream = next_stream();
    const std::string block = pack(fields);
    peer_.send(Frame{.type = NGHTTP2_HEADERS,
                     .flags = NGHTTP2_FLAG_END_STREAM,
                     .stream = stream,
                     .payload = block.substr(0, 16'384)});
    peer_.send(Frame{.type = NGHTTP2_CONTINUATION,
                     .flags = NGHTTP2_FLAG_END_HEADERS,
                     .stream = stream,
                     .payload = block.substr(16'384)});
    return peer_.news();
  }
  // A header that HPACK's table keeps, so that "\xbe" stands for it.
  static std::string table_entry() {
    return "\x40\x01x" + http::testing::packed_length(3'900) + std::string(3'900, 'b');
  }
  std::uint32_t next_stream() { return std::exchange(next_stream_, next_stream_ + 2); }
  // Many of one frame.
  void flood(const Frame& frame, int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += to_bytes(frame);
    peer_.send(bytes);
  }

  asio::awaitable<void> handle(Exchange& exchange) {
    max_running_ = std::max(max_running_, ++running_);
    ++entered_;
    co_await answer(exchange);
    if (exchange.aborted().stop_requested()) ++aborted_;
    --running_;
  }

  asio::awaitable<void> answer(Exchange& exchange) {
    const std::string target = exchange.head().target;
    const ResponseHead head;
    if (target == "/wait") {
      asio::steady_timer timer(peer_.io(), Instant::max());
      const std::stop_callback on_stop(exchange.aborted(), [&] { timer.cancel(); });
      boost::system::error_code ignored;
      if (!exchange.aborted().stop_requested())
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    } else if (target == "/count") {
      std::size_t size = 0;
      for (;;) {
        const Result<BytesView> piece = co_await exchange.read();
        if (!piece) body_error_ = piece.error().code;
        if (!piece || piece->empty()) break;
        size += piece->size();
      }
      if (body_error_) co_return;
      std::string text = std::to_string(size);
      co_await exchange.respond(head, std::move(text));
    } else if (target == "/large") {
      std::string text(200'000, 'x');
      co_await exchange.respond(head, std::move(text));
    } else if (target == "/echo") {
      co_await exchange.start(head);
      for (;;) {
        const Result<BytesView> piece = co_await exchange.read();
        if (!piece || piece->empty()) break;
        co_await exchange.write(*piece);
      }
      co_await exchange.finish();
    } else if (target == "/half") {
      co_await exchange.start(head);
    } else if (target == "/headers") {
      std::string text;
      for (const Header& header : exchange.head().headers)
        text += header.name + "=" + header.value + ";";
      co_await exchange.respond(head, std::move(text));
    } else {
      co_await exchange.respond(head, "hello");
    }
  }

  std::size_t entered_ = 0;
  std::size_t running_ = 0;
  std::size_t max_running_ = 0;
  int aborted_ = 0;
  std::optional<ErrorCode> body_error_;
  std::uint32_t next_stream_ = 1;
  Http2Peer peer_;
};

// Requests.

TEST_F(Http2SessionTest, HandsOverTheSameHeadAsHttp11) {
  EXPECT_EQ(ask(Http2Peer::get("/a")), "1 status 200\n1 data hello end\n");
  EXPECT_EQ(ask(Http2Peer::get("/headers", {{"b", "1"}, {"b", "2"}, {"host", "A"}})),
            "3 status 200\n3 data b=1;b=2;host=A; end\n");
  EXPECT_THAT(ask(Http2Peer::get("/headers", {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}})),
              HasSubstr("data host=a;cookie=a=1; b=2;x=y; end"));
  Fields head = Http2Peer::get("/a");
  head[0].second = "HEAD";
  EXPECT_EQ(ask(head), "7 status 200 end\n");
}

TEST_F(Http2SessionTest, RefusesWhatTwoReadersCouldTakeForTwoThings) {
  const auto refused = [&](const Fields& fields, const std::string& how) {
    const std::string answer = ask(fields);
    EXPECT_THAT(answer, HasSubstr(how)) << ::testing::PrintToString(fields);
  };
  refused(Http2Peer::get("/", {{"host", "b"}}), "status 400");
  refused(Http2Peer::get("/", {{"host", "a"}, {"host", "a"}}), "reset 1");
  refused({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}}, "reset 1");
  refused(Http2Peer::get("/", {{"transfer-encoding", "chunked"}}), "reset 1");
  refused(Http2Peer::get("/", {{"connection", "close"}}), "reset 1");
  refused(Http2Peer::get("/", {{"te", "gzip"}}), "reset 1");
  refused(Http2Peer::get("/", {{"content-length", "5"}}), "reset 1");
  refused(Http2Peer::post("/", {{"content-length", "0"}, {"content-length", "0"}}), "reset 1");
  refused(Http2Peer::post("/", {{"content-length", "-1"}}), "reset 1");
  refused(Http2Peer::get("/", {{"x", "a\r\nb: c"}}), "status 400");
  refused(Http2Peer::get("/", {{"X", "a"}}), "reset 1");
  refused(Http2Peer::get("/", {{":path", "/b"}}), "reset 1");
  refused(Http2Peer::get("a"), "reset 1");
  refused(Http2Peer::get("/a#b"), "status 400");
  refused(Http2Peer::get("/", {{"expect", "nothing"}}), "status 417");
  refused({{":method", "CONNECT"}, {":authority", "a:1"}}, "status 400");
  refused({{":method", "GET"}, {":scheme", "ftp"}, {":authority", "a"}, {":path", "/"}},
          "status 400");
  EXPECT_EQ(entered_, 0U);
  EXPECT_THAT(ask(Http2Peer::get("/")), HasSubstr("hello")) << "the connection goes on";
}

TEST_F(Http2SessionTest, HoldsBodiesToTheLengthThatWasPromised) {
  for (const char* const body : {"abc", "abcdefg"}) {
    const std::uint32_t stream = next_stream();
    peer_.send_head(stream, Http2Peer::post("/count", {{"content-length", "5"}}), false);
    peer_.send_data(stream, body, true);
    EXPECT_THAT(peer_.news(stream), HasSubstr("reset 1"));
  }
  EXPECT_EQ(body_error_, ErrorCode::closed);
}

TEST_F(Http2SessionTest, KeepsHeadsWithinTheirLimits) {
  Fields many;
  for (int i = 0; i < 101; ++i) many.push_back({"x" + std::to_string(i), ""});
  EXPECT_THAT(ask(Http2Peer::get("/", many)), HasSubstr("status 431"));
  const std::uint32_t long_one = next_stream();
  peer_.send(Frame{.type = NGHTTP2_HEADERS,
                   .flags = NGHTTP2_FLAG_END_STREAM,
                   .stream = long_one,
                   .payload = pack(Http2Peer::get("/", {{"x", std::string(9'000, 'x')}}))});
  peer_.send(Frame{.type = NGHTTP2_CONTINUATION,
                   .flags = NGHTTP2_FLAG_END_HEADERS,
                   .stream = long_one,
                   .payload = pack({{"y", std::string(9'000, 'y')}})});
  EXPECT_THAT(peer_.news(long_one), HasSubstr("status 431"));
  // One byte for four thousand: an entry of the table, over and over.
  const std::string bomb = pack(Http2Peer::get("/")) + table_entry() + std::string(5, '\xbe');
  const std::uint32_t stream = next_stream();
  peer_.send(Frame{.type = NGHTTP2_HEADERS,
                   .flags = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM,
                   .stream = stream,
                   .payload = bomb});
  EXPECT_THAT(peer_.news(stream), HasSubstr("status 431"));
  EXPECT_EQ(entered_, 0U);
  EXPECT_EQ(peer_.context().figures.refused, 3U);
}

// Each byte of such a head costs a look at four thousand.
TEST_F(Http2SessionTest, ReadsNoHeadPastTwiceItsLimit) {
  const Frame next{.type = NGHTTP2_HEADERS,
                   .flags = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM,
                   .stream = 3,
                   .payload = pack(Http2Peer::get("/"))};
  const std::string bomb = pack(Http2Peer::get("/")) + table_entry() + std::string(8, '\xbe');
  peer_.send(to_bytes({.type = NGHTTP2_HEADERS, .stream = 1, .payload = bomb}) + to_bytes(next));
  EXPECT_EQ(peer_.news(), "0 goaway 1 11\n");
  EXPECT_TRUE(peer_.session().is_over());
  EXPECT_EQ(entered_, 0U) << "what comes behind it is not read either";
}

TEST_F(Http2SessionTest, ReadsNoTrailersPastTwiceTheLimitOfAHead) {
  peer_.send_head(1, Http2Peer::post("/count"), false);
  peer_.send(Frame{.type = NGHTTP2_HEADERS,
                   .flags = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM,
                   .stream = 1,
                   .payload = table_entry() + std::string(10'000, '\xbe')});
  EXPECT_EQ(peer_.news(), "0 goaway 1 11\n");
  EXPECT_TRUE(peer_.session().is_over());
  peer_.lose();
  peer_.run();
  EXPECT_EQ(body_error_, ErrorCode::closed);
}

TEST_F(Http2SessionTest, CountsHeadsThatAreTooLargeAsResets) {
  const Fields large = Http2Peer::get("/", {{"x", std::string(17'000, 'x')}});
  std::size_t answered = 0;
  for (int i = 0; i < 300 && !peer_.session().is_over(); ++i) {
    const std::string news = ask_in_pieces(large);
    if (news.contains("status 431")) ++answered;
    if (peer_.session().is_over()) {
      EXPECT_THAT(news, EndsWith(" 11\n"));
    }
  }
  EXPECT_TRUE(peer_.session().is_over());
  EXPECT_EQ(answered, 200U);
  EXPECT_EQ(entered_, 0U);
}

TEST_F(Http2SessionTest, IgnoresTrailers) {
  const std::uint32_t stream = next_stream();
  peer_.send_head(stream, Http2Peer::post("/count"), false);
  peer_.send_data(stream, "abc");
  peer_.send_head(stream, {{"x-checksum", "1"}}, true);
  EXPECT_THAT(peer_.news(stream), HasSubstr("data 3 end"));
}

// Bodies.

TEST_F(Http2SessionTest, OpensAWindowOnlyAsTheHandlerReads) {
  const std::uint32_t unread = next_stream();
  peer_.send_head(unread, Http2Peer::post("/wait"), false);
  const std::string piece(16'384, 'p');
  for (std::size_t sent = 0; sent < Http2Session::stream_window_bytes; sent += piece.size())
    peer_.send_data(unread, piece);
  EXPECT_THAT(peer_.news(unread), IsEmpty());
  // Others are not held up by it.
  const std::uint32_t read = next_stream();
  peer_.send_head(read, Http2Peer::post("/count"), false);
  for (int i = 0; i < 200; ++i) peer_.send_data(read, piece, i == 199);
  const std::string news = peer_.news(read);
  EXPECT_THAT(news, HasSubstr("window "));
  EXPECT_THAT(news, HasSubstr("data 3276800 end"));
  // Past its window.
  peer_.send_data(unread, "x");
  EXPECT_THAT(peer_.news(), HasSubstr(std::to_string(unread) + " reset 3"));
  EXPECT_EQ(aborted_, 1);
}

TEST_F(Http2SessionTest, KeepsAPieceWhereItIsWhileMoreComes) {
  peer_.is_reading = false;
  peer_.send_head(1, Http2Peer::post("/echo"), false);
  const std::string pieces[] = {std::string(100, 'a'), std::string(7'000, 'b'),
                                std::string(16'000, 'c'), std::string(16'000, 'd'),
                                std::string(9, 'e')};
  for (const std::string& piece : pieces) peer_.send_data(1, piece, piece.front() == 'e');
  peer_.is_reading = true;
  peer_.flush();
  peer_.run();
  std::string echoed;
  for (const Frame& frame : peer_.frames())
    if (frame.type == NGHTTP2_DATA) echoed += frame.payload;
  EXPECT_EQ(echoed, pieces[0] + pieces[1] + pieces[2] + pieces[3] + pieces[4]);
}

TEST_F(Http2SessionTest, KeepsToTheWindowOfItsClient) {
  const std::uint32_t stream = next_stream();
  peer_.send_head(stream, Http2Peer::get("/large"), true);
  std::size_t size = 0;
  const auto take = [&] {
    bool has_ended = false;
    for (const Frame& frame : peer_.frames()) {
      if (frame.type != NGHTTP2_DATA) continue;
      size += frame.payload.size();
      has_ended = (frame.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    }
    return has_ended;
  };
  EXPECT_FALSE(take());
  EXPECT_EQ(size, 65'535U);
  EXPECT_EQ(running_, 1U);
  peer_.open_window(stream, 1'000'000);
  EXPECT_FALSE(take()) << "that of the connection is closed";
  peer_.open_window(0, 1'000'000);
  EXPECT_TRUE(take());
  EXPECT_EQ(size, 200'000U);
  EXPECT_EQ(running_, 0U);
}

TEST_F(Http2SessionTest, SharesTheConnectionAmongAnswers) {
  peer_.is_reading = false;
  for (const std::uint32_t stream : {1U, 3U})
    peer_.send_head(stream, Http2Peer::get("/large"), true);
  peer_.is_reading = true;
  peer_.flush();
  std::size_t sizes[2] = {};
  for (const Frame& frame : peer_.frames())
    if (frame.type == NGHTTP2_DATA) sizes[frame.stream / 2] += frame.payload.size();
  EXPECT_GT(sizes[0], 20'000U);
  EXPECT_GT(sizes[1], 20'000U);
}

// Time.

TEST_F(Http2SessionTest, EndsStreamsThatMakeNoProgress) {
  peer_.send_head(1, Http2Peer::get("/large"), true);
  peer_.send_head(3, Http2Peer::post("/count"), false);
  peer_.send_head(5, Http2Peer::get("/wait"), true);
  peer_.open_window(0, 100'000);
  peer_.news();
  peer_.pass(29s);
  EXPECT_THAT(peer_.news(), IsEmpty());
  peer_.pass(2s);
  const std::string news = peer_.news();
  EXPECT_THAT(news, HasSubstr("1 reset 8\n"));
  EXPECT_THAT(news, HasSubstr("3 status 408\n"));
  EXPECT_THAT(news, HasSubstr("3 reset 0\n"));
  EXPECT_THAT(news, Not(HasSubstr("5 ")));
  EXPECT_EQ(peer_.context().figures.stalled, 2U);
  EXPECT_EQ(body_error_, ErrorCode::timeout);
  EXPECT_FALSE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, EndsConnectionsThatAreIdle) {
  ask(Http2Peer::get("/"));
  peer_.pass(74s);
  EXPECT_FALSE(peer_.session().is_over());
  peer_.send(Frame{.type = NGHTTP2_PING, .payload = "12345678"});
  peer_.pass(2s);
  EXPECT_THAT(peer_.news(), HasSubstr("goaway 1 0"));
  EXPECT_TRUE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, EndsConnectionsWhoseHeadsDoNotEnd) {
  peer_.send(Frame{.type = NGHTTP2_HEADERS, .stream = 1, .payload = pack(Http2Peer::get("/"))});
  peer_.pass(11s);
  EXPECT_THAT(peer_.news(), HasSubstr("goaway"));
  EXPECT_TRUE(peer_.session().is_over());
}

// Ends.

TEST_F(Http2SessionTest, TellsTheHandlerOfAReset) {
  peer_.send_head(1, Http2Peer::get("/wait"), true);
  peer_.send_head(3, Http2Peer::get("/wait"), true);
  EXPECT_EQ(running_, 2U);
  peer_.send_reset(1);
  EXPECT_EQ(running_, 1U);
  EXPECT_EQ(aborted_, 1);
  EXPECT_EQ(peer_.context().figures.aborted, 1U);
  peer_.lose();
  peer_.run();
  EXPECT_EQ(aborted_, 2);
}

TEST_F(Http2SessionTest, ResetsAnAnswerThatIsNotFinished) {
  EXPECT_EQ(ask(Http2Peer::get("/half")), "1 status 200\n1 reset 2\n");
  EXPECT_THAT(ask(Http2Peer::get("/")), HasSubstr("hello"));
}

TEST_F(Http2SessionTest, AnswersBeforeTheBodyAndSaysThatItWantsNoMore) {
  peer_.send_head(1, Http2Peer::post("/a"), false);
  EXPECT_EQ(peer_.news(1), "1 status 200\n1 data hello end\n1 reset 0\n");
  peer_.send_head(3, Http2Peer::post("/count", {{"expect", "100-continue"}}), false);
  EXPECT_EQ(peer_.news(3), "3 status 100\n");
  peer_.send_data(3, "abc", true);
  EXPECT_EQ(peer_.news(3), "3 status 200\n3 data 3 end\n");
}

TEST_F(Http2SessionTest, DrainsInTwoSteps) {
  peer_.send_head(1, Http2Peer::get("/wait"), true);
  peer_.session().drain();
  EXPECT_THAT(peer_.news(), HasSubstr("goaway 2147483647 0"));
  // It may have been on its way.
  EXPECT_THAT((next_stream_ = 3, ask(Http2Peer::get("/"))), HasSubstr("hello"));
  peer_.pass(1ms);
  peer_.pass(1ms);
  EXPECT_THAT(peer_.news(), HasSubstr("goaway 3 0"));
  EXPECT_THAT(ask(Http2Peer::get("/")), IsEmpty());
  EXPECT_FALSE(peer_.session().is_over());
  peer_.send_reset(1);
  EXPECT_TRUE(peer_.session().is_over());
}

// Floods.

TEST_F(Http2SessionTest, EndsAClientThatOpensAndResets) {
  std::string bytes;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint32_t stream = next_stream();
    bytes += to_bytes({.type = NGHTTP2_HEADERS,
                       .flags = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM,
                       .stream = stream,
                       .payload = pack(Http2Peer::get("/wait"))});
    bytes += to_bytes(
        {.type = NGHTTP2_RST_STREAM, .stream = stream, .payload = big_endian(NGHTTP2_CANCEL)});
  }
  for (std::size_t at = 0; at < bytes.size(); at += 60) peer_.send(bytes.substr(at, 60));
  EXPECT_THAT(peer_.news(), AllOf(HasSubstr("goaway"), EndsWith(" 11\n")));
  EXPECT_TRUE(peer_.session().is_over());
  EXPECT_LE(entered_, 201U);
  EXPECT_EQ(running_, 0U);
}

// The server is made to reset them, which the client's own count of streams does not see.
TEST_F(Http2SessionTest, EndsAClientThatHasItsStreamsReset) {
  for (int i = 0; i < 300 && !peer_.session().is_over(); ++i) {
    const std::uint32_t stream = next_stream();
    peer_.send_head(stream, Http2Peer::get("/wait"), true);
    peer_.open_window(stream, 0x7fff'ffff);
  }
  EXPECT_THAT(peer_.news(), EndsWith(" 11\n"));
  EXPECT_LE(max_running_, 200U);
}

TEST_F(Http2SessionTest, RefusesMoreStreamsThanItSaid) {
  for (int i = 0; i < 101; ++i) peer_.send_head(next_stream(), Http2Peer::get("/wait"), true);
  EXPECT_EQ(running_, 100U);
  EXPECT_TRUE(peer_.session().is_over() || peer_.news().find("201 reset") != std::string::npos);
}

TEST_F(Http2SessionTest, EndsClientsThatSendFramesForNothing) {
  flood({.type = NGHTTP2_PING, .payload = "12345678"}, 1'200);
  EXPECT_THAT(peer_.news(), EndsWith(" 11\n"));
  EXPECT_TRUE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, EndsClientsThatSendSettingsForNothing) {
  flood({.type = NGHTTP2_SETTINGS}, 1'200);
  EXPECT_THAT(peer_.news(), EndsWith(" 11\n"));
  EXPECT_TRUE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, EndsClientsThatSendEmptyData) {
  peer_.send_head(1, Http2Peer::post("/count"), false);
  flood({.type = NGHTTP2_DATA, .stream = 1}, 1'200);
  EXPECT_THAT(peer_.news(), EndsWith(" 11\n"));
  EXPECT_TRUE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, CountsEveryFrameThatMovesNothing) {
  const unsigned ends = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM;
  const Frame frames[] = {
      {.type = NGHTTP2_PRIORITY, .stream = 5, .payload = std::string(5, '\1')},
      {.type = NGHTTP2_WINDOW_UPDATE, .payload = big_endian(1)},
      {.type = 0x10, .payload = big_endian(1) + "u=1"},  // PRIORITY_UPDATE
      {.type = 0xf3, .flags = 0xff, .stream = 7, .payload = "of a kind that nobody knows"},
      {.type = NGHTTP2_RST_STREAM, .stream = 1, .payload = big_endian(NGHTTP2_CANCEL)},
      {.type = NGHTTP2_DATA, .stream = 1},  // of a stream that is over
      {.type = NGHTTP2_DATA, .flags = NGHTTP2_FLAG_PADDED, .stream = 3, .payload = {"\0", 1}},
      {.type = NGHTTP2_HEADERS, .flags = ends, .stream = 1, .payload = pack(Http2Peer::get("/"))},
  };
  for (const Frame& frame : frames) {
    SCOPED_TRACE(frame.type);
    Http2Peer peer(
        {}, [this](Exchange& exchange) -> asio::awaitable<void> { return handle(exchange); });
    peer.send(Http2Peer::preface());
    peer.send_head(1, Http2Peer::get("/"), true);
    peer.send_head(3, Http2Peer::post("/count"), false);
    for (int i = 0; i < 900; ++i) peer.send(frame);
    EXPECT_FALSE(peer.session().is_over());
    for (int i = 0; i < 200; ++i) peer.send(frame);
    EXPECT_THAT(peer.news(), EndsWith(" 11\n"));
    EXPECT_TRUE(peer.session().is_over());
  }
}

// What clients send beside requests and for answers: priorities, and windows.
TEST_F(Http2SessionTest, LetsFramesThatBelongToARequestThrough) {
  for (int i = 0; i < 3'000; ++i) {
    const std::uint32_t stream = next_stream();
    peer_.send(Frame{.type = NGHTTP2_PRIORITY, .stream = stream, .payload = std::string(5, '\1')});
    peer_.send(Frame{.type = 0x10, .payload = big_endian(stream) + "u=1"});
    peer_.send_head(stream, Http2Peer::get("/"), true);
    for (int j = 0; j < 8; ++j) peer_.open_window(0, 5);
    ASSERT_THAT(peer_.news(), HasSubstr("hello")) << i;
  }
}

TEST_F(Http2SessionTest, EndsClientsThatContinueForEver) {
  peer_.send(Frame{.type = NGHTTP2_HEADERS, .stream = 1, .payload = pack(Http2Peer::get("/"))});
  flood({.type = NGHTTP2_CONTINUATION, .stream = 1, .payload = pack({{"a", "b"}})}, 1'000);
  EXPECT_THAT(peer_.news(), HasSubstr("goaway"));
  EXPECT_TRUE(peer_.session().is_over());
  EXPECT_EQ(entered_, 0U);
}

TEST_F(Http2SessionTest, EndsClientsWhoseWindowOverflows) {
  peer_.open_window(0, 0x7fff'ffff);
  EXPECT_THAT(peer_.news(), EndsWith(" 3\n"));
  EXPECT_TRUE(peer_.session().is_over());
}

TEST_F(Http2SessionTest, ReadsNothingMoreFromWhoReadsNothing) {
  peer_.is_reading = false;
  for (int i = 0; i < 900 && !peer_.session().is_choked(); ++i)
    peer_.send(Frame{.type = NGHTTP2_PING, .payload = "12345678"});
  EXPECT_TRUE(peer_.session().is_choked());
  peer_.is_reading = true;
  peer_.flush();
  EXPECT_FALSE(peer_.session().is_choked());
}

TEST(Http2Session, EndsWhoDoesNotSpeakIt) {
  Http2Peer peer({}, [](Exchange&) -> asio::awaitable<void> { co_return; });
  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(peer.news(), HasSubstr("goaway 0 1"));
  EXPECT_TRUE(peer.session().is_over());
}

}  // namespace
}  // namespace cordon::transport::http
