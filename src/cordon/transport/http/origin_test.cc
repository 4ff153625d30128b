#include "cordon/transport/http/origin.h"

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

std::string refusal_of(std::string_view url) {
  const Result<Origin> origin = Origin::parse(url);
  return origin ? "none" : origin.error().message;
}

TEST(Origin, HasHostPortAndPath) {
  const Origin origin = *Origin::parse("http://example.org:7070/a/b//");
  EXPECT_FALSE(origin.is_tls);
  EXPECT_EQ(origin.host, "example.org");
  EXPECT_EQ(origin.port, "7070");
  EXPECT_EQ(origin.path, "/a/b");
  EXPECT_EQ(origin.authority(), "example.org:7070");
  EXPECT_EQ(origin.name(), "example.org:7070");
}

TEST(Origin, LeavesOutThePortThatIsTheScheme) {
  EXPECT_EQ(Origin::parse("http://a/")->authority(), "a");
  EXPECT_EQ(Origin::parse("https://a")->authority(), "a");
  EXPECT_EQ(Origin::parse("https://a:80")->authority(), "a:80");
}

TEST(Origin, TakesAnAddressOutOfItsBrackets) {
  const Origin origin = *Origin::parse("https://[::1]:8443/x");
  EXPECT_EQ(origin.host, "::1");
  EXPECT_EQ(origin.authority(), "[::1]:8443");
}

TEST(Origin, HasASchemeInAnyCase) {
  EXPECT_EQ(Origin::parse("HTTP://a/x")->path, "/x");
  EXPECT_EQ(Origin::parse("Https://a")->port, "443");
  EXPECT_EQ(Origin::parse("http://[fe80::1%lo]:80/")->host, "fe80::1%lo");
}

TEST(Origin, MayBeASocketWithAPath) {
  const Origin bare = *Origin::parse("unix:/run/app.sock");
  EXPECT_TRUE(bare.is_socket());
  EXPECT_EQ(bare.socket_path, "/run/app.sock");
  EXPECT_EQ(bare.path, "");
  const Origin origin = *Origin::parse("unix:/run/app.sock:/__runner/");
  EXPECT_EQ(origin.socket_path, "/run/app.sock");
  EXPECT_EQ(origin.path, "/__runner");
  EXPECT_EQ(origin.authority(), "localhost");
}

TEST(Origin, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of("ftp://a"), "a URL begins with http://, https:// or unix:");
  for (const char* const url : {"http://u:p@a", "http://a/?q", "http://a#f", "http://a b"})
    EXPECT_EQ(refusal_of(url), "it has a user, a query, a fragment or a blank") << url;
  for (const char* const url : {"http://", "http:///x", "http://[::1", "http://a]"})
    EXPECT_EQ(refusal_of(url), "it has no host") << url;
  for (const char* const url : {"http://[zz]/x", "http://[]", "http://[127.0.0.1]:80"})
    EXPECT_EQ(refusal_of(url), "in brackets stands an IPv6 address, such as [::1]") << url;
  EXPECT_EQ(refusal_of("http://m\u00fcnchen.example/"),
            "its host is not ASCII; write the name as it is looked up: xn--…");
  for (const char* const url : {"http://a/\u00fc", "unix:/s:/\u00fc"})
    EXPECT_EQ(refusal_of(url),
              "its path is not ASCII; write other characters as escapes, such as %C3%BC");
  EXPECT_EQ(refusal_of("unix:/\u00fc.sock:/a"), "none");
  for (const char* const url : {"http://a:", "http://a:0", "http://a:65536", "http://a:8o"})
    EXPECT_EQ(refusal_of(url), "its port is no number from 1 to 65535") << url;
  EXPECT_EQ(refusal_of("unix:"), "the path of a socket has 1 to 107 characters");
  EXPECT_EQ(refusal_of("unix:" + std::string(108, 'a')),
            "the path of a socket has 1 to 107 characters");
  EXPECT_EQ(refusal_of("unix:/a:b"), "after the socket comes a path: unix:SOCKET:/PATH");
}

}  // namespace
}  // namespace cordon::transport::http
