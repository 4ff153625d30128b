#include "cordon/transport/http/head_parser.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

HeadParser::Outcome parse(std::string_view text, RequestHead& head, const HeadLimits& limits = {}) {
  return HeadParser(limits).parse(text, head);
}
unsigned status_of(std::string_view text, const HeadLimits& limits = {}) {
  RequestHead head;
  const HeadParser::Outcome outcome = parse(text, head, limits);
  const Refusal* const refusal = std::get_if<Refusal>(&outcome);
  if (refusal != nullptr) return refusal->status;
  return std::holds_alternative<HeadParser::Whole>(outcome) ? 200 : 0;
}
// With a Host, unless the lines have their own.
unsigned status_with(std::string_view lines) {
  return status_of("POST /x HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n");
}

TEST(HeadParser, ReadsARequest) {
  RequestHead head;
  const std::string text =
      "POST /task/a?b=c HTTP/1.1\r\nHost: example:80\r\nX-Two:  b \r\nx-two: c\r\n"
      "Content-Length: 12\r\nEmpty:\r\n\r\n";
  const HeadParser::Outcome outcome = parse(text + "body", head);
  const auto& whole = std::get<HeadParser::Whole>(outcome);
  EXPECT_EQ(whole.size, text.size());
  EXPECT_EQ(whole.framing.length, 12u);
  EXPECT_TRUE(whole.framing.keeps_alive);
  EXPECT_FALSE(whole.framing.is_chunked);
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/task/a?b=c");
  EXPECT_EQ(head.minor_version, 1u);
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.has_body);
  ASSERT_EQ(head.headers.size(), 5u);
  EXPECT_EQ(head.headers[1].name, "x-two");
  EXPECT_EQ(*head.find("x-two"), "b");
  EXPECT_EQ(head.count("x-two"), 2u);
  EXPECT_EQ(*head.find("empty"), "");
  EXPECT_EQ(head.find("other"), nullptr);
}

TEST(HeadParser, GivesTheSameWhereverTheBytesAreCut) {
  for (const std::string& text :
       {std::string("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        std::string("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\nb: c\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost : a\r\n\r\n")}) {
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      SCOPED_TRACE(cut);
      RequestHead head;
      HeadParser parser({});
      HeadParser::Outcome outcome = HeadParser::NeedsMore{};
      if (cut > 0) outcome = parser.parse(std::string_view(text).substr(0, cut), head);
      if (std::holds_alternative<HeadParser::NeedsMore>(outcome))
        outcome = parser.parse(text, head);
      RequestHead at_once;
      const HeadParser::Outcome expected = parse(text, at_once);
      ASSERT_EQ(outcome.index(), expected.index());
      if (std::holds_alternative<Refusal>(expected)) {
        EXPECT_EQ(std::get<Refusal>(outcome), std::get<Refusal>(expected));
      } else {
        EXPECT_EQ(std::get<HeadParser::Whole>(outcome).size, text.size());
      }
    }
  }
}

TEST(HeadParser, UsesTheRoomOfTheLastRequestAndNothingElseOfIt) {
  HeadParser parser({});
  RequestHead head;
  parser.parse("POST /long HTTP/1.1\r\nHost: a\r\nx: y\r\nContent-Length: 3\r\n\r\n", head);
  parser.reset();
  const HeadParser::Outcome outcome = parser.parse("GET / HTTP/1.0\r\n\r\n", head);
  EXPECT_FALSE(std::get<HeadParser::Whole>(outcome).framing.keeps_alive);
  EXPECT_TRUE(head.headers.empty());
  EXPECT_FALSE(head.has_body);
  EXPECT_EQ(head.content_length, std::nullopt);
  EXPECT_EQ(head.minor_version, 0u);
}

TEST(HeadParser, RefusesTwoViewsOfWhereABodyEnds) {
  EXPECT_EQ(status_with("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400u);
  EXPECT_EQ(status_with("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), 400u);
  EXPECT_EQ(status_with("Content-Length: 1\r\nContent-Length: 1\r\n"), 400u);
  EXPECT_EQ(status_with("Content-Length: 1\r\nContent-Length: 2\r\n"), 400u);
  for (const char* const length : {"", "-1", "+1", "0x1", "1, 1", "1 1", "1a", "1.0",
                                   "99999999999999999999", "1234567890123456789"}) {
    SCOPED_TRACE(length);
    EXPECT_EQ(status_with("Content-Length: " + std::string(length) + "\r\n"), 400u);
  }
  for (const char* const coding : {"xchunked", "chunked, identity", "identity", "gzip, chunked",
                                   "chunked, chunked", "\"chunked\"", "chunked;x", "",
                                   "\x0b"
                                   "chunked",
                                   "chunke", "gzip"}) {
    SCOPED_TRACE(coding);
    EXPECT_EQ(status_with("Transfer-Encoding: " + std::string(coding) + "\r\n"), 400u);
  }
  EXPECT_EQ(status_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400u);
  EXPECT_EQ(status_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400u);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400u);
  EXPECT_EQ(status_with("Transfer-Encoding: Chunked\r\n"), 200u);
  EXPECT_EQ(status_with("Content-Length: 0\r\n"), 200u);
}

TEST(HeadParser, RefusesOddLines) {
  for (const char* const lines :
       {"a b: c\r\n", "a : c\r\n", "a\t: c\r\n", ": c\r\n", "no colon\r\n", "a: b\r\n folded\r\n",
        " a: b\r\n", "a: b\r\n\tfolded\r\n", "a: b\x01\r\n", "a: b\x7f\r\n", "a: b\rc: d\r\n",
        "a: b\nc: d\r\n", "a: b\n", "a\x80: b\r\n", "a: b\r\r\n", "\"a\": b\r\n"}) {
    SCOPED_TRACE(lines);
    EXPECT_EQ(status_with(lines), 400u);
  }
  EXPECT_EQ(status_with(std::string_view("a: b\0c\r\n", 8)), 400u);
  EXPECT_EQ(status_with(std::string_view("a\0: bc\r\n", 8)), 400u);
  EXPECT_EQ(status_with("a: caf\xc3\xa9\tb\r\n"), 200u);
}

TEST(HeadParser, RefusesOddRequestLines) {
  for (const char* const line : {"GET /",
                                 "GET",
                                 "GET  / HTTP/1.1",
                                 "GET /  HTTP/1.1",
                                 "GET / HTTP/1.1 ",
                                 " GET / HTTP/1.1",
                                 "GET / http/1.1",
                                 "GET / HTTP/1.10",
                                 "GET / HTTP/11",
                                 "GET / HTTP/a.b",
                                 "GET\t/ HTTP/1.1",
                                 "G(T / HTTP/1.1",
                                 "GET /a b HTTP/1.1",
                                 "GET /\x80 HTTP/1.1",
                                 "GET /\x01 HTTP/1.1",
                                 "GET /#a HTTP/1.1",
                                 "GET a HTTP/1.1",
                                 "GET * HTTP/1.1",
                                 "CONNECT a:1 HTTP/1.1",
                                 "GET http:///x HTTP/1.1",
                                 "GET ftp://a/ HTTP/1.1",
                                 "GET http://a@b/ HTTP/1.1",
                                 "\x16\x03\x01"}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(status_of(std::string(line) + "\r\nHost: a\r\n\r\n"), 400u);
  }
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: a\n\n"), 400u);
  EXPECT_EQ(status_of("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505u);
  EXPECT_EQ(status_of("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 505u);
  EXPECT_EQ(status_of("GET / HTTP/3.0\r\nHost: a\r\n\r\n"), 505u);
  EXPECT_EQ(status_of("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), 200u);
  EXPECT_EQ(status_of("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), 200u);
}

TEST(HeadParser, RefusesAtOnceWhatNoRequestBeginsWith) {
  EXPECT_EQ(status_of("\x16\x03\x01\x02"), 400u);
  EXPECT_EQ(status_of("GET /\r\n"), 400u);
  EXPECT_EQ(status_of("G"), 0u);
  EXPECT_EQ(status_of("\r"), 0u);
}

TEST(HeadParser, TakesAbsoluteTargetsForTheirPaths) {
  const auto target_of = [](std::string_view target) {
    RequestHead head;
    parse("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n", head);
    return head.target;
  };
  EXPECT_EQ(target_of("http://a:80/b?c"), "/b?c");
  EXPECT_EQ(target_of("HTTPS://a"), "/");
  EXPECT_EQ(target_of("http://[::1]:80?c"), "/?c");
  EXPECT_EQ(target_of("//a/b"), "//a/b");
}

TEST(HeadParser, WantsOneHost) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400u);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 200u);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200u);
}

TEST(HeadParser, KeepsItsLimits) {
  const HeadLimits limits{.bytes = 100, .count = 3};
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(status_of(start + "a: b\r\nc: d\r\n\r\n", limits), 200u);
  EXPECT_EQ(status_of(start + "a: b\r\nc: d\r\ne: f\r\n\r\n", limits), 431u);
  const std::string fill(100 - start.size() - 7, 'x');
  EXPECT_EQ(status_of(start + "a: " + fill + "\r\n\r\n", limits), 200u);
  EXPECT_EQ(status_of(start + "a: " + fill + "x\r\n\r\n", limits), 431u);
  EXPECT_EQ(status_of(start + std::string(99 - start.size(), 'x'), limits), 0u);
  EXPECT_EQ(status_of(start + std::string(100 - start.size(), 'x'), limits), 431u);
  EXPECT_EQ(status_of("GET /" + std::string(100, 'x'), limits), 414u);
  EXPECT_EQ(status_of(std::string(40, 'G') + " / HTTP/1.1\r\n"), 400u);
}

TEST(HeadParser, KnowsWhenAConnectionGoesOn) {
  const auto keeps_alive = [](std::string_view text) {
    RequestHead head;
    const HeadParser::Outcome outcome = parse(text, head);
    return std::get<HeadParser::Whole>(outcome).framing.keeps_alive;
  };
  EXPECT_TRUE(keeps_alive("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps_alive("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
  EXPECT_FALSE(keeps_alive("GET / HTTP/1.0\r\nConnection: Keep-Alive, close\r\n\r\n"));
}

TEST(HeadParser, KnowsOneExpectation) {
  EXPECT_EQ(status_with("Expect: 100-Continue\r\nContent-Length: 1\r\n"), 200u);
  EXPECT_EQ(status_with("Expect: 200-ok\r\n"), 417u);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nExpect: x\r\n\r\n"), 200u);
}

}  // namespace
}  // namespace cordon::transport::http
