#include "cordon/protocol/tunnel/stream_head.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::tunnel {
namespace {

std::string why_not(StreamHead head) { return complain_about(head).value_or("it is one"); }

TEST(StreamHead, HasAStatusThatAllowsABody) {
  for (const unsigned status : {200u, 201u, 206u, 301u, 404u, 599u})
    EXPECT_EQ(why_not({.status = status}), "it is one") << status;
  for (const unsigned status : {0u, 100u, 101u, 199u, 600u, 65'736u}) {
    EXPECT_EQ(why_not({.status = status}),
              "the status " + std::to_string(status) + " is not from 200 to 599");
  }
  for (const unsigned status : {204u, 205u, 304u})
    EXPECT_EQ(why_not({.status = status}), "the status " + std::to_string(status) + " has no body");
}

TEST(StreamHead, HasHeadersOfTheTask) {
  EXPECT_EQ(why_not({.headers = {{"Content-Disposition", "attachment; filename=\"a.csv\""},
                                 {"set-cookie", "a=1"},
                                 {"set-cookie", "b=2"},
                                 {"x-empty", ""},
                                 {"x-name", "gr\xc3\xbc\xc3\x9f"}}}),
            "it is one");
}

TEST(StreamHead, HasNoHeadersOfTheServer) {
  for (const char* name :
       {"Connection", "keep-alive", "Proxy-Connection", "TE", "trailer", "Transfer-Encoding",
        "upgrade", "content-length", "date", "X-Frame-Options", "x-content-type-options",
        "x-runner-request-id", "Access-Control-Allow-Origin"}) {
    EXPECT_EQ(why_not({.headers = {{name, "x"}}}),
              "the header " + std::string(name) + " is the server's own");
  }
}

TEST(StreamHead, HasNoHeaderThatCouldBecomeTwo) {
  for (const char* value : {"a\r\nb: c", "a\nb", "a\rb", "\x01", "a\x7f", " a", "a ", "\ta"}) {
    EXPECT_EQ(why_not({.headers = {{"x-a", value}}}),
              "the header x-a has a control character, or a blank at an edge");
  }
  EXPECT_EQ(why_not({.headers = {{"x-a", std::string("a\0b", 3)}}}),
            "the header x-a has a control character, or a blank at an edge");
  for (const char* name : {"", "x a", "x:a", "x\r\n", "\xc3\xbc", ":status"}) {
    EXPECT_EQ(why_not({.headers = {{name, "x"}}}),
              "the name of a header has other characters than a token's");
  }
}

TEST(StreamHead, HasNoEndlessHeaders) {
  StreamHead many;
  for (int i = 0; i < 65; ++i) many.headers.emplace_back("x-" + std::to_string(i), "");
  EXPECT_EQ(why_not(many), "there are more than 64 headers");
  EXPECT_EQ(why_not({.headers = {{"x-a", std::string(16'384, 'a')}}}),
            "the headers have more than 16384 bytes");
}

TEST(StreamHead, HasOneContentType) {
  StreamHead head{.headers = {{"x-a", "1"}, {"Content-Type", "text/csv"}}};
  EXPECT_EQ(complain_about(head), std::nullopt);
  EXPECT_EQ(head.content_type, "text/csv");
  EXPECT_EQ(head.headers.size(), 1u);
  EXPECT_EQ(why_not({.content_type = "text/plain", .headers = {{"content-type", "text/csv"}}}),
            "there are two content types");
  EXPECT_EQ(why_not({.headers = {{"content-type", "a/b"}, {"content-type", "c/d"}}}),
            "there are two content types");
  for (const std::string& type : {std::string(), std::string("a\nb"), std::string(201, 'a')})
    EXPECT_EQ(why_not({.content_type = type}), "the content type is not one");
}

}  // namespace
}  // namespace cordon::tunnel
