#include "cordon/transport/http/proxy_settings.h"

#include <map>

#include <gtest/gtest.h>

namespace cordon::transport::http {
namespace {

using Variables = std::map<std::string, std::string>;

ProxySettings settings_of(const Variables& variables) {
  return ProxySettings::from([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// "HOST:PORT AUTHORIZATION", or why there is none.
std::string proxy_of(const Variables& variables, const std::string& url) {
  const auto proxy = settings_of(variables).proxy_for(*Origin::parse(url));
  if (!proxy) return proxy.error().message;
  if (!*proxy) return "none";
  return (*proxy)->origin.host + ":" + (*proxy)->origin.port +
         ((*proxy)->authorization.empty() ? "" : " " + (*proxy)->authorization);
}

TEST(ProxySettings, ReadsTheVariablesThatCurlReads) {
  EXPECT_EQ(proxy_of({}, "http://a"), "none");
  EXPECT_EQ(proxy_of({{"http_proxy", "http://p:8080"}}, "http://a"), "p:8080");
  EXPECT_EQ(proxy_of({{"http_proxy", "http://p:8080"}}, "https://a"), "none");
  // A client of a CGI program could set it.
  EXPECT_EQ(proxy_of({{"HTTP_PROXY", "http://p:8080"}}, "http://a"), "none");
  EXPECT_EQ(proxy_of({{"HTTPS_PROXY", "p:8080"}}, "https://a"), "p:8080");
  EXPECT_EQ(proxy_of({{"https_proxy", "small:1"}, {"HTTPS_PROXY", "large:1"}}, "https://a"),
            "small:1");
  EXPECT_EQ(proxy_of({{"ALL_PROXY", "p"}}, "http://a"), "p:1080");
  EXPECT_EQ(proxy_of({{"all_proxy", "p"}}, "https://a"), "p:1080");
  EXPECT_EQ(proxy_of({{"http_proxy", ""}, {"all_proxy", "p"}}, "http://a"), "none");
  EXPECT_EQ(proxy_of({{"http_proxy", "p:1"}}, "unix:/a.sock"), "none");
}

TEST(ProxySettings, ReadsUsersAndAddresses) {
  EXPECT_EQ(proxy_of({{"http_proxy", "http://me:pw@[::1]:3128/"}}, "http://a"),
            "::1:3128 Basic bWU6cHc=");
  EXPECT_EQ(proxy_of({{"http_proxy", "http://me@p:1"}}, "http://a"), "p:1 Basic bWU6");
}

TEST(ProxySettings, SaysWhichVariableIsOfNoUse) {
  EXPECT_EQ(proxy_of({{"http_proxy", "socks5://p:1"}}, "http://a"),
            "http_proxy: only proxies of http:// are supported");
  EXPECT_EQ(proxy_of({{"all_proxy", "https://p:1"}}, "https://a"),
            "all_proxy: only proxies of http:// are supported");
  EXPECT_EQ(proxy_of({{"http_proxy", "p:x"}}, "http://a"),
            "http_proxy: its port is no number from 1 to 65535");
}

TEST(ProxySettings, LeavesHostsOut) {
  const auto is_exempt = [](const std::string& list, const std::string& host) {
    return proxy_of({{"http_proxy", "p:1"}, {"no_proxy", list}}, "http://" + host) == "none";
  };
  EXPECT_TRUE(is_exempt("*", "a"));
  EXPECT_TRUE(is_exempt("a.org", "a.org"));
  EXPECT_TRUE(is_exempt("a.org", "x.A.org"));
  EXPECT_TRUE(is_exempt(".a.org", "a.org"));
  EXPECT_TRUE(is_exempt("b.org, a.org.", "x.a.org"));
  EXPECT_TRUE(is_exempt("b.org a.org", "a.org:8080"));
  EXPECT_FALSE(is_exempt("a.org", "ba.org"));
  EXPECT_FALSE(is_exempt("x.a.org", "a.org"));
  EXPECT_FALSE(is_exempt("", "a.org"));
  EXPECT_TRUE(is_exempt("127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(is_exempt("127.0.0.0/8", "127.1.2.3"));
  EXPECT_FALSE(is_exempt("127.0.0.0/8", "128.0.0.1"));
  EXPECT_FALSE(is_exempt("127.0.0.0/40", "127.0.0.1"));
  EXPECT_FALSE(is_exempt("0.0.1", "127.0.0.1"));
  EXPECT_TRUE(is_exempt("[::1]", "[::1]"));
  EXPECT_TRUE(is_exempt("fe80::/10", "[fe80::1]"));
  EXPECT_EQ(proxy_of({{"http_proxy", "p:1"}, {"NO_PROXY", "a"}}, "http://a"), "none");
}

}  // namespace
}  // namespace cordon::transport::http
