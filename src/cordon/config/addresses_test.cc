#include "cordon/config/addresses.h"

#include <gtest/gtest.h>

namespace cordon::config {
namespace {

TEST(Addresses, AServerListensOnHostsAndSockets) {
  for (const char* right : {"127.0.0.1:7070", "0.0.0.0:0", "localhost:80", "[::1]:0", "[::]:65535",
                            "unix:/run/cordon.sock", "app.internal:7070"}) {
    EXPECT_EQ(complain_about_listen(right), std::nullopt) << right;
  }
  for (const char* wrong : {"", "7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                            "127.0.0.1:-1", "127.0.0.1:x", "::1:7070", "[::1]", "[nothing]:1",
                            "999.0.0.1:1", "unix:", "http://127.0.0.1:7070", "a b:1"}) {
    EXPECT_NE(complain_about_listen(wrong), std::nullopt) << wrong;
  }
  EXPECT_NE(complain_about_listen("unix:" + std::string(108, 'x')), std::nullopt);
}

TEST(Addresses, ToListenOnAreTakenOutOfUrls) {
  for (const auto& [written, meant] : {std::pair("http://127.0.0.1:7070", "127.0.0.1:7070"),
                                       {"http://localhost:8080/__runner", "localhost:8080"},
                                       {"https://[::1]:8443/", "[::1]:8443"},
                                       {"http://localhost", "localhost:80"},
                                       {"https://[::1]/x", "[::1]:443"},
                                       {"tcp://0.0.0.0:1", "0.0.0.0:1"},
                                       {"tcp:0.0.0.0:1", "0.0.0.0:1"},
                                       {"unix:///run/s", "unix:/run/s"},
                                       {"http://", ""},
                                       {"http://a b", ""},
                                       {"ftp://a:1", ""},
                                       {"7070", ""}}) {
    EXPECT_EQ(listen_meant_by(written), meant) << written;
  }
  EXPECT_TRUE(complain_about_listen("https://a:1")->contains("server.tls"));
  EXPECT_TRUE(complain_about_listen("http://a:1")->contains("no scheme"));
  EXPECT_TRUE(complain_about_listen("tcp:127.0.0.1:1")->contains("tcp:"));
}

TEST(Addresses, OriginsAreTakenOutOfUrls) {
  EXPECT_EQ(origin_meant_by("https://app.example/"), "https://app.example");
  EXPECT_EQ(origin_meant_by("http://[::1]:3000/a?b"), "http://[::1]:3000");
  EXPECT_EQ(origin_meant_by("https://app.example"), "") << "it is one";
  EXPECT_EQ(origin_meant_by("app.example/"), "");
  EXPECT_EQ(origin_meant_by("https:///"), "");
}

TEST(Addresses, KnowWhatOthersCanReach) {
  for (const char* local : {"127.0.0.1:1", "[::1]:1", "localhost:1", "unix:/s"}) {
    EXPECT_TRUE(is_local(local)) << local;
  }
  for (const char* open : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.org:1"}) {
    EXPECT_FALSE(is_local(open)) << open;
  }
}

TEST(Addresses, ProxiesAreAddressesOrRanges) {
  for (const char* right : {"10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "0.0.0.0/0"}) {
    EXPECT_EQ(complain_about_range(right), std::nullopt) << right;
  }
  for (const char* wrong :
       {"10.0.0", "10.0.0.0/33", "10.0.0.0/", "fd00::/129", "host", "1.2.3.4/x"}) {
    EXPECT_NE(complain_about_range(wrong), std::nullopt) << wrong;
  }
}

TEST(Addresses, UrlsAndOriginsHaveAHost) {
  EXPECT_EQ(complain_about_url("http://127.0.0.1:7070/__runner"), std::nullopt);
  EXPECT_EQ(complain_about_url("https://[::1]/x?y"), std::nullopt);
  for (const char* wrong : {"ftp://a", "http://", "http:///x", "http://a b", "http://a:x/", "a"}) {
    EXPECT_NE(complain_about_url(wrong), std::nullopt) << wrong;
  }
  for (const char* right : {"https://app.example", "http://localhost:3000", "*", "null"}) {
    EXPECT_EQ(complain_about_origin(right), std::nullopt) << right;
  }
  for (const char* wrong : {"app.example", "https://app.example/", "https://", "://x"}) {
    EXPECT_NE(complain_about_origin(wrong), std::nullopt) << wrong;
  }
}

TEST(Addresses, IdsAreWhatAUrlCanName) {
  for (const char* right : {"app.tasks.add", "app/tasks/add", "é", "a b"}) {
    EXPECT_EQ(complain_about_id(right), std::nullopt) << right;
  }
  for (const char* wrong : {"", "/a", "a/", "a//b", "a\nb"}) {
    EXPECT_NE(complain_about_id(wrong), std::nullopt) << wrong;
  }
}

TEST(Addresses, NamesOfProvidersAreIdentifiers) {
  EXPECT_EQ(complain_about_identifier("files_2$"), std::nullopt);
  for (const char* wrong : {"", "2files", "a-b", "a.b", "console", "Object"}) {
    EXPECT_NE(complain_about_identifier(wrong), std::nullopt) << wrong;
  }
}

TEST(Addresses, HeadersAndBasePathsArePlain) {
  EXPECT_EQ(complain_about_token("x-runner-token"), std::nullopt);
  EXPECT_NE(complain_about_token("x runner"), std::nullopt);
  EXPECT_NE(complain_about_token(""), std::nullopt);
  EXPECT_EQ(complain_about_base_path("/__runner"), std::nullopt);
  for (const char* wrong : {"/a?b", "/a#b", "/a b", "/a//b", "/%41"}) {
    EXPECT_NE(complain_about_base_path(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace cordon::config
