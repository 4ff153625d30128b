#include "cordon/codec/rich/url.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::rich {
namespace {

TEST(RichUrl, GivesTheHrefOfJavaScript) {
  const std::pair<const char*, const char*> urls[] = {
      {"HTTP://EXAMPLE.org:80/a/../b?c d#e f", "http://example.org/b?c%20d#e%20f"},
      {"https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"},
      {" \thttp://a\n/b ", "http://a/b"},
      {"http://0x7f.1/", "http://127.0.0.1/"},
      {"http://[::0:1]/", "http://[::1]/"},
      {"mailto:x@y", "mailto:x@y"},
      {"javascript:alert(1)", "javascript:alert(1)"},
      {"file:///C|/x/..", "file:///C:/"},
      {"http://u:p@a", "http://u:p@a/"},
      {"data:,\xed\xa0\x80", "data:,%EF%BF%BD"},
  };
  for (const auto& [text, href] : urls) EXPECT_EQ(href_of_url(text).value_or("none"), href) << text;
}

TEST(RichUrl, RefusesWhatJavaScriptThrowsFor) {
  for (const char* text : {"", "x", "/a", "//a", "http://", "http://a b", "http://[::1",
                           "http://1.2.3.256/", "http://a:99999/", "http://%00/"}) {
    EXPECT_FALSE(href_of_url(text).has_value()) << text;
  }
}

TEST(RichUrl, PutsAReplacementForEachLoneSurrogate) {
  EXPECT_EQ(scalar_values("a\xed\xa0\x80\xed\xbf\xbf\xed\x9f\xbfz"),
            "a\xef\xbf\xbd\xef\xbf\xbd\xed\x9f\xbfz");
  EXPECT_EQ(scalar_values(""), "");
}

}  // namespace
}  // namespace cordon::rich
