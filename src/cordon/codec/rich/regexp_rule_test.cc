#include "cordon/codec/rich/regexp_rule.h"

#include <string>

#include <gtest/gtest.h>

namespace cordon::rich {
namespace {

TEST(RegExpRule, AQuantifiedGroupHasNoQuantifierInside) {
  for (const char* pattern :
       {"(a+)+", "(a*)*", "(a+)?", "(a?)+", "((a*))+", "(a{2,3}){2}", "(a{,5})+", "(a(b+))*",
        "(?:x+x+)+y", "(.*a){12}", "(?<n>a+)*", "(a)(b+)+"}) {
    EXPECT_FALSE(is_safe_regexp_pattern(pattern)) << pattern;
  }
  for (const char* pattern : {"a+", "(a+)", "(a+)b", "(a)+", "(a{x})+", "(a{2,3}){x}", "(a\\+)+",
                              "[(a+)+]", "(a+", "a+)+", "a*a*a*$", "(?:a)+", "(?=a)*", "(a+){"}) {
    EXPECT_TRUE(is_safe_regexp_pattern(pattern)) << pattern;
  }
}

TEST(RegExpRule, NoAlternativeOfAQuantifiedGroupBeginsWithAnother) {
  for (const char* pattern :
       {"(a|aa)+", "^(a|aa)+$", "(?:a|ab)*", "(?<n>a|ab)*", "(?<=a|ab)+", "(|a)+", "(a|)*",
        "(a|b|c|ab)+", "(b|a|b)*", "(?>a|ab)+", "((a|b)c|(a|b)cd)+", "([a|]|[a|]b)*"}) {
    EXPECT_FALSE(is_safe_regexp_pattern(pattern)) << pattern;
  }
  for (const char* pattern : {"(a|b)+", "(a|[ab])*c", "(\\||a)+", "([|]a|b)+", "(a|aa)",
                              "((a|aa)b|c)+", "(?:a|b(?:c|cd))+", "(?i:a|A)+"}) {
    EXPECT_TRUE(is_safe_regexp_pattern(pattern)) << pattern;
  }
  // Half of a pair is the beginning of the pair, in UTF-16.
  EXPECT_FALSE(is_safe_regexp_pattern("(\xed\xa0\xbd|\xf0\x9f\x98\x80)+"));
}

TEST(RegExpRule, ManyAlternativesTakeLittleTime) {
  std::string pattern = "(x";
  for (int i = 0; i < 200'000; ++i) pattern += "|" + std::to_string(i) + "y";
  EXPECT_TRUE(is_safe_regexp_pattern(pattern + ")*"));
  EXPECT_FALSE(is_safe_regexp_pattern(pattern + "|5yz)*"));
}

TEST(RegExpRule, FlagsAreKnownAndUnique) {
  EXPECT_TRUE(are_regexp_flags(""));
  EXPECT_TRUE(are_regexp_flags("yvusmigd"));
  for (const char* flags : {"gg", "x", "G", "gé", "dgimsuvyd"}) {
    EXPECT_FALSE(are_regexp_flags(flags)) << flags;
  }
  EXPECT_EQ(sorted_regexp_flags("yig"), "giy");
}

TEST(RegExpRule, SourceIsWhatJavaScriptPrints) {
  EXPECT_EQ(regexp_source_of(""), "(?:)");
  EXPECT_EQ(regexp_source_of("a/b[/]/"), "a\\/b[/]\\/");
  EXPECT_EQ(regexp_source_of("\\/"), "\\/");
  EXPECT_EQ(regexp_source_of("\n[\r]\\\n"), "\\n[\\r]\\n");
  EXPECT_EQ(regexp_source_of("\xe2\x80\xa8é\xe2\x80\xa9"), "\\u2028é\\u2029");
  EXPECT_EQ(regexp_source_of("a\\]/"), "a\\]\\/");
}

}  // namespace
}  // namespace cordon::rich
